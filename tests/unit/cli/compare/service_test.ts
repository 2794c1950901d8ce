import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { compare } from "../../../../lib/cli/compare/compare.ts";
import { configOf, runCommand } from "../../../support/command.ts";
import { RemoteService } from "../../../../lib/cli/compare/remote.ts";
import { NoReplyError } from "../../../../lib/cli/http_reply.ts";
import { CommandError } from "../../../../lib/cli/io/io.ts";
import { type ComparedServer, startCompared } from "../../../support/compared_server.ts";
import { withFolder } from "../../../support/folder.ts";
import { freePort } from "../../../support/free_port.ts";
import { startRaw } from "../../../support/raw_server.ts";
import { assertHas, assertSame, compared } from "./compared.ts";

// The self-check of the last server here may outlive a test.
Deno.test.sanitizer({ ops: false });

const KEY = "compare-canary-key-0123456789";

Deno.test("compare sends sixty requests at most", async () => {
  await using server = startCompared();
  const parts = { timeoutMs: 10_000, now: Date.now, sleep: () => Promise.resolve() };
  const remote = new RemoteService(server.url, undefined, [], parts);
  const ask = (): Promise<unknown> => remote.ask({ method: "GET", path: "/", headers: {} });
  const outcomes: unknown[] = [];
  for (let i = 0; i < 61; i++) outcomes.push(await ask().catch((error) => error));
  assertEquals(server.calls.length, 60);
  assert(outcomes.at(-1) instanceof NoReplyError);
});

Deno.test("compare sends new secrets alone, and only what its first line announces", async () => {
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

Deno.test("compare sends its requests below the path of the URL", async () => {
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

Deno.test("compare sends no X-Forwarded-Host with --trust-proxy, because a proxy may hide it", async () => {
  for (const args of [[], ["--trust-proxy"]]) {
    await compared({ args }, args, ({ calls }) => {
      const forwarded = calls.filter(({ headers }) => headers.has("x-forwarded-host"));
      assertEquals(forwarded.length, args.length === 0 ? 1 : 0);
    });
  }
});

Deno.test("a limiter ends the comparison with a sentence about it, after what was found", async () => {
  const limits = [{ status: 429, headers: {} }, { status: 503, headers: { "retry-after": "9" } }];
  for (const limit of limits) {
    let count = 0;
    const { code, stdout, stderr } = await compared({
      args: ["--html", "image"],
      lie: (_call, reply) => ++count > 34 ? { ...reply, ...limit } : reply,
    }, []);
    assertEquals(code, 1);
    // What was asked of the last group, too.
    assertHas(stdout, "\nWrong pins: 4 same\n");
    assertHas(stdout, "\nOption: it has --html image, and not --html svg: the form of Html.\n");
    assertHas(stdout, "\n35 requests. ");
    assert(!/answers are the same|Start Authenticator/.test(stdout), stdout);
    assertHas(stderr, `limits requests (status ${limit.status}): let 60 requests `);
  }
});

Deno.test("compare goes on after a status 503 without Retry-After", async () => {
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

Deno.test("a request with a different reply is repeated twice, and one without a reply is not", async () => {
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
  // Of five such requests, three are repeated.
  let asked = 0;
  await compared({
    lie: ({ form }, reply) => {
      if (form !== "SOAP 1.1") return reply;
      asked++;
      return { ...reply, status: 202 };
    },
  });
  assertEquals(asked, 5 + 2 * 3);
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

Deno.test("a server of another kind is one sentence and exits with 1", async () => {
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
  const parts = { timeoutMs: 500 };
  const error = await assertRejects(
    () => compare(configOf([]), url, options, () => {}, parts),
    CommandError,
  );
  return error.message;
}

Deno.test("an answer that does not come in time, or not to its end, is one of three failures", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await using server = startCompared({ lie: async (_call, reply) => (await promise, reply) });
  assertEquals(await slowError(server.url), `${server.url} does not answer within 0.5 seconds`);
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
  assertEquals(await slowError(url), `${url} does not answer within 0.5 seconds`);
  assertEquals(asked, 3);
});
