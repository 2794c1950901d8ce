import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { explainState, guardFindings } from "../../../../lib/cli/doctor/guard_state.ts";
import { UsageError } from "../../../../lib/config/option.ts";
import type { Config } from "../../../../lib/config/options.ts";
import { freePort } from "../../../support/free_port.ts";
import { configOf } from "../../../support/command.ts";
import { GUARD_KEY_FILE } from "../../../support/guard_key.ts";

const SECRET = "MYSECRETMYSECRET";
const NOTHING = { refuses: false, lines: [] };

Deno.test("explainState() explains the state of a secret by the options", () => {
  // At the third wrong pin, 28.5 s ago.
  const state = { debtMs: 3 * 3_600_000, lastMs: 1_000_000, usedStep: 7, sources: [] };
  const dated = { state, nowMs: 1_028_500 };
  const later = { state, nowMs: 1_030_000 };
  const options = { singleUse: true, maxFailures: 3, window: 1, period: 30 };
  assertEquals(explainState(dated, options, 6).lines, [
    "All pins for this secret are refused for another 2 seconds, after too many wrong ones.",
    "A later code than this was already used, and is accepted once only: wait for the next one.",
  ]);
  assertEquals(explainState(later, options, 7), {
    refuses: true,
    lines: ["This code was already used, and is accepted once only: wait for the next one."],
  });
  assertEquals(explainState(dated, options, undefined), {
    refuses: true,
    lines: [
      "All pins for this secret are refused for another 2 seconds, after too many wrong ones.",
    ],
  });
  // The source has spent its two wrong pins, 1.5 s ago.
  const source = { id: "one", debtMs: 4 * 3_600_000, lastMs: 1_000_000, knownUntilMs: 0 };
  const ofOne = { debtMs: 2 * 3_600_000, lastMs: 1_000_000, usedStep: -1, sources: [source] };
  assertEquals(explainState({ state: ofOne, nowMs: 1_001_500 }, options, 7), {
    refuses: false,
    lines: [
      "Pins for this secret from some sources (X-Authenticator-Source, or the key of the caller) " +
      "are refused for another 29 seconds, after too many wrong ones. Pins from other sources are " +
      "checked.",
    ],
  });
  // All sources wait for less long than this one does.
  const longer = { ...source, debtMs: 16 * 3_600_000 };
  const ofAll = { state: { ...state, sources: [longer] }, nowMs: 1_028_500 };
  assertEquals(explainState(ofAll, options, undefined), explainState(dated, options, undefined));
  const unlimited = { ...options, maxFailures: 0 };
  assertEquals(explainState(dated, unlimited, undefined), NOTHING);
  assertEquals(explainState(later, options, 8), NOTHING);
  assertEquals(explainState(later, options, undefined), NOTHING);
  assertEquals(explainState(dated, { ...unlimited, singleUse: false }, 7), NOTHING);
  assertEquals(explainState(undefined, options, 7), NOTHING);
});

Deno.test("guardFindings() reports that the memory of a server cannot be seen by another process", async () => {
  const refusing = "it is refusing pins for this secret (outcome=throttled in its log)";
  const used = "the code was used (outcome=replayed in its log)";
  const rows: readonly (readonly [args: readonly string[], reasons: string])[] = [
    [[], refusing],
    [["--single-use"], `${refusing}, or ${used}`],
    [["--single-use", "--max-failures", "0"], used],
  ];
  for (const [args, reasons] of rows) {
    const config = configOf(args);
    assertEquals(await guardFindings(config, SECRET, undefined), NOTHING);
    assertEquals(await guardFindings(config, SECRET, 7), {
      refuses: false,
      lines: [`If it answers false anyway, ${reasons}.`],
    });
  }
});

Deno.test("guardFindings() is empty where there is no guard", async () => {
  const none = ["--max-failures", "0"];
  assertEquals(await guardFindings(configOf(none), SECRET, 7), NOTHING);
  const store = ["--guard", `redis://127.0.0.1:${freePort()}`];
  assertEquals(await guardFindings(configOf([...none, ...store]), SECRET, 7), NOTHING);
});

Deno.test("guardFindings() is empty for an invalid secret", async () => {
  assertEquals(await guardFindings(configOf([]), "", 7), NOTHING);
  const base32 = configOf(["--secret-encoding", "base32"]);
  assertEquals(await guardFindings(base32, "no Base32!", 7), NOTHING);
});

Deno.test("guardFindings() reports why it cannot read a store", async () => {
  const port = freePort();
  const args = ["--guard", `redis://:canary@127.0.0.1:${port}`];
  const withKey = (path: string): Config => configOf([...args, "--guard-key-file", path]);
  assertEquals(await guardFindings(configOf(args), SECRET, 7), {
    refuses: false,
    lines: [
      "It is unknown whether the code was used: without --guard-key-file nothing is found in the " +
      "store of --guard.",
    ],
  });
  assertEquals(await guardFindings(withKey(GUARD_KEY_FILE), SECRET, 7), {
    refuses: false,
    lines: [
      `It is unknown whether the code was used: the store of the guard, redis://127.0.0.1:${port}, does not answer.`,
    ],
  });
  const noKey = withKey("/nowhere/key");
  await assertRejects(() => guardFindings(noKey, SECRET, 7), UsageError, "--guard-key-file");
});
