import process from "node:process";
import { Readable } from "node:stream";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { CommandError, readSecret, readStdin } from "../../../../lib/cli/io/io.ts";
import { askLines } from "../../../../lib/cli/io/prompt.ts";
import { callCommand, sink, streamOf, withProcess } from "../../../support/command.ts";

/** What became of typing, what the terminal shows, and how it was set, one after the other. */
interface Session {
  readonly typed: readonly string[] | undefined;
  readonly shown: string;
  readonly modes: readonly boolean[];
}

const PIN = { what: "Pin", isShown: true };
const SECRET = { what: "Secret", isShown: false };

/** Plays a person who types such chunks at a terminal. */
async function type<T>(chunks: readonly (string | Uint8Array)[], run: () => Promise<T>): Promise<
  { readonly result: T; readonly shown: string; readonly modes: readonly boolean[] }
> {
  let shown = "";
  const modes: boolean[] = [];
  const setRawMode = (mode: boolean): void => void modes.push(mode);
  const stdin = Object.assign(streamOf(chunks), { isTTY: true, setRawMode });
  const stderr = sink((text) => void (shown += text));
  const result = await withProcess({ stdin, stderr }, run);
  return { result, shown, modes };
}

async function ask(...chunks: (string | Uint8Array)[]): Promise<Session> {
  const { result, ...rest } = await type(chunks, () => askLines([PIN, SECRET]));
  return { typed: result, ...rest };
}

Deno.test("a terminal shows the prompt, and the input that is not secret", async () => {
  assertEquals(await ask("12", "3\r", "hush\r"), {
    typed: ["123", "hush"],
    shown: "Pin: 123\r\nSecret (not shown): \r\n",
    modes: [true, false],
  });
});

// What is typed, the lines that come of it, and what the terminal shows of the first.
const KEYS: readonly (readonly [string, readonly string[], string])[] = [
  ["1\n2\n", ["1", "2"], "1"],
  // Text after the last line is dropped.
  ["1\r2\r3\r", ["1", "2"], "1"],
  ["12\x7f3\r\r", ["13", ""], "12\b \b3"],
  ["12\b\b\b3\r\r", ["3", ""], "12\b \b\b \b3"],
  ["é🔑\x7f\r🔑é\x7f\r", ["é", "🔑"], "é🔑\b \b"],
  ["12\x153\r\r", ["3", ""], "12\b \b\b \b3"],
  ["a\tb\x01\x1fc \r\r", ["a\tbc ", ""], "a\tbc "],
  ["1\x1b[D\x1b[1;5C\x1bOP\x1bx\x1b[200~2\r\r", ["12", ""], "12"],
  // A character behind Escape is one with the key Alt; Escape alone is the key of that name.
  ["1\x1b🔑2\r\x1b\r", ["12", ""], "12"],
  // Up to its first letter, and no further.
  ["1\x1b[Da\x1b[2 qb\r\r", ["1ab", ""], "1ab"],
  ["123\x7f\r\r", ["12", ""], "123\b \b"],
  ["1\x04", ["1"], "1"],
  ["1\r2\x04", ["1", "2"], "1"],
  ["\x04", [""], ""],
];

for (const [typed, lines, shown] of KEYS) {
  Deno.test(`a terminal makes ${JSON.stringify(lines)} of ${JSON.stringify(typed)}`, async () => {
    const session = await ask(typed);
    assertEquals(session.typed, lines);
    assertEquals(session.shown.split("\r\n")[0], `Pin: ${shown}`);
    assertEquals(session.modes, [true, false]);
  });
}

Deno.test("a terminal that is closed ends the lines early", async () => {
  assertEquals((await ask("1\r2")).typed, ["1"]);
  assertEquals((await ask()).typed, []);
});

Deno.test("the end of input ends the lines, without another prompt", async () => {
  const { typed, shown } = await ask("1\x042\r");
  assertEquals([typed, shown], [["1"], "Pin: 1\r\n"]);
});

Deno.test("a character in pieces is one", async () => {
  const [first, ...rest] = new TextEncoder().encode("é\r\r");
  const { typed, shown } = await ask(Uint8Array.of(first!), Uint8Array.from(rest));
  assertEquals([typed, shown.split("\r\n")[0]], [["é", ""], "Pin: é"]);
});

Deno.test("an escape sequence in pieces belongs to no line, and does not block", async () => {
  for (
    const [chunks, line] of [
      [["1\x1b", "[D2\r\r"], "12"],
      [["1\x1b[", "1;", "5C2\r\r"], "12"],
      [["1\x1bO", "P2\r\r"], "12"],
      [["1\x1b", "2\r\r"], "12"],
      [["1\x1b", "\r\r"], "1"],
      [["1\x1b[", "\r\r"], "1"],
      [["1\x1bO", "\r\r"], "1"],
    ] as const
  ) {
    assertEquals((await ask(...chunks)).typed, [line, ""]);
  }
  assertEquals((await ask("1\x1b", "\x03")).typed, undefined);
});

Deno.test("Control-C ends the asking, and the terminal is as before", async () => {
  const { typed, shown, modes } = await ask("1\r2\x03");
  assertEquals([typed, modes], [undefined, [true, false]]);
  assertEquals(shown, "Pin: 1\r\nSecret (not shown): \r\n");
  await type(["hush\x03"], async () => {
    const { message } = await assertRejects(() => readSecret(undefined), CommandError);
    assertEquals(message, "interrupted");
  });
});

for (const [signal, code] of [["SIGHUP", 129], ["SIGINT", 130], ["SIGTERM", 143]] as const) {
  Deno.test(`a terminal is as before when ${signal} ends the program`, async () => {
    const before = process.listenerCount(signal);
    const done: unknown[] = [];
    const stdin = Object.assign(
      new Readable({
        read(): void {
          process.emit(signal, signal);
          this.push("1\r");
        },
      }),
      { setRawMode: (mode: boolean): void => void done.push(mode) },
    );
    const exit = (code: number): void => void done.push(code);
    await withProcess({ stdin, exit, stderr: sink(() => {}) }, () => askLines([PIN]));
    assertEquals(done.slice(0, 3), [true, false, code]);
    assertEquals(process.listenerCount(signal), before);
  });
}

Deno.test("readSecret() prompts at a terminal, and reads anything else to its end", async () => {
  const asked = await type([" hush \r"], () => readSecret(undefined));
  assertEquals([asked.result, asked.shown], [" hush ", "Secret (not shown): \r\n"]);
  const { code, stderr } = await callCommand(["code"], { stdin: "hush\n" });
  assertEquals([code, stderr.includes("not shown")], [0, false]);
});

Deno.test("a line that a terminal sends in another charset is refused, whatever the others are", async () => {
  const latin1 = Uint8Array.of(0x68, 0xe9, 0x0d);
  for (const lines of [[latin1, "hush\r"], ["123\r", latin1]]) {
    await type(lines, async () => {
      const { message } = await assertRejects(() => readStdin([PIN, SECRET]), CommandError);
      assertEquals(message, "what was typed is not UTF-8 text");
    });
  }
});
