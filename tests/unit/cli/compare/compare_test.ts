import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { compare } from "../../../../lib/cli/compare/compare.ts";
import { questionsFor } from "../../../../lib/cli/compare/questions.ts";
import { configOf, runCommand } from "../../../support/command.ts";
import { RemoteService } from "../../../../lib/cli/compare/remote.ts";
import { NoReplyError } from "../../../../lib/cli/http_reply.ts";
import { CommandError } from "../../../../lib/cli/io/io.ts";
import {
  type ComparedOptions,
  type ComparedServer,
  startCompared,
} from "../../../support/compared_server.ts";
import { withFolder } from "../../../support/folder.ts";
import { freePort } from "../../../support/free_port.ts";
import { hostedService } from "../../../support/hosted_service.ts";
import { startRaw } from "../../../support/raw_server.ts";
import type { Outcome } from "../../../support/program.ts";
import { SEAL_KEY_LINES, SEAL_KEYS_FILE, sealByJose } from "../../../support/seal_keys.ts";

/** All questions but those about the window. */
const QUESTIONS = Object.values(questionsFor(configOf([]), undefined)).flat();

const KEY = "compare-canary-key-0123456789";

function assertHas(text: string, part: string): void {
  assert(text.includes(part), `${JSON.stringify(part)} is not in:\n${text}`);
}

/** Compares a server with options, which are those of the server unless given. */
async function compared(
  options: ComparedOptions,
  args: readonly string[] = options.args ?? [],
  act: (server: ComparedServer) => void = () => {},
): Promise<Outcome> {
  await using server = startCompared(options);
  const outcome = await runCommand(["compare", server.url, ...args]);
  assert(server.calls.length <= 60, `${server.calls.length} requests`);
  act(server);
  return outcome;
}

function assertSame({ code, stdout, stderr }: Outcome): void {
  assertEquals([code, stderr], [0, ""], stdout);
  assert(!/\d (?:known|option|different)|^Known /m.test(stdout), stdout);
  assertHas(stdout, "\nAll answers are the same.\n");
}

const SETTINGS: readonly (readonly string[])[] = [
  [],
  ["--window", "0"],
  ["--window", "2"],
  ["--window", "100"],
  ["--window", "10", "--html", "image"],
  ["--digits", "8", "--algorithm", "SHA256"],
  ["--algorithm", "SHA512", "--period", "60", "--single-use", "--max-failures", "1"],
  ["--secret-encoding", "base32"],
  ["--namespace", "urn:pins/", "--base-url", "https://pins.example.com/below"],
  ["--trust-proxy", "--max-failures", "0"],
  ["--seal-keys-file", SEAL_KEYS_FILE],
];

Deno.test("a server with the same options is the same, whatever they are", async () => {
  for (const args of SETTINGS) {
    const outcome = await compared({ args }, args, ({ calls }) => {
      assert(calls.every((call) => call.args.get("pin") !== "undefined"));
    });
    assertSame(outcome);
  }
});

// The options of a server, those given to the command, and what it has to name.
const WRONG: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ["--window 1", [], ["--window", "2"]],
  ["--window 5", ["--window", "5"], []],
  ["--window 100", ["--window", "100"], []],
  ["--digits 8", ["--digits", "8"], []],
  ["--algorithm SHA256", ["--algorithm", "SHA256"], []],
  ["--algorithm SHA1", [], ["--algorithm", "SHA512"]],
  ["--period 60", ["--period", "60"], []],
  ["--secret-encoding base32", ["--secret-encoding", "base32"], []],
  ["--secret-encoding text", [], ["--secret-encoding", "base32"]],
  ["--trust-proxy=true", ["--trust-proxy"], []],
  ["--html image", ["--html", "image"], []],
  ["--html svg", [], ["--html", "image"]],
  ["--namespace urn:pins/", ["--namespace", "urn:pins/"], []],
  ["--base-url https://pins.example.com", ["--base-url", "https://pins.example.com"], []],
  ["no --base-url", [], ["--base-url", "https://pins.example.com"]],
  ["--single-use=true", ["--single-use"], []],
  ["--single-use=false", [], ["--single-use"]],
];

Deno.test("a server with one other option is not the same, and only that option is named", async () => {
  for (const [setting, args, given] of WRONG) {
    const { code, stdout } = await compared({ args }, given);
    assertEquals(code, 1, setting);
    const [option] = stdout.match(/^Option: .*$/gm)!;
    assertHas(option!, `Option: it has ${setting}, and not `);
    assertEquals(stdout.match(/^(?:Option|Different): /gm)!.length, 1, stdout);
    assertHas(stdout, `\nStart Authenticator with ${setting}.`);
    if (setting === "--window 1") assertHas(stdout, " It accepts a code 0.6 times as long.");
  }
});

Deno.test("several other options are all named", async () => {
  const args = ["--window", "4", "--digits", "8", "--html", "image", "--namespace", "urn:pins/"];
  const { code, stdout } = await compared({ args }, []);
  assertEquals(code, 1);
  const advice =
    "Start Authenticator with --digits 8 --window 4 --html image --namespace urn:pins/.";
  assertHas(stdout, `\n${advice} It accepts a code 3 times as long.`);
  assert(!stdout.includes("Different:"), stdout);
  assert(
    /^Option: it has --digits 8, and not --digits 6: .* and \d+ more\.$/m.test(stdout),
    stdout,
  );
  // Each explains no more than what changes with it.
  assertHas(stdout, "\nOption: it has --html image, and not --html svg: the form of Html.\n");
});

Deno.test("a clock that is off is one finding, and pins are made for it", async () => {
  for (const seconds of [60, -90, 3_600]) {
    const now = (): number => Date.now() + seconds * 1000;
    const { code, stdout } = await compared({ now });
    assertEquals(code, 1, stdout);
    const direction = seconds < 0 ? "behind" : "ahead";
    const [, said] = new RegExp(`Its clock is (\\d+) seconds ${direction}:`).exec(stdout)!;
    assert(Math.abs(Number(said) - Math.abs(seconds)) <= 2, stdout);
    assertEquals(stdout.match(/^(?:Option|Different): /gm)!.length, 1, stdout);
  }
});

Deno.test("a clock that the Date does not show is found by the middle of the window", async () => {
  for (const seconds of [60, -120]) {
    const { code, stdout } = await compared({
      now: () => Date.now() + seconds * 1000,
      lie: (_call, reply) => ({ ...reply, headers: { date: new Date().toUTCString() } }),
    });
    assertEquals(code, 1, stdout);
    assertHas(stdout, `Its clock is ${Math.abs(seconds)} seconds `);
    assertEquals(stdout.match(/^(?:Option|Different): /gm)!.length, 1, stdout);
  }
});

Deno.test("a clock that the window shows makes no two servers of one with another window", async () => {
  const { stdout } = await compared({
    args: ["--window", "2"],
    now: () => Date.now() + 60_000,
    lie: (_call, reply) => ({ ...reply, headers: { date: new Date().toUTCString() } }),
  }, []);
  assertHas(stdout, "\nStart Authenticator with --window 2. ");
  assertHas(stdout, "Its clock is 60 seconds ahead");
});

Deno.test("a question whose answer comes in another time step is asked again", async () => {
  let nowMs = 1_800_000_010_000;
  let delayed = 0;
  await using server = startCompared({
    now: () => nowMs,
    lie: (call, reply) => {
      if (call.operation !== "ValidatePin" || delayed++ > 0) return reply;
      nowMs += 30_000;
      // The late answer counts for nothing.
      return { ...reply, text: reply.text.replace("true", "false") };
    },
  });
  const options = { sendKey: false, ca: undefined };
  const lines: string[] = [];
  const print = (line: string): void => void lines.push(line);
  const code = await compare(configOf([]), server.url, options, print, { now: () => nowMs });
  assertEquals(code, 0, lines.join("\n"));
  const [first, second] = server.calls.filter(({ operation }) => operation === "ValidatePin");
  assertEquals(first!.target.replace(/=[^&]*/g, ""), second!.target.replace(/=[^&]*/g, ""));
  assert(first!.args.get("secretcode") !== second!.args.get("secretcode"));
});

Deno.test("no pin is sent at the end of a time step, which both sides may see differently", async () => {
  // A fifth of a second before the end: a server in the same second, whose clock is right, and one
  // whose Date is of the next second, which is taken to be 1.2 seconds ahead.
  for (const [aheadMs, waitMs] of [[0, 1_700], [100, 1_700], [400, 500]] as const) {
    let nowMs = 1_800_000_000_000 - 200;
    const slept: number[] = [];
    const lines: string[] = [];
    await using server = startCompared({ now: () => nowMs + aheadMs });
    const code = await compare(
      configOf([]),
      server.url,
      { sendKey: false, ca: undefined },
      (line) => void lines.push(line),
      {
        now: () => nowMs,
        sleep: (ms) => {
          slept.push(ms);
          nowMs += ms;
          return Promise.resolve();
        },
      },
    );
    assertEquals([code, slept], [0, [waitMs]]);
    assertEquals(lines.includes("Waiting for the next time step."), waitMs >= 1_000);
  }
});

// Values that a server can put into the Key URI, the namespace and the addresses.
const HOSTILE = [
  "otpauth://[?digits=8",
  "otpauth://totp/a?period=0&digits=99&algorithm=MD5",
  "%E0%A4%A",
];

Deno.test("a value that no option can have is a difference, and no failure of this program", async () => {
  for (const value of [...HOSTILE, "urn:é", "urn:a\u2028b", "http://[", "é".repeat(300)]) {
    const { code, stdout, stderr } = await compared({
      lie: (call, reply) => ({
        ...reply,
        text: call.target.includes("wsdl")
          ? reply.text.replace(
            /(targetNamespace|location)="[^"]*"/g,
            `$1="${value.replace("&", "")}"`,
          )
          : reply.text.replace(/otpauth:[^'"&\\]*/, value),
      }),
    });
    assertEquals([code, stderr], [1, ""], stdout);
    assertHas(stdout, "\nDifferent: ");
  }
});

Deno.test("a pairing without a Key URI shows no option, and changes no pin", async () => {
  const args = ["--digits", "8"];
  const lie: ComparedOptions["lie"] = ({ form }, reply) =>
    form === "HTTP GET"
      ? { ...reply, text: reply.text.replace(/otpauth:[^']*/, "about:blank") }
      : reply;
  const { stdout } = await compared({ args, lie });
  const lines = stdout.match(/^(?:Option|Different): .*$/gm)!;
  assertEquals(lines.length, 1, stdout);
  assertHas(lines[0]!, "Different: the Key URI: ");
});

Deno.test("a pairing without Html is no pairing", async () => {
  const { stdout } = await compared({
    lie: ({ form }, reply) =>
      form === "HTTP GET"
        ? { ...reply, text: reply.text.replace(/<Html>[^]*<\/Html>/, "") }
        : reply,
  });
  assertHas(
    stdout,
    "Different: the setup key, by HTTP GET: here the secret as text, there 200 text/xml.",
  );
});

Deno.test("a Key URI that is not percent-encoded right is a difference, in a picture too", async () => {
  const args = ["--html", "image"];
  const { code, stdout, stderr } = await compared({
    args,
    lie: (_call, reply) => ({
      ...reply,
      text: reply.text.replace("data=otpauth", "data=%E0%A4%Aotpauth"),
    }),
  });
  assertEquals([code, stderr], [1, ""]);
  assertHas(stdout, "\nDifferent: the Key URI: ");
});

Deno.test("addresses that differ from each other are all shown, and are no --base-url", async () => {
  const { code, stdout } = await compared({
    lie: (_call, reply) => ({
      ...reply,
      text: reply.text.replace(/(soap12:address location=)"[^"]*"/, '$1"http://b/api.asmx"'),
    }),
  });
  assertEquals(code, 1);
  const [, first, second] = /there http:\/\/([\d.:]+)\/api\.asmx, (.*), http/.exec(stdout) ?? [];
  assertEquals([first?.startsWith("127.0.0.1:"), second], [true, "http://b/api.asmx"], stdout);
  assert(!stdout.includes("Start Authenticator"), stdout);
});

Deno.test("a service is asked sixty times at most", async () => {
  await using server = startCompared();
  const parts = { timeoutMs: 10_000, now: Date.now, sleep: () => Promise.resolve() };
  const remote = new RemoteService(server.url, undefined, [], parts);
  const ask = (): Promise<unknown> => remote.ask({ method: "GET", path: "/", headers: {} });
  const outcomes: unknown[] = [];
  for (let i = 0; i < 61; i++) outcomes.push(await ask().catch((error) => error));
  assertEquals(server.calls.length, 60);
  assert(outcomes.at(-1) instanceof NoReplyError);
});

Deno.test("the hosted service is the same with its options, and without them both are named", async () => {
  const handler = (call: Parameters<typeof hostedService>[0]): ReturnType<typeof hostedService> =>
    hostedService(call);
  const right = await compared({ handler }, ["--window", "10", "--html", "image"]);
  assertEquals(right.code, 0, right.stdout);
  assert(!/\d (?:option|different)/.test(right.stdout), right.stdout);
  // Each row that states an answer of the hosted service got it.
  const stated = QUESTIONS.filter(({ known }) => known !== undefined).map(({ name }) => name);
  assertHas(
    right.stdout,
    `(docs/switching.md says why): ${stated.join("; ")}.\nAll other answers`,
  );
  const wrong = await compared({ handler }, []);
  assertEquals(wrong.code, 1);
  assertHas(
    wrong.stdout,
    "\nStart Authenticator with --window 10 --html image. It accepts a code 7 times as long.",
  );
  assert(!wrong.stdout.includes("Different:"), wrong.stdout);
});

Deno.test("every secret is new, and nothing but what the first line says is sent", async () => {
  const secrets: string[] = [];
  const addresses: string[] = [];
  const env = { AUTHENTICATOR_API_KEYS_FILE: "/nowhere", HTTP_PROXY: "http://127.0.0.1:1" };
  for (let run = 0; run < 2; run++) {
    await using server = startCompared({ args: ["--single-use"] });
    const { stdout } = await runCommand(["compare", server.url, "--single-use"], { env });
    assertEquals(
      stdout.split("\n")[0],
      `Asking ${server.url}, with at most 60 requests: secrets drawn for them, and pins made from ` +
        "those. No API key is sent.",
    );
    assertHas(stdout, `\n${server.calls.length} requests. Not asked: `);
    const timed = server.calls.filter(({ steps }) => steps !== undefined);
    const own = new Set(timed.map(({ args }) => args.get("secretcode")!));
    // One question needs the same secret twice.
    assertEquals(own.size, timed.length - 1);
    const others = server.calls.map(({ args }) => args.get("secretcode") || undefined);
    secrets.push(...new Set(others.filter((secret) => secret !== undefined)));
    for (const { headers, target, body, form, operation } of server.calls) {
      // ASP.NET knows the operation of SOAP 1.1 by it alone.
      const action = form === "SOAP 1.1" ? `"http://authenticatorapi.com/${operation}"` : null;
      assertEquals(headers.get("soapaction"), action);
      const isSoap = form.startsWith("SOAP");
      assertEquals(headers.get("content-type")?.endsWith("; charset=utf-8") ?? false, isSoap);
      const allowed = [
        "connection",
        "content-length",
        "content-type",
        "host",
        "soapaction",
        "x-forwarded-host",
      ];
      // Runtimes may add a field that says how replies may be coded.
      const others = [...headers.keys()].filter((name) => !allowed.includes(name));
      assertEquals(others, [], "other header fields");
      addresses.push(target + body);
    }
  }
  assertEquals(new Set(secrets).size, secrets.length);
  assert(secrets.length > 40);
  assert(secrets.every((secret) => /^[A-Z2-7]{32}é?$/.test(secret)));
  assert(addresses.every((sent) => !sent.includes("/nowhere")));
});

Deno.test("a key is sent only with --send-key, and only the first", async () => {
  await withFolder(async (folder) => {
    const file = `${folder}/keys`;
    await Deno.writeTextFile(file, `web:${KEY}\nother-${KEY}\n`);
    const apiKeys = [`web:${KEY}`];
    const keysOf = (server: ComparedServer): readonly (string | null)[] =>
      server.calls.map(({ headers }) => headers.get("x-api-key"));
    const withKey = await compared(
      { apiKeys },
      ["--api-keys-file", file, "--send-key"],
      (server) => {
        // One question is whether a call without a key is refused.
        assertEquals(keysOf(server).filter((key) => key === null).length, 1);
        assertEquals(new Set(keysOf(server)), new Set([KEY, null]));
      },
    );
    assertSame(withKey);
    assertHas(
      withKey.stdout.split("\n")[0]!,
      "The first key of --api-keys-file is sent.",
    );
    assert(!withKey.stdout.includes(KEY));
    for (const args of [[], ["--api-keys-file", file]]) {
      const without = await compared({ apiKeys }, args, (server) => {
        assertEquals(keysOf(server), [null]);
      });
      assertEquals(without.code, 1);
      assert(
        /requires an API key: give --api-keys-file, and --send-key to send its first\.\n$/
          .test(without.stderr),
        without.stderr,
      );
    }
    const wrong = await compared(
      { apiKeys: ["another-key-0123456789"] },
      ["--api-keys-file", file, "--send-key"],
    );
    assertEquals(wrong.code, 1);
    assert(
      /does not accept the first key of --api-keys-file\.\n$/.test(wrong.stderr),
      wrong.stderr,
    );
    // A server without keys that should have them.
    for (const args of [["--send-key"], []]) {
      const open = await compared({}, ["--api-keys-file", file, ...args]);
      assertEquals(open.code, 1);
      assertHas(
        open.stdout,
        "Different: a right pin without an API key: here 401 text/plain, there true.",
      );
      assertHas(open.stdout, "\nIt answers callers without an API key.\n");
    }
  });
});

Deno.test("wrong usage is one sentence and exits with 2, and nothing is sent", async () => {
  await using server = startCompared();
  const { host } = new URL(server.url);
  const cases: readonly (readonly [readonly string[], string])[] = [
    [[], "compare needs a URL with http:// or https://"],
    [[host], "compare needs a URL with http:// or https://"],
    [["localhost:8080"], "compare needs a URL with http:// or https://"],
    [["ftp://canary.example"], "compare needs a URL with http:// or https://"],
    [["http://"], "the URL has no valid host and port"],
    [["http://a b"], "the URL has no valid host and port"],
    [["http://127.0.0.1:99999"], "the URL has no valid host and port"],
    [[`http://canary@${host}`], "the URL must have no user name, query and fragment"],
    [[`http://:canary@${host}`], "the URL must have no user name, query and fragment"],
    [
      [`${server.url}/Validate.aspx?Pin=canary`],
      "the URL must have no user name, query and fragment",
    ],
    [[`${server.url}/#canary`], "the URL must have no user name, query and fragment"],
    [
      [server.url, "canary"],
      "unexpected word: give URL, and quotes around a value with spaces",
    ],
    [[server.url, "--send-key"], "--send-key needs --api-keys-file"],
    [
      ["http://pins.example.com", "--send-key", "--api-keys-file", "/nowhere"],
      "--send-key needs a URL with https, or one of this machine",
    ],
  ];
  for (const [words, sentence] of cases) {
    const { code, stdout, stderr } = await runCommand(["compare", ...words]);
    assertEquals([code, stdout], [2, ""], words.join(" "));
    assertEquals(stderr, `authenticator: error: ${sentence}. Try --help.\n`);
  }
  assertEquals(server.calls, []);
});

Deno.test("a URL may be any address of the service, in any case", async () => {
  await using server = startCompared();
  const spellings = [
    server.url.toUpperCase(),
    `${server.url}/`,
    `${server.url}/api.asmx`,
    `${server.url}/API.ASMX?WSDL`,
    `${server.url}/api.asmx?op=Pair`,
    `${server.url}/api.asmx?disco`,
    `${server.url}//api.asmx/`,
    `${server.url}/api.asmx/Pair`,
    `${server.url}/Validate.aspx`,
  ];
  for (const url of spellings) assertSame(await runCommand(["compare", url]));
  assert(server.calls.every(({ target }) => /^\/\w/.test(target)));
});

Deno.test("a service below a path is asked there", async () => {
  const args = ["--base-url", "http://pins.example.com/below/pins"];
  await using server = startCompared({ args });
  const below: string[] = [];
  await using proxy = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const { pathname, search } = new URL(request.url);
      below.push(pathname);
      const { method, headers } = request;
      const body = method === "GET" ? null : await request.text();
      const path = pathname.replace(/^\/below\/pins/, "");
      return await fetch(server.url + path + search, { method, headers, body });
    },
  );
  const url = `http://127.0.0.1:${proxy.addr.port}/below/pins/api.asmx`;
  assertSame(await runCommand(["compare", url, ...args]));
  assert(below.every((path) => path.startsWith("/below/pins/")));
});

Deno.test("with --trust-proxy nothing is asked with X-Forwarded-Host, which a proxy may hide", async () => {
  for (const args of [[], ["--trust-proxy"]]) {
    await compared({ args }, args, ({ calls }) => {
      const forwarded = calls.filter(({ headers }) => headers.has("x-forwarded-host"));
      assertEquals(forwarded.length, args.length === 0 ? 1 : 0);
    });
  }
});

Deno.test("a clock in the same second is right, and one that is off hides no other difference", async () => {
  // The end of a second, whose beginning the Date says.
  const nowMs = 1_800_000_009_999;
  const run = async (aheadMs: number, lie?: ComparedOptions["lie"]): Promise<string> => {
    await using server = startCompared({ now: () => nowMs + aheadMs, ...(lie && { lie }) });
    const lines: string[] = [];
    const parts = { now: () => nowMs };
    const options = { sendKey: false, ca: undefined };
    await compare(configOf([]), server.url, options, (line) => void lines.push(line), parts);
    return lines.join("\n");
  };
  // A server one step off would not accept the codes of this second's step.
  assertHas(await run(0), "\nAll answers are the same.\n");
  const clock = "Its clock is 3600 seconds ahead: synchronize both.";
  const honest = await run(3_600_000);
  assertHas(honest, `\n${clock}\n`);
  const lying = await run(
    3_600_000,
    (call, reply) => call.form === "JSON" && call.steps === 0 ? { ...reply, status: 202 } : reply,
  );
  assertHas(lying, `\n${clock} No option explains what is different.\n`);
});

Deno.test("a Date that cannot be the time is reported, and no question waits for it", async () => {
  for (const date of ["Thu, 01 Jan 1900 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT"]) {
    const slept: number[] = [];
    await using server = startCompared({
      lie: (_call, reply) => ({ ...reply, headers: { date } }),
    });
    const lines: string[] = [];
    const sleep = (ms: number): Promise<void> => {
      slept.push(ms);
      return new Promise((resolve) => setTimeout(resolve, ms));
    };
    const options = { sendKey: false, ca: undefined };
    const print = (line: string): void => void lines.push(line);
    const code = await compare(configOf([]), server.url, options, print, { sleep });
    const report = lines.join("\n");
    assertEquals(code, 1);
    assert(
      /^Its clock is \d+ seconds \w+ by its Date, not used: synchronize both\.$/m.test(report),
      report,
    );
    assertEquals(report.match(/^(?:Option|Different): /gm)!.length, 1, report);
    assert(slept.every((ms) => ms <= 3_000), String(slept));
    assertEquals(
      lines.filter((line) => line === "Waiting for the next time step.").length,
      slept.filter((ms) => ms >= 1_000).length,
    );
  }
});

// The lines of the file there and here (none without the option), and what is found.
const [FIRST, OLDER] = SEAL_KEY_LINES;
const FOREIGN = `foreign:${"13579bdf02468ace".repeat(4)}`;
const NAMESAKE = FOREIGN.replace("foreign", FIRST.split(":")[0]!);
const SEALING: readonly (readonly [readonly string[], readonly string[], string])[] = [
  [[FIRST], [FIRST, OLDER], "same"],
  [[OLDER], [FIRST, OLDER], "here a seal of the first key, there a seal of an older key"],
  [[FOREIGN], [FIRST, OLDER], "here a seal of the first key, there a seal of another key"],
  [[NAMESAKE], [FIRST, OLDER], "here a seal of the first key, there a seal of another key"],
  [[OLDER], [FIRST], "here a seal of the first key, there a seal of another key"],
  [[], [FIRST], "here a seal of the first key, there no seal"],
  [[FIRST], [], "here no seal, there a seal of another key"],
];

Deno.test("seal keys are compared, and leaving them out is never advised", async () => {
  await withFolder(async (folder) => {
    const optionOf = async (name: string, lines: readonly string[]): Promise<readonly string[]> => {
      if (lines.length === 0) return [];
      await Deno.writeTextFile(`${folder}/${name}`, `${lines.join("\n")}\n`);
      return ["--seal-keys-file", `${folder}/${name}`];
    };
    for (const [there, here, found] of SEALING) {
      const outcome = await compared(
        { args: await optionOf("there", there) },
        await optionOf("here", here),
      );
      if (found === "same") {
        assertSame(outcome);
        continue;
      }
      const { code, stdout } = outcome;
      assertEquals(code, 1);
      assertHas(stdout, `\nDifferent: the seal of a secret: ${found}.\n`);
      assertHas(stdout, "\nGive both the same --seal-keys-file, and take each step ");
      assert(!stdout.includes("no --seal-keys-file"), stdout);
    }
  });
});

Deno.test("a reply to the question about seals without a seal is named as such", async () => {
  // A limiter that has no Retry-After, a proxy for WebSocket, an error page, a seal of something else.
  const replies = [
    { status: 403, type: "text/html", text: "<h1>Forbidden</h1>" },
    { status: 400, type: "", text: "" },
    { status: 404, type: "text/html", text: "<center>nginx</center>" },
    { status: 200, type: "application/json", text: '{"d":"eyJhbGciOiJkaXIi"}' },
    { status: 200, type: "application/json", text: '{"d":"secret"}' },
  ];
  const options = [[], ["--seal-keys-file", SEAL_KEYS_FILE]];
  for (
    const [reply, args] of replies.flatMap((reply) => options.map((args) => [reply, args] as const))
  ) {
    const { code, stdout } = await compared({
      args,
      lie: (call, truth) => call.target === "/seal" ? reply : truth,
    });
    assertEquals(code, 1);
    assert(
      /^Different: the seal of a secret: here .*, there no answer to this question: /m.test(stdout),
      stdout,
    );
    assert(!/^Option: |seal-keys-file/m.test(stdout), stdout);
  }
});

// What answers /seal on the original's stack: ASP.NET, IIS in short and in detail, Mono.
const NO_SUCH_PATHS = [
  "<h2> <i>The resource cannot be found.</i> </h2>",
  "<h3>The resource you are looking for might have been removed, had its name changed, or is " +
  "temporarily unavailable.</h3>",
  "<h3>The resource you are looking for has been removed, had its name changed, or is temporarily " +
  "unavailable.</h3>",
  "<p>HTTP 404.The resource you are looking for (or one of its dependencies) could have been " +
  "removed, had its name changed, or is temporarily unavailable.</p>",
];

Deno.test("a 404 of the original's stack for a seal is no seal", async () => {
  for (const text of NO_SUCH_PATHS) {
    assertSame(
      await compared({
        lie: (call, truth) =>
          call.target === "/seal" ? { status: 404, type: "text/html", text } : truth,
      }),
    );
  }
});

Deno.test("a site that knows no path is no such service, although it does not seal either", async () => {
  const { code, stderr } = await compared(
    {
      handler: () => ({ status: 404, type: "text/html", text: NO_SUCH_PATHS[0]! }),
    },
    [],
    (server) => assertEquals(server.calls.length, 8),
  );
  assertEquals(code, 1);
  assert(stderr.endsWith(" does not answer as such a service: 404 text/html.\n"), stderr);
});

Deno.test("a seal of another text than the one that was sent, or with another status, is no answer", async () => {
  const text = JSON.stringify({ d: await sealByJose("another secret") });
  for (const lie of [{ text }, { status: 202 }]) {
    const { code, stdout } = await compared({
      args: ["--seal-keys-file", SEAL_KEYS_FILE],
      lie: (call, truth) => call.target === "/seal" ? { ...truth, ...lie } : truth,
    });
    assertEquals(code, 1);
    assert(/there no answer to this question: 20\d application\/json\./.test(stdout), stdout);
  }
});

Deno.test("a limiter ends the comparison with a sentence about it, after what was found", async () => {
  const limits = [{ status: 429, headers: {} }, { status: 503, headers: { "retry-after": "9" } }];
  for (const limit of limits) {
    let count = 0;
    const { code, stdout, stderr } = await compared({
      args: ["--html", "image"],
      lie: (_call, reply) => ++count > 30 ? { ...reply, ...limit } : reply,
    }, []);
    assertEquals(code, 1);
    assertHas(stdout, "\nRight pins: ");
    assertHas(stdout, "\nOption: it has --html image, and not --html svg: the form of Html.\n");
    assertHas(stdout, "\n31 requests. ");
    assert(!/answers are the same|Start Authenticator/.test(stdout), stdout);
    assertHas(stderr, `limits requests (status ${limit.status}): let 60 requests `);
  }
});

Deno.test("a status 503 that says no time to retry ends nothing", async () => {
  const { stdout } = await compared({
    lie: ({ target }, reply) => target === "/seal" ? { ...reply, status: 503 } : reply,
  });
  assertHas(stdout, "there no answer to this question: 503 ");
});

Deno.test("what was found before the third lost answer is reported", async () => {
  let count = 0;
  const { code, stdout, stderr } = await compared({
    args: ["--html", "image"],
    lie: (_call, reply) => ({ ...reply, text: ++count > 30 ? LONG : reply.text }),
  }, []);
  assertEquals(code, 1);
  assertHas(stdout, "\nOption: it has --html image, and not --html svg: the form of Html.\n");
  assert(stderr.endsWith("sends more than 512 KiB.\n"), stderr);
});

Deno.test("two servers that answer by turns are found, and no option is advised", async () => {
  const others = [["--digits", "8"], ["--window", "10"], ["--html", "image"], [
    "--namespace",
    "urn:pins/",
  ]];
  for (const args of others) {
    await using other = startCompared({ args });
    let count = 0;
    const { code, stdout } = await compared({
      lie: async ({ target, method, headers, body }, reply) => {
        if (count++ % 2 === 0) return reply;
        const answer = await fetch(other.url + target, {
          method,
          headers,
          ...(method === "POST" && { body }),
        });
        const type = answer.headers.get("content-type") ?? "";
        return { status: answer.status, type, text: await answer.text() };
      },
    }, []);
    assertEquals(code, 1);
    assertHas(stdout, "\nIt gives different answers at different times: several servers?\n");
    assert(!stdout.includes("Start Authenticator"), stdout);
  }
});

const LONG = "a".repeat(524_289);

Deno.test("a doubtful question is asked twice again, and one without an answer is not", async () => {
  for (const spoilt of [{ status: 202 }, { text: LONG }]) {
    let asked = 0;
    const { stdout } = await compared({
      lie: ({ args }, reply) =>
        // The first time, the same server may answer.
        args.get("pin") === "abcdef" && ++asked < 3 ? { ...reply, ...spoilt } : reply,
    });
    assertHas(stdout, "\nDifferent: letters for a pin: ");
    const said = "\nIt gives different answers at different times: several servers?\n";
    assertEquals([stdout.includes(said), asked], "status" in spoilt ? [true, 3] : [false, 2]);
  }
});

// The reply, the sentence after the URL, and how often it is asked.
const NO_SERVICE: readonly (readonly [string, string, number])[] = [
  [
    "HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\n<p>",
    "does not answer as such a service: 404 without a type",
    8,
  ],
  [
    "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
    "does not answer as such a service: 400, empty",
    8,
  ],
  [
    "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 3\r\n\r\n<p>",
    "does not answer as such a service: 404 text/html",
    8,
  ],
  [
    "HTTP/1.1 200 OK\r\nContent-Type: text/\u009B31mhtml\r\nContent-Length: 3\r\n\r\n<p>",
    "does not answer as such a service: ",
    8,
  ],
  [
    "HTTP/1.1 301 Moved\r\nLocation: https://a.example/\u009B31mpath?b=canary\r\nContent-Length: 0\r\n\r\n",
    "redirects to https://a.example/",
    1,
  ],
  [
    `HTTP/1.1 200 OK\r\nContent-Length: ${LONG.length}\r\n\r\n${LONG}`,
    "sends more than 512 KiB",
    3,
  ],
  ["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", "", 3],
  ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf", "", 3],
  ["220 mail.example ESMTP\r\n", "does not answer as HTTP", 3],
];

Deno.test("what is not such a service is one sentence and exits with 1", async () => {
  for (const [reply, sentence, requests] of NO_SERVICE) {
    await using server = startRaw((write) => write(reply));
    const { code, stdout, stderr } = await runCommand(["compare", server.url]);
    assertEquals(code, 1, stderr);
    assert(!stdout.includes("\nDifferent: "), stdout);
    assertHas(stderr, `authenticator: error: ${server.url} ${sentence}`);
    assert(/^\P{C}+\n$/u.test(stderr), JSON.stringify(stderr));
    assert(!stderr.includes("canary"), stderr);
    assertEquals(server.connections(), requests, stderr);
  }
  const { code, stderr } = await runCommand(["compare", `http://127.0.0.1:${freePort()}`]);
  assertEquals(code, 1);
  assert(/ cannot be reached: nothing listens there\.\n$/.test(stderr), stderr);
});

/** Compares a server whose answers take too long, and returns the error. */
async function slowError(url: string): Promise<string> {
  const options = { sendKey: false, ca: undefined };
  const parts = { timeoutMs: 100 };
  const error = await assertRejects(
    () => compare(configOf([]), url, options, () => {}, parts),
    CommandError,
  );
  return error.message;
}

Deno.test("an answer that does not come in time, or not to its end, is one of three failures", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await using server = startCompared({ lie: async (_call, reply) => (await promise, reply) });
  assertEquals(await slowError(server.url), `${server.url} does not answer within 0.1 seconds`);
  assertEquals(server.calls.length, 3);
  resolve();
  let asked = 0;
  const never = (): ReadableStream =>
    new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode("<")) });
  await using endless = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => {
    asked++;
    return new Response(never());
  });
  const url = `http://127.0.0.1:${endless.addr.port}`;
  assertEquals(await slowError(url), `${url} does not answer within 0.1 seconds`);
  assertEquals(asked, 3);
});
