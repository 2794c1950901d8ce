import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { compare } from "../../../../lib/cli/compare/compare.ts";
import { configOf } from "../../../support/command.ts";
import { type ComparedOptions, startCompared } from "../../../support/compared_server.ts";
import { assertHas, compared } from "./compared.ts";

// The self-check of the last server here may outlive a test.
Deno.test.sanitizer({ ops: false });

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

Deno.test("a request whose reply comes in another time step is repeated", async () => {
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
