import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { freePort } from "../../support/free_port.ts";
import { startProgram, stop } from "../../support/program.ts";
import { referenceHotp } from "../../support/reference_totp.ts";
import type { ServerStatus } from "../../../lib/telemetry/status.ts";
import { callCommand, runCommand } from "../../support/command.ts";
import { SEAL_KEY_LINES, SEAL_KEYS_FILE, sealByJose } from "../../support/seal_keys.ts";
import { withFolder } from "../../support/folder.ts";

const SECRET = "canary bättery staple";

/** Runs a command of the program with a secret on standard input. */
async function guard(
  args: readonly string[],
  input = `${SECRET}\n`,
): Promise<readonly [number, string, string]> {
  const { code, stdout, stderr } = await runCommand(["guard", ...args], { stdin: input });
  assert(!(stdout + stderr).includes("canary"), stdout + stderr);
  return [code, stdout, stderr];
}

/** The output of doctor for a pin. */
async function doctor(pin: string, args: readonly string[]): Promise<string> {
  const { stdout } = await runCommand(["doctor", ...args], { stdin: `${pin}\n${SECRET}\n` });
  assert(!stdout.includes("canary"), stdout);
  return stdout;
}

/** Runs status, whose exit code is that of the server's health. */
async function status(args: readonly string[]): Promise<readonly [number, string, string]> {
  const { code, stdout, stderr } = await runCommand(["status", ...args]);
  return [code, stdout, stderr];
}

Deno.test("status, guard name and guard unlock call a server on its operator port", async () => {
  const way = ["--metrics-port", String(freePort())];
  const program = await startProgram(["--port", "0", "--max-failures", "1", ...way]);
  const check = async (pin: string): Promise<string> => {
    const query = new URLSearchParams({ Pin: pin, SecretCode: SECRET });
    return await (await fetch(`${program.url}/Validate.aspx?${query}`)).text();
  };
  const rightPin = (): string => referenceHotp(SECRET, Math.floor(Date.now() / 30_000));
  try {
    const [mistyped, nothing] = await guard(["unlock", ...way]);
    assertEquals([mistyped, nothing.startsWith("nothing was remembered of this secret, ")], [
      0,
      true,
    ]);
    const [, , elsewhere] = await status(["--metrics-port", new URL(program.url).port]);
    assert(elsewhere.includes("is no operator port"), elsewhere);
    assertEquals([await check("wrong"), await check(rightPin())], ["False", "False"]);
    const [code, name] = await guard(["name", ...way]);
    assertEquals(code, 0);
    assertMatch(name, /^[\w-]{10}\n$/);
    const table = await runCommand(["guard", "name", "--csv", ...way], { stdin: `7,${SECRET}\n` });
    assertEquals([table.code, table.stdout], [0, `"${name.trim()}","7"\n`]);
    const [health, stands] = await status(way);
    assertEquals([health, stands.replace(/^version: .*\n/m, "").split("\n")], [0, [
      "server: healthy",
      `address: ${program.url}`,
      "protections: API keys off, single use off, wrong pins up to 1, window 1, TLS off, callers of " +
      "this machine",
      "certificate: none",
      "API keys: none is needed",
      "seal keys: none",
      "secrets checked: 2 plain, 0 sealed, 0 sealed with an older key",
      "last reload: none",
      "guard: memory",
      "secrets remembered: 1",
      "secrets whose pins are refused now: 1",
      "",
    ]]);
    const doctorOutput = await doctor(rightPin(), way);
    const line = `\nThe log of the server calls this secret secret=${name.trim()}.\n`;
    assert(doctorOutput.endsWith(line), doctorOutput);
    const [, unlocked] = await guard(["unlock", ...way]);
    assertEquals(unlocked, `pins for secret=${name.trim()} are checked again\n`);
    assertEquals(await check(rightPin()), "True");
    const page = await (await fetch(`http://127.0.0.1:${way[1]}/metrics`)).text();
    assert(page.includes("\nauthenticator_guard_wrong_pins_total 1\n"), page);
    assert(!page.includes(name.trim()), "the name of a secret is no label");
    program.signal("SIGTERM");
    const { stderr } = await program.outcome;
    const named = stderr.split("\n").filter((line) => line.includes(` secret=${name.trim()} `));
    const events = named.map((line) => / route=guard\/(\w+)| outcome=(\w+)/.exec(line)!);
    assertEquals(events.map(([, unlock, outcome]) => unlock ?? outcome), [
      "unlock",
      "false",
      "throttled",
      "unlock",
    ]);
    assert(!stderr.includes("canary"), stderr);
  } finally {
    await stop(program);
  }
});

Deno.test("guard commands send a key of the file when the server requires one", async () => {
  await withFolder(async (folder) => {
    const keys = ["--api-keys-file", `${folder}/keys`];
    await Deno.writeTextFile(`${folder}/keys`, "web:0123456789abcdef\n");
    const way = ["--metrics-port", String(freePort())];
    const program = await startProgram(["--port", "0", ...way, ...keys]);
    try {
      assertEquals((await guard(["name", ...way, ...keys]))[0], 0);
      const [code, stdout, stderr] = await guard(["name", ...way]);
      assertEquals([code, stdout], [1, ""]);
      assert(stderr.includes("wants an API key: give its --api-keys-file"), stderr);
      const stands = await status([...way, ...keys]);
      assert(stands[1].includes("\nAPI keys: 1 key: web\n"), stands[1]);
      await Deno.writeTextFile(`${folder}/others`, "web:fedcba9876543210\n");
      const others = await guard(["unlock", ...way, "--api-keys-file", `${folder}/others`]);
      assert(others[2].includes("does not have the first key of --api-keys-file"), others[2]);
      for (const path of ["healthz", "metrics"]) {
        const reply = await fetch(`http://127.0.0.1:${way[1]}/${path}`);
        await reply.body?.cancel();
        assertEquals(reply.status, 200, path);
      }
    } finally {
      await stop(program);
    }
  });
});

Deno.test("guard unlock and guard name open a sealed secret before they call the server", async () => {
  const way = ["--metrics-port", String(freePort())];
  const keys = ["--seal-keys-file", SEAL_KEYS_FILE];
  // The server has no keys, and refuses seals in any case.
  const program = await startProgram(["--port", "0", "--max-failures", "1", ...way]);
  try {
    const query = new URLSearchParams({ Pin: "wrong", SecretCode: SECRET });
    assertEquals(await (await fetch(`${program.url}/Validate.aspx?${query}`)).text(), "False");
    const sealed = `${await sealByJose(SECRET, SEAL_KEY_LINES[1])}\n`;
    const [, name] = await guard(["name", ...way]);
    assertEquals(await guard(["name", ...way, ...keys], sealed), [0, name, ""]);
    assertEquals(await guard(["unlock", ...way, ...keys], sealed), [
      0,
      `pins for secret=${name.trim()} are checked again\n`,
      "",
    ]);
    assertEquals(await guard(["unlock", ...way], sealed), [
      1,
      "",
      "authenticator: error: the secret is sealed, and --seal-keys-file is not given; run the " +
      "command with authenticator-as-service, or type the secret itself.\n",
    ]);
  } finally {
    await stop(program);
  }
});

Deno.test("a reply that is no server's is a sentence, and nothing of it is printed", async () => {
  const replies = [
    "",
    "<h1>hello</h1>",
    "null",
    "[]",
    '"healthy"',
    "{}",
    '{"name":"\\u001b[31mred","remembered":true}',
    '{"name":1,"remembered":true}',
    `{"name":"${"a".repeat(100_000)}","remembered":true}`,
    '{"problems":[],"version":"1","since":"now","store":"memory","guard":{"entries":"x"}}',
  ];
  for (const reply of replies) {
    await using server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      () => new Response(reply),
    );
    const way = ["--metrics-port", String(server.addr.port)];
    const stderr = `authenticator: error: what answers at 127.0.0.1:${server.addr.port} is no ` +
      "operator port of this version of Authenticator: another program may have taken the port of " +
      "a server that is down.\n";
    for (const command of ["status", "guard name", "guard unlock"]) {
      const outcome = await callCommand([...command.split(" "), ...way], { stdin: SECRET });
      assertEquals([outcome.code, outcome.stdout, outcome.stderr], [1, "", stderr], reply);
    }
  }
});

const NOBODY = ["--metrics-port", String(freePort())];
const NO_SERVER = `no server answers at 127.0.0.1:${NOBODY[1]}: start it with --metrics-port`;

const MISTAKES: readonly (readonly [readonly string[], number, string])[] = [
  [["unlock", ...NOBODY], 1, NO_SERVER],
  [["name", ...NOBODY], 1, NO_SERVER],
  [["unlock", "--guard", "redis://127.0.0.1:9"], 2, "give --guard-key-file: it names the secrets"],
  // The file is read before the server is asked.
  [["unlock", ...NOBODY, "--guard-key-file", "none"], 2, "--guard-key-file cannot be read"],
  // Port 0 is any port.
  [["name", "--metrics-host", "127.0.0.2", "--metrics-port", "0"], 1, "at 127.0.0.2:9101: start"],
];

Deno.test("status fails with 1 where no server answers", async () => {
  const [code, stdout, stderr] = await status(NOBODY);
  assertEquals([code, stdout], [1, ""]);
  assert(stderr.includes(NO_SERVER), stderr);
});

for (const [args, expected, expectedMessage] of MISTAKES) {
  Deno.test(`guard ${args[0]} ${args[1]} fails with ${expected}`, async () => {
    const [code, stdout, stderr] = await guard(args);
    assertEquals([code, stdout], [expected, ""]);
    assert(stderr.includes(expectedMessage), stderr);
  });
}

Deno.test("status prints a line for each part of what a server answers", async () => {
  const shown: Required<ServerStatus> = {
    problems: ["one", "other"],
    version: "1.2.3",
    since: "2026-01-31T12:00:00.000Z",
    address: "https://a.example",
    protections: ["TLS on", "window 1"],
    certificateUntil: "2126-10-27T10:23:28.000Z",
    keys: ["web", null],
    sealKeys: ["new", "old"],
    secrets: { plain: 3, sealed: 4, "older-key": 5 },
    reload: { at: "2026-02-01T00:00:00.000Z", lines: ["a", "b"] },
    store: "memory",
    guardKey: "k12345678",
    guard: { entries: 6, throttled: 7 },
  };
  let reply: object = shown;
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => Response.json(reply),
  );
  const way = ["--metrics-port", String(server.addr.port)];
  const [code, stdout] = await status(way);
  assertEquals([code, stdout.split("\n")], [1, [
    "server: one; other",
    "version: 1.2.3, since 2026-01-31T12:00:00.000Z",
    "address: https://a.example",
    "protections: TLS on, window 1",
    "certificate: until 2126-10-27T10:23:28.000Z",
    "API keys: 2 keys: web, 1 without a name",
    "seal keys: new, old",
    "secrets checked: 3 plain, 4 sealed, 5 sealed with an older key",
    "last reload: 2026-02-01T00:00:00.000Z, a; b",
    "guard: memory, key k12345678",
    "secrets remembered: 6",
    "secrets whose pins are refused now: 7",
    "",
  ]]);
  // A part of another type is no server's, nor is a reply without a part that each server has.
  const optional = ["address", "certificateUntil", "keys", "sealKeys", "secrets", "reload"];
  for (const name of Object.keys(shown)) {
    for (const value of [5, undefined]) {
      reply = { ...shown, [name]: value };
      const isRefused = (await status(way))[2].includes("is no operator port of this version");
      const mayMiss = [...optional, "guardKey", "guard"].includes(name);
      assertEquals(isRefused, value !== undefined || !mayMiss, `${name}: ${value}`);
    }
  }
});

Deno.test("status prints the reply of another program at the port without control characters", async () => {
  const canary = "\x1b]0;title\x07\nserver: healthy\u202E";
  const lie = {
    problems: [],
    version: canary,
    since: "x".repeat(10_000),
    address: canary,
    protections: [canary],
    store: "",
  };
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => Response.json(lie),
  );
  const [, stdout] = await status(["--metrics-port", String(server.addr.port)]);
  assert(!/[^\P{C}\n]/u.test(stdout), JSON.stringify(stdout));
  assertEquals(stdout.match(/^server: /gm)!.length, 1);
  assert(stdout.length < 10_000);
});

Deno.test("the text of a server's error ends the sentence of a command, in one line", async () => {
  for (const [said, shown] of [["\r\n Not  now.\r\n", ": Not  now"], [" \n", ""]] as const) {
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      () => new Response(said, { status: 500 }),
    );
    const port = String(server.addr.port);
    const [, , stderr] = await status(["--metrics-port", port]);
    const place = `127.0.0.1:${port}`;
    assertEquals(
      stderr,
      `authenticator: error: the server at ${place} answers with status 500${shown}.\n`,
    );
  }
});

Deno.test("no command prints the key or the secret that another program at the port sends back", async () => {
  const key = "canary-operator-key-0123456789";
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/keys`, `${key}\n`);
    for (const code of [200, 403]) {
      await using server = Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen: () => {} },
        async (request) => {
          const said = `\x1b[31m ${request.headers.get("x-api-key")} ${await request.text()}`;
          const shown = { problems: [said], protections: [], version: "1", since: "", store: "" };
          const lie = { ...shown, name: "abcdefghij" };
          return code === 200 ? Response.json(lie) : new Response(said, { status: code });
        },
      );
      const way = ["--metrics-port", String(server.addr.port), "--api-keys-file", `${folder}/keys`];
      const [, ...texts] = [...await status(way), ...await guard(["unlock", ...way])];
      const text = texts.join("");
      assert(/…/.test(text), text);
      assert(!/canary|operator-key|[^\P{C}\n]/u.test(text), text);
    }
  });
});

Deno.test("no command prints a key or a secret that comes back with escapes of JSON", async () => {
  const key = "canary-operator-key-0123456789";
  const secret = "canary-secret-of-a-person";
  const escaped = (text: string): string =>
    text.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/keys`, `${key}\n`);
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      async (request) => {
        const [shown, sent] = [request.headers.get("x-api-key")!, await request.text()].map(
          escaped,
        );
        return new Response(
          `{"problems":[],"version":"${shown}","since":"","store":"","name":"${sent || shown}",` +
            '"remembered":true}',
        );
      },
    );
    const way = ["--metrics-port", String(server.addr.port), "--api-keys-file", `${folder}/keys`];
    for (const command of ["status", "guard name", "guard unlock"]) {
      const { stdout, stderr } = await callCommand([...command.split(" "), ...way], {
        stdin: secret,
      });
      assert(!`${stdout}${stderr}`.includes("canary"), `${stdout}${stderr}`);
    }
  });
});

Deno.test("status without an operator port names the option that opens one", async () => {
  // A server on this machine may have the usual address.
  const [code, stdout, stderr] = await status(["--metrics-host", "127.0.0.2"]);
  assertEquals([code, stdout, stderr], [
    2,
    "",
    "authenticator: error: there is no operator port at 127.0.0.2:9101: start the server with " +
    "--metrics-port 9101, or give the port that it has. Try --help.\n",
  ]);
});

Deno.test("a server that cannot start logs the reason in the format of its log", async () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const port = ["--port", String(taken.addr.port)];
  const expectedMessage =
    `cannot listen on 127.0.0.1, port ${port[1]}: it is in use by another program ` +
    "(stop it, or choose another)";
  const text = await runCommand(["serve", ...port]);
  assertEquals([text.code, text.stderr.replace(/^\S+Z /, "")], [1, `error ${expectedMessage}\n`]);
  const noVariable =
    "AUTHENTICATOR_API_KEY_FILE is set, but there is no such variable; did you mean " +
    "AUTHENTICATOR_API_KEYS_FILE?";
  const mistyped = { AUTHENTICATOR_API_KEY_FILE: "keys" };
  for (
    const [args, code, message, more] of [
      [["serve", ...port, "--log-format", "json"], 1, expectedMessage, {}],
      [
        ["serve", "--port", "x", "--log-format=json"],
        2,
        "--port must be a whole number from 0 to 65535",
        {},
      ],
      [["serve", "--port", "x"], 2, "--port must be a whole number from 0 to 65535", {}],
      [["serve", ...port], 2, noVariable, mistyped],
    ] as const
  ) {
    const json = await runCommand(args, { env: { AUTHENTICATOR_LOG_FORMAT: "json", ...more } });
    const { time, ...line } = JSON.parse(json.stderr);
    assertEquals([json.code, new Date(time).toISOString(), line], [code, time, {
      level: "error",
      message,
    }]);
  }
  await withFolder(async (folder) => {
    const path = `${folder}/options`;
    await Deno.writeTextFile(path, "AUTHENTICATOR_LOG_FORMAT=json\nAUTHENTICATOR_PORT=x\n");
    for (const args of [["--config", path], [`--config=${path}`]]) {
      assertEquals(JSON.parse((await runCommand(args)).stderr).level, "error");
    }
    await Deno.writeTextFile(path, "AUTHENTICATOR_LOG_FORMAT=json\nAUTHENTICATOR_PROT=1\n");
    const unread = await runCommand(["--config", path]);
    assert(unread.stderr.includes(" error line 2 of the file of --config"), unread.stderr);
  });
});
