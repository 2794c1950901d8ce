/**
 * The command `compare` against a program that serves: over TCP and TLS, with keys, and with options
 * on both sides.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import {
  AUTHORITY,
  CERTIFICATE,
  STORE_CERTIFICATE,
  STORE_KEY,
} from "../../support/certificates.ts";
import { runToEnd } from "../../support/child.ts";
import { lieAbout, QUESTIONS, SERVERS, SPOILT } from "../../support/compare_liars.ts";
import { type ComparedOptions, type Lie, startCompared } from "../../support/compared_server.ts";
import { withFolder } from "../../support/folder.ts";
import { type Outcome, runProgram, withProgram } from "../../support/program.ts";

const KEY = "compare-canary-key-0123456789";

function assertSame({ code, stdout, stderr }: Outcome): void {
  assertEquals([code, stderr], [0, ""], stdout);
  assert(!/\d (?:known|option|different)/.test(stdout), stdout);
}

/** Starts a server, and compares it with options, which are those of the server unless given. */
async function compared(
  args: readonly string[],
  given: readonly string[] = args,
  urlOf: (url: string) => string = (url) => url,
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  let outcome: Outcome | undefined;
  await withProgram(["--port", "0", ...args], async ({ url }) => {
    outcome = await runProgram(["compare", urlOf(url), ...given], env);
  });
  return outcome!;
}

const SETTINGS: readonly (readonly string[])[] = [
  [],
  ["--digits", "8", "--algorithm", "SHA256"],
  ["--namespace", "http://pins.example.com/", "--single-use"],
  ["--window", "10", "--html", "image", "--max-failures", "0"],
  ["--secret-encoding", "base32", "--period", "60"],
];

Deno.test("a server is the same as itself, and another setting is named", async () => {
  for (const args of SETTINGS) assertSame(await compared(args));
  const { code, stdout } = await compared(["--window", "3"], ["--digits", "8", "--html", "image"]);
  assertEquals(code, 1);
  const advice = "Start Authenticator with --digits 6 --window 3 --html svg.";
  assert(stdout.includes(`\n${advice} `), stdout);
});

Deno.test("the options come from the environment too", async () => {
  await withProgram(["--port", "0", "--window", "2"], async ({ url }) => {
    assertSame(await runProgram(["compare", url], { AUTHENTICATOR_WINDOW: "2" }));
  });
});

/** Runs something with the files of a certificate for 127.0.0.1, its authority and two keys. */
async function withFiles(
  act: (files: {
    readonly server: readonly string[];
    readonly ca: readonly string[];
    readonly keys: string;
  }) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const files = {
      cert: STORE_CERTIFICATE,
      key: STORE_KEY,
      ca: `${CERTIFICATE}\n${AUTHORITY}`,
      keys: `web:${KEY}\n`,
    };
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(`${folder}/${name}`, text);
    }
    await act({
      server: ["--tls-cert", `${folder}/cert`, "--tls-key", `${folder}/key`],
      ca: ["--ca", `${folder}/ca`],
      keys: `${folder}/keys`,
    });
  });
}

Deno.test("over TLS the certificate is checked, and --ca adds an authority", () =>
  withFiles(async ({ server, ca }) => {
    assertSame(await compared(server, ca));
    // The options of the server may be given too: their files are not opened.
    assertSame(await compared(server, ["--tls-cert", "/nowhere", "--tls-key", "/nowhere", ...ca]));
    const unknown = await compared(server, []);
    const otherName = await compared(
      server,
      ca,
      (url) => url.replace("127.0.0.1", "localhost"),
    );
    for (const { code, stderr } of [unknown, otherName]) {
      assertEquals(code, 1);
      const sentence = "has a certificate that is not trusted, or not for this name: give --ca, " +
        "since the CA certificates of the system are not read.\n";
      assert(stderr.endsWith(sentence), stderr);
    }
    const missing = await compared(server, ["--ca", "/nowhere"]);
    const key = await compared(server, ["--ca", server.at(-1)!]);
    const error = "authenticator: error: the file of --ca";
    assertEquals([missing, key].map(({ code, stderr }) => [code, stderr]), [
      [2, `${error} cannot be read: there is no such file or folder.\n`],
      [2, `${error} does not hold a PEM certificate.\n`],
    ]);
  }));

Deno.test("a key is sent over checked TLS, and nowhere without --send-key", () =>
  withFiles(async ({ server, ca, keys }) => {
    const file = ["--api-keys-file", keys];
    const served = [...server, ...file];
    assertSame(await compared(served, [...file, "--send-key", ...ca]));
    assertSame(await compared(file, [...file, "--send-key"]));
    const { code, stderr } = await compared(served, [...file, ...ca]);
    assertEquals(code, 1);
    assert(stderr.endsWith("give --api-keys-file, and --send-key to send its first.\n"), stderr);
    // An unchecked certificate gets no key.
    const noChecks = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    const unchecked = await compared(served, [...file, "--send-key"], (url) => url, noChecks);
    assertEquals(unchecked.code, 1);
    assert(unchecked.stderr.includes("has a certificate that is not trusted"), unchecked.stderr);
  }));

Deno.test("compare opens no store, port or log of the options", async () => {
  const elsewhere = [
    ...["--guard", "redis://192.0.2.1:6379", "--guard-key-file", "/nowhere"],
    ...["--metrics-port", "1", "--log-peer", "--share-port"],
  ];
  await withProgram(["--port", "0"], async ({ url }) => {
    assertSame(await runProgram(["compare", url, ...elsewhere]));
  });
});

Deno.test("no line that a server provokes runs anything in a shell, or shows the key", async () => {
  const command = "$(touch$IFS./x)`touch y`;touch z|tee w>v&'touch u'";
  const texts = [
    command,
    `http://${KEY}/`,
    `http://a/${btoa(`web:${KEY}`)}/`,
    `urn:${KEY.slice(4, 14)}/`,
  ];
  await withFolder(async (folder) => {
    const empty = `${folder}/empty`;
    await Deno.mkdir(empty);
    await Deno.writeTextFile(`${folder}/keys`, `web:${KEY}\n`);
    const options = ["--api-keys-file", `${folder}/keys`, "--send-key"];
    const lines: string[] = [];
    for (const text of texts) {
      const lies: readonly ComparedOptions["lie"][] = [
        ({ target }, reply) => {
          const xml = text.replaceAll("&", "&amp;").replaceAll('"', "");
          const namespace = `urn:a/$(touch$IFS./x);'$(touch$IFS./y)'/`;
          const said = reply.text
            .replace(
              / targetNamespace="[^"]*"/,
              ` targetNamespace="${text === command ? namespace : text}"`,
            )
            .replace(
              /location="[^"]*"/g,
              `location="http://y.example/${text === command ? "$(touch$IFS./x)" : xml}/api.asmx"`,
            );
          return target.includes("wsdl") ? { ...reply, text: said } : reply;
        },
        (_call, reply) => ({ ...reply, type: `text/${text.replaceAll(" ", "")}` }),
        (call, reply) => call.steps === 0 ? { ...reply, status: 200, text } : reply,
        (call, reply) =>
          call.operation === ""
            ? reply
            : { ...reply, status: 302, headers: { location: `http://a/${text}` } },
      ];
      for (const lie of lies) {
        await using server = startCompared({ apiKeys: [`web:${KEY}`], lie: lie! });
        const { stdout, stderr } = await runProgram(["compare", server.url, ...options]);
        for (let i = 0; i + 8 <= KEY.length; i++) {
          assert(
            !(stdout + stderr).includes(KEY.slice(i, i + 8)),
            `${KEY.slice(i, i + 8)}: ${stdout}${stderr}`,
          );
        }
        assert(!(stdout + stderr).includes(btoa(`web:${KEY}`).slice(8, 30)), stdout + stderr);
        lines.push(...`${stdout}${stderr}`.split("\n"));
      }
    }
    assert(
      lines.some((line) => line.includes("Start Authenticator with --namespace 'urn:a/$(touch")),
    );
    await runLines(lines, empty);
  });
});

/** Runs the lines of reports in a shell, in a folder that must stay empty. */
async function runLines(lines: readonly string[], empty: string): Promise<void> {
  for (const line of new Set(lines)) {
    // A sentence is no command: it fails, or does nothing.
    for (const words of [line, line.replace(/^Start Authenticator with/, "true")]) {
      await runToEnd(["bash", "-c", words], { cwd: empty });
    }
  }
  assertEquals([...Deno.readDirSync(empty)], []);
}

Deno.test("every server that lies is found by the program, and no line about it runs anything", async () => {
  const liars: readonly Lie[] = [
    ...QUESTIONS.filter(({ name }) => !name.includes("API key")).map((question): Lie => {
      const { about, say } = lieAbout(question)!;
      return (call, reply) => about(call) ? say(reply) : reply;
    }),
    ...SPOILT.map(([, spoil]): Lie => (call, reply) => call.steps === 0 ? spoil(reply) : reply),
    ...SERVERS.map(([, lie]) => lie),
  ];
  assert(liars.length > 40);
  await withFolder(async (empty) => {
    const lines: string[] = [];
    for (const lie of liars) {
      await using server = startCompared({ lie });
      const { code, stdout, stderr } = await runProgram(["compare", server.url]);
      assertEquals([code, stderr], [1, ""], stdout);
      lines.push(...stdout.split("\n"));
    }
    await runLines(lines, empty);
  });
});
