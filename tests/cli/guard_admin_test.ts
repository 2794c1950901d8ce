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
import { guardName, guardStatus, guardUnlock } from "../../lib/cli/guard.ts";
import type { Config } from "../../lib/config/config.ts";
import { CommandError } from "../../lib/terminal/io.ts";
import { configOf, streamOf, withFolder, withProcess } from "./command.ts";

const SECRET = "canary battery staple";

type Command = (config: Config, print: (line: string) => void) => Promise<number>;

/** What a server says: a status and pieces of a text; or where it breaks off. */
type Answer = readonly [status: number, ...pieces: string[]] | "no request" | "no answer";

/** What was asked, and what the command printed. */
interface Played {
  readonly asked: readonly Readonly<Record<string, unknown>>[];
  readonly printed: readonly string[];
}

async function play(command: Command, answer: Answer): Promise<Played> {
  const asked: Record<string, unknown>[] = [];
  const printed: string[] = [];
  const request = (options: Record<string, unknown>): EventEmitter => {
    const { signal, ...rest } = options;
    const events = new EventEmitter();
    const end = (body?: string): void => {
      asked.push({ ...rest, body, hasDeadline: signal instanceof AbortSignal });
      queueMicrotask(() => respond(events, answer));
    };
    return Object.assign(events, { end });
  };
  const before = http.request;
  Object.assign(http, { request });
  try {
    const stdin = streamOf([`${SECRET}\n`]);
    const print = (line: string): void => void printed.push(line);
    const config = configOf(["--admin-socket", "/run/admin"]);
    assertEquals(await withProcess({ stdin }, () => command(config, print)), 0);
  } finally {
    Object.assign(http, { request: before });
  }
  return { asked, printed };
}

function respond(request: EventEmitter, answer: Answer): void {
  if (answer === "no request") return void request.emit("error", new Error("canary"));
  const response = Object.assign(new EventEmitter(), {
    statusCode: answer === "no answer" ? 200 : answer[0],
    setEncoding: (encoding: string) => {
      assertEquals(encoding, "utf8");
      return response;
    },
  });
  request.emit("response", response);
  if (answer === "no answer") return void response.emit("error", new Error("canary"));
  for (const piece of answer.slice(1)) response.emit("data", piece);
  response.emit("end");
}

const COMMON = {
  socketPath: "/run/admin",
  headers: { host: "localhost", connection: "close" },
  hasDeadline: true,
};
const NAME = { ...COMMON, path: "/name", method: "POST", body: SECRET };
const UNLOCK = { ...COMMON, path: "/unlock", method: "POST", body: SECRET };
const STATUS = { ...COMMON, path: "/status", method: "GET", body: undefined };
const TOP = [{ secret: "abc", pins: 3 }, { secret: "def", pins: 1 }];
const FIGURES = { attackedSecrets: 5, throttledSecrets: 4, top: TOP };

// What is told to do what, what the server says, what it is asked, and what is printed.
const ROWS: readonly (readonly [Command, Answer, Record<string, unknown>, readonly string[]])[] = [
  [guardName, [200, '{"name"', ':"abc"}'], NAME, ["abc"]],
  [guardUnlock, [200, '{"name":"abc","wasKept":true}'], UNLOCK, [
    "pins for secret=abc are checked again, by every server within a second",
  ]],
  [guardUnlock, [200, '{"name":"abc","wasKept":false}'], UNLOCK, [
    "nothing was remembered about secret=abc",
  ]],
  [guardStatus, [200, JSON.stringify({ entries: 9, ...FIGURES })], STATUS, [
    "secrets remembered: 9",
    "secrets with wrong or refused pins in the last minutes: 5",
    "secrets with refused pins in the last minutes: 4",
    "secret=abc pins=3",
    "secret=def pins=1",
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
  const said = async (answer: Answer): Promise<string> =>
    (await assertRejects(() => play(guardName, answer), CommandError)).message;
  const nobody = "no server answers this user at the socket of --admin-socket";
  assertEquals([await said("no request"), await said("no answer")], [nobody, nobody]);
  assertEquals(
    await said([409, "it checks every pin ", "and refuses none"]),
    "the server says that it checks every pin and refuses none",
  );
  const other = "what answers at the socket of --admin-socket is no admin socket of a server";
  const others: Answer[] = [[404, "Not found."], [200, "ok"], [200, "null"], [200, "[]"]];
  for (const answer of others) assertEquals(await said(answer), other);
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
