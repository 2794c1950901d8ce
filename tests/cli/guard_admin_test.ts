/**
 * The commands about the guard before a server that this test plays: what they ask over the admin
 * socket, and what they make of its answers.
 *
 * @module
 */

import { EventEmitter } from "node:events";
import http from "node:http";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { AdminError } from "../../lib/app/admin_client.ts";
import { guardName, guardStatus, guardUnlock } from "../../lib/cli/guard.ts";
import type { Config } from "../../lib/config/config.ts";
import { CommandError } from "../../lib/terminal/io.ts";
import { runToEnd } from "../support/child.ts";
import { configOf, streamOf, withFolder, withProcess } from "./command.ts";

const SECRET = "canary battery staple";

type Command = (config: Config, print: (line: string) => void) => Promise<number>;

/** What a server says: a status and pieces of a text; or where it breaks off, or the code of why
 * nobody answers. */
type Answer = readonly [status: number, ...pieces: string[]] | "no answer" | `E${string}`;

/** What was asked, and what the command printed. */
interface Played {
  readonly asked: readonly Readonly<Record<string, unknown>>[];
  readonly printed: readonly string[];
}

// By another process, since a test may not listen on one. Nobody does any more.
async function leaveSocket(path: string): Promise<void> {
  const script = `Deno.listen({ transport: "unix", path: ${JSON.stringify(path)} }); Deno.exit();`;
  assertEquals((await runToEnd([Deno.execPath(), "eval", script])).stderr, "");
}

async function play(command: Command, answer: Answer): Promise<Played> {
  let played: Played | undefined;
  await withFolder(async (folder) => {
    await leaveSocket(`${folder}/admin`);
    played = await playAt(`${folder}/admin`, command, answer);
  });
  return played!;
}

async function playAt(path: string, command: Command, answer: Answer): Promise<Played> {
  const asked: Record<string, unknown>[] = [];
  const printed: string[] = [];
  const request = (options: Record<string, unknown>): EventEmitter => {
    const { signal, socketPath, ...rest } = options;
    const events = new EventEmitter();
    const end = (body?: string): void => {
      asked.push({ ...rest, body, hasDeadline: signal instanceof AbortSignal });
      assertEquals(socketPath, path);
      queueMicrotask(() => respond(events, answer));
    };
    return Object.assign(events, { end, destroy: () => {} });
  };
  const before = http.request;
  Object.assign(http, { request });
  try {
    const stdin = streamOf([`${SECRET}\n`]);
    const print = (line: string): void => void printed.push(line);
    const config = configOf(["--admin-socket", path]);
    // A test may not ask who runs it.
    const getuid = (): number => Deno.lstatSync(path).uid!;
    assertEquals(await withProcess({ stdin, getuid }, () => command(config, print)), 0);
  } finally {
    Object.assign(http, { request: before });
  }
  return { asked, printed };
}

function respond(request: EventEmitter, answer: Answer): void {
  const failure = new Error("canary");
  if (typeof answer === "string" && answer !== "no answer") {
    return void request.emit("error", Object.assign(failure, { code: answer }));
  }
  const response = Object.assign(new EventEmitter(), {
    statusCode: answer === "no answer" ? 200 : answer[0],
    setEncoding: (encoding: string) => {
      assertEquals(encoding, "utf8");
      return response;
    },
  });
  request.emit("response", response);
  if (answer === "no answer") return void response.emit("error", failure);
  for (const piece of answer.slice(1)) response.emit("data", piece);
  response.emit("end");
}

const COMMON = {
  headers: { host: "localhost", connection: "close" },
  hasDeadline: true,
};
const NAME = { ...COMMON, path: "/name", method: "POST", body: SECRET };
const UNLOCK = { ...COMMON, path: "/unlock", method: "POST", body: SECRET };
const STATUS = { ...COMMON, path: "/status", method: "GET", body: undefined };
const TOP = [{ secret: "abcdefghi-", pins: 3 }, { secret: "012345678_", pins: 1 }];
const FIGURES = { attackedSecrets: 5, throttledSecrets: 4, top: TOP };

// What is told to do what, what the server says, what it is asked, and what is printed.
const ROWS: readonly (readonly [Command, Answer, Record<string, unknown>, readonly string[]])[] = [
  [guardName, [200, '{"name"', ':"abcdefghi-"}'], NAME, ["abcdefghi-"]],
  [guardUnlock, [200, '{"name":"abcdefghi-","wasKept":true}'], UNLOCK, [
    "pins for secret=abcdefghi- are checked again, by every server within a second",
  ]],
  [guardUnlock, [200, '{"name":"abcdefghi-","wasKept":false}'], UNLOCK, [
    "nothing was remembered about secret=abcdefghi-",
  ]],
  [guardStatus, [200, JSON.stringify({ entries: 9, ...FIGURES })], STATUS, [
    "secrets remembered: 9",
    "secrets with wrong or refused pins in the last minutes: 5",
    "secrets with refused pins in the last minutes: 4",
    "secret=abcdefghi- pins=3",
    "secret=012345678_ pins=1",
  ]],
  // Where a store remembers, the server itself remembers nothing.
  [guardStatus, [200, JSON.stringify({ ...FIGURES, top: [] })], STATUS, [
    "secrets remembered: 0",
    "secrets with wrong or refused pins in the last minutes: 5",
    "secrets with refused pins in the last minutes: 4",
  ]],
];

for (const [command, answer, asked, printed] of ROWS) {
  Deno.test(`${command.name}() asks the server, and prints: ${printed[0]}`, async () => {
    assertEquals(await play(command, answer), { asked: [asked], printed });
  });
}

Deno.test("guardName() says why a server does not answer, in words of its own", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/admin`;
    await leaveSocket(path);
    const said = async (answer: Answer): Promise<string> =>
      (await assertRejects(() => playAt(path, guardName, answer), AdminError)).message;
    const place = "the socket of --admin-socket";
    assertEquals(await said("ECONNREFUSED"), `no server listens at ${place}`);
    assertEquals(await said("EACCES"), `this user may not use ${place}`);
    assertEquals(
      await said([409, "it checks every pin ", "and refuses none"]),
      "the server says that it checks every pin and refuses none",
    );
    const others: Answer[] = [
      "no answer",
      "ECANARY",
      [404, "Not found."],
      [400, "canary"],
      [409, "the secret is empty or malformed"],
      [404, '{"name":"0123456789"}'],
      [200, "ok"],
      [200, "null"],
      [200, "[]"],
      [200, '{"name":"012345678"}'],
      [200, '{"name":["0123456789"]}'],
      [200, '{"name":"0123456789"}', " ".repeat(20_000)],
    ];
    const other = `what answers at ${place} is no admin socket of a server`;
    for (const answer of others) assertEquals(await said(answer), other, String(answer));
  });
});

Deno.test("guardName() names no secret that the service would not take", async () => {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/key`, "k".repeat(32));
    for (const [stdin, ...args] of [["\n"], ["canary!", "--secret-encoding", "base32"]] as const) {
      const config = configOf(["--guard-key-file", `${folder}/key`, ...args]);
      const name = (): Promise<number> =>
        withProcess({ stdin: streamOf([stdin]) }, () => guardName(config, () => {}));
      const { message } = await assertRejects(name, CommandError);
      assertEquals(message, "the secret is empty or malformed");
    }
  });
});
