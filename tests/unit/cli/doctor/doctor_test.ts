import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { decodeBase32 } from "@std/encoding/base32";
import { explain } from "../../../../lib/cli/doctor/doctor.ts";
import { CERTAINTY, OTHER_REASONS } from "../../../../lib/otp/diagnosis/causes.ts";
import { diagnose } from "../../../../lib/otp/diagnosis/diagnosis.ts";
import { GUARD_KEY_FILE } from "../../../support/guard_key.ts";
import { referenceHotp } from "../../../support/reference_totp.ts";
import { SEAL_KEY_LINES, SEAL_KEYS_FILE, sealByJose } from "../../../support/seal_keys.ts";
import type { Outcome } from "../../../support/program.ts";
import { startFakeRedis } from "../../../support/fake_redis.ts";
import { main } from "../../../../main.ts";
import { configOf, runCommand, sink, streamOf, withProcess } from "../../../support/command.ts";

const SECRET = "MYSECRETMYSECRET";
const AT = "2005-03-18T01:58:29Z";
const AT_MS = Date.parse(AT);
const STEP = Math.floor(AT_MS / 30_000);
const RIGHT = referenceHotp(SECRET, STEP);

function doctor(stdin: string, args: readonly string[] = ["--at", AT]): Promise<Outcome> {
  return runCommand(["doctor", ...args], { stdin });
}

const MOMENT = { nowMs: AT_MS, isGiven: true };

const LAST = `The pin was checked at ${AT}, the time of --at.`;

Deno.test("doctor reports that a pin is right, and exits with 0", async () => {
  assertEquals(await doctor(`${RIGHT}\n${SECRET}\n`), {
    code: 0,
    stdout: "The pin is right: a server with these options answers true.\n" +
      "It is the code of the current time step.\n" +
      "If it answers false anyway, it is refusing pins for this secret (outcome=throttled in its log).\n",
    stderr: "",
  });
});

Deno.test("doctor reports why a pin is wrong, and exits with 1", async () => {
  const late = referenceHotp(SECRET, STEP - 9);
  const { code, stdout, stderr } = await doctor(`${late}\n${SECRET}\n`);
  assertEquals([code, stderr], [1, ""]);
  assertEquals(stdout.split("\n").slice(0, 4), [
    "The pin is wrong: a server with these options answers false.",
    "The likely reason:",
    "- The pin has expired: it was right 4 min 29 s to 4 min 59 s ago. If it was typed at once, the " +
    "phone's clock is that far behind the server's. Turn on automatic time on the phone; if it is on, check " +
    "the server's clock.",
    "- The server accepts 1 step before and after now (--window 1).",
  ]);
  assertEquals(stdout.split("\n").at(-2), LAST);
  const { code: allowed } = await doctor(`${late}\n${SECRET}\n`, ["--at", AT, "--window", "9"]);
  assertEquals(allowed, 0);
});

Deno.test("doctor reports the error of a server, and exits with 1", async () => {
  const args = ["--at", AT, "--secret-encoding", "base32"];
  const { code, stdout, stderr } = await doctor(`${RIGHT}\ncanary-1\n`, args);
  assertEquals([code, stderr], [1, ""]);
  // Another account, or the next code, would get the same error.
  assertEquals(
    stdout,
    "A server with these options answers with an error: Parameter secretCode is not Base32: " +
      "character 8 is no letter A to Z and no digit 2 to 7.\n",
  );
});

Deno.test("doctor takes a secret whose last letter fills no byte for whole, as apps do", async () => {
  const args = ["--at", AT, "--secret-encoding", "base32"];
  const secret = "MZXW6YTBOIZDGNBVGY3TQOJQ";
  const pin = referenceHotp(decodeBase32(secret), STEP);
  const right = "The pin is right: a server with these options answers true.";
  assertEquals((await doctor(`${pin}\n${secret}Q\n`, args)).stdout.split("\n")[0], right);
});

Deno.test("doctor opens a sealed secret with the keys of the server", async () => {
  const keys = ["--at", AT, "--seal-keys-file", SEAL_KEYS_FILE];
  const sealed = await sealByJose(SECRET, SEAL_KEY_LINES[1]);
  assertEquals((await doctor(`${RIGHT}\n${sealed}\n`, keys)).code, 0);
  const wrong = await doctor(`${referenceHotp(SECRET, STEP - 9)}\n${sealed}\n`, keys);
  assertEquals(wrong.code, 1);
  assert(wrong.stdout.includes("The pin has expired"), wrong.stdout);
});

Deno.test("doctor reports why a sealed secret cannot be opened, with the name of its key", async () => {
  const keys = ["--at", AT, "--seal-keys-file", SEAL_KEYS_FILE];
  const other = "17".repeat(32);
  const sealed = await sealByJose("canary");
  const rows = [
    [
      await sealByJose("canary", `gone:${other}`),
      "The secret is sealed with the key gone, and the file of --seal-keys-file has no key of that name.",
    ],
    [
      await sealByJose("canary", `new:${other}`),
      "The secret is sealed, and the key new does not open it: the secret was changed, or sealed with another key of that name.",
    ],
    [sealed.slice(0, -1), "The secret is sealed, and was changed or cut off."],
    [sealed.slice(0, 16), "The secret is sealed, and was changed or cut off."],
  ] as const;
  for (const [secret, expected] of rows) {
    const { code, stdout } = await doctor(`${RIGHT}\n${secret}\n`, keys);
    const [error, line, ...others] = stdout.split("\n");
    assertEquals([code, error, line, others], [
      1,
      "A server with these options answers with an error: Parameter secretCode is sealed, and this " +
      "server cannot open it.",
      expected,
      [""],
    ]);
  }
});

Deno.test("doctor reads the file of seal keys only for a sealed secret", async () => {
  const sealed = `${RIGHT}\n${await sealByJose(SECRET)}\n`;
  const cure = "; run the command with authenticator-as-service, or type the secret itself.\n";
  const rows = [
    [[], "the secret is sealed, and --seal-keys-file is not given"],
    [
      ["--seal-keys-file", "nowhere"],
      "the secret is sealed, and the file of --seal-keys-file cannot be read: there is no such file or folder",
    ],
  ] as const;
  for (const [keys, sentence] of rows) {
    const { code, stdout, stderr } = await doctor(sealed, ["--at", AT, ...keys]);
    assertEquals([code, stdout, stderr], [1, "", `authenticator: error: ${sentence}${cure}`]);
    assertEquals((await doctor(`${RIGHT}\n${SECRET}\n`, ["--at", AT, ...keys])).code, 0);
  }
});

Deno.test("doctor checks at the current time without --at", async () => {
  // Right for an hour on either side.
  const checkAt = (hoursAgo: number): Promise<Outcome> => {
    const pin = referenceHotp(SECRET, Math.floor(Date.now() / 3_600_000) - hoursAgo);
    return doctor(`${pin}\n${SECRET}\n`, ["--period", "3600"]);
  };
  assertEquals((await checkAt(0)).code, 0);
  const { code, stdout } = await checkAt(3);
  assertEquals([code, /, the time of this machine's clock\.\n$/.test(stdout)], [1, true], stdout);
});

Deno.test("doctor strips CR LF from its lines, and nothing else", async () => {
  assertEquals((await doctor(`${RIGHT}\r\n${SECRET}\r\n`)).code, 0);
  assertEquals((await doctor(`${RIGHT}\n${SECRET}`)).code, 0);
  const { code, stdout } = await doctor(`${RIGHT}\n${SECRET} \n`);
  assertEquals(code, 1);
  assert(
    stdout.includes("without the spaces, line breaks or invisible characters around it"),
    stdout,
  );
});

Deno.test("doctor requires two lines", async () => {
  for (const stdin of ["", "\n", `${RIGHT}`, `${RIGHT}\n`, `${RIGHT}\n\n`]) {
    assertEquals(await doctor(stdin), {
      code: 2,
      stdout: "",
      stderr: "authenticator: error: doctor needs two lines of standard input: the pin, then the " +
        "secret. Try --help.\n",
    });
  }
});

Deno.test("doctor prompts at a terminal for the pin, and for the secret, which is not shown", async () => {
  const terminal = { isTTY: true, setRawMode: () => {} };
  const stdin = Object.assign(streamOf([`${RIGHT}\r${SECRET}\r`]), terminal);
  let promptText = "";
  const stderr = sink((text) => void (promptText += text));
  const own = { stdin, stderr, stdout: sink(() => {}) };
  assertEquals(await withProcess(own, () => main(["doctor", "--at", AT])), 0);
  assertEquals(promptText, `Pin: ${RIGHT}\r\nSecret (not shown): \r\n`);
});

const WINDOW_1 = configOf([]);

/** What is explained of a pin, without the first line and the last two. */
async function explained(pin: string, args: readonly string[] = []): Promise<readonly string[]> {
  const config = configOf(args);
  const diagnosis = await diagnose({ pin, secretCode: SECRET }, config, AT_MS);
  const lines = explain({ answer: false, ...MOMENT }, diagnosis, config);
  assertEquals(lines.at(-1), LAST);
  return lines.slice(1, -1).filter((line) => line !== CERTAINTY);
}

const AS_BASE32 = referenceHotp(decodeBase32(SECRET), STEP);

Deno.test("explain() returns the advice for each reason", async () => {
  assertEquals(await explained(`${RIGHT.slice(0, 3)}-${RIGHT.slice(3)}`), [
    "- The pin contains hyphens or dashes. Send only the digits.",
    "Otherwise the server would answer true.",
  ]);
  assert(AS_BASE32.startsWith("00"));
  assertEquals(await explained(AS_BASE32.slice(2)), [
    "- The pin has 4 digits; a code has 6.",
    "The likely reason:",
    "- The pin lost its 2 leading zeros: something treats it as a number. Send it as text.",
    "- The app takes the secret as Base32, and the server takes it as text. If this is the setup key, " +
    "send the secret that it was made from. Otherwise pair the app with the setup key that Pair " +
    "returns, not with the secret itself; or, if all your secrets are Base32, start the server " +
    "with --secret-encoding base32.",
  ]);
  assertEquals(await explained(referenceHotp(SECRET, STEP + 120)), [
    "The likely reason:",
    "- The pin will be right in 59 min 31 s to 1 h 1 s: the phone's clock is that far ahead of the " +
    "server's. That is a wrong date, time zone or daylight saving time: turn on automatic time on the " +
    "phone, and check the server's clock.",
    "- The server accepts 1 step before and after now (--window 1).",
  ]);
});

const UNEXPLAINED = {
  flaws: [],
  canBeCode: true,
  match: undefined,
};

Deno.test("explain() names the clock by which a pin was checked", () => {
  const last = (isGiven: boolean): string =>
    explain({ answer: false, nowMs: AT_MS, isGiven }, UNEXPLAINED, WINDOW_1).at(-1)!;
  assertEquals(last(true), LAST);
  assertEquals(last(false), `The pin was checked at ${AT}, the time of this machine's clock.`);
});

Deno.test("explain() reports too few digits, and no more, if that is all", () => {
  const short = { flaws: ["Short."], canBeCode: false };
  assertEquals(explain({ answer: false, ...MOMENT }, { ...UNEXPLAINED, ...short }, WINDOW_1), [
    "The pin is wrong: a server with these options answers false.",
    "- Short.",
  ]);
});

Deno.test("explain() reports no success when the store of the guard refuses a right pin", async () => {
  const diagnosis = await diagnose({ pin: RIGHT, secretCode: SECRET }, WINDOW_1, AT_MS);
  assertEquals(explain({ answer: true, isRefused: true, ...MOMENT }, diagnosis, WINDOW_1), [
    "The pin is right, but a server with these options answers false.",
    "It is the code of the current time step.",
  ]);
});

Deno.test("explain() has the offset of the phone's clock for a right pin", async () => {
  const lines = async (step: number): Promise<readonly string[]> => {
    const pin = referenceHotp(SECRET, step);
    const diagnosis = await diagnose({ pin, secretCode: SECRET }, WINDOW_1, AT_MS);
    return explain({ answer: true, ...MOMENT }, diagnosis, WINDOW_1);
  };
  const right = "The pin is right: a server with these options answers true.";
  assertEquals(await lines(STEP), [right, "It is the code of the current time step."]);
  for (const [step, direction] of [[STEP - 1, "behind"], [STEP + 1, "ahead"]] as const) {
    const [first, second] = await lines(step);
    assertEquals(first, right);
    assertMatch(
      second!,
      new RegExp(`^The phone's clock is .+ ${direction}, which the window allows\\.$`),
    );
  }
});

Deno.test("explain() has no offset of the clock where no code was found", async () => {
  const diagnosis = await diagnose({ pin: RIGHT, secretCode: SECRET }, WINDOW_1, AT_MS);
  const unfound = { ...diagnosis, match: undefined };
  assertEquals(explain({ answer: true, ...MOMENT }, unfound, WINDOW_1), [
    "The pin is right: a server with these options answers true.",
  ]);
});

Deno.test("explain() has a server's error, and does not search where that makes no sense", async () => {
  const diagnosis = await diagnose({ pin: RIGHT, secretCode: "" }, WINDOW_1, AT_MS);
  const [first, ...rest] = explain(
    { answer: "No.", ...MOMENT },
    { ...diagnosis, canBeCode: false },
    WINDOW_1,
  );
  assertEquals(first, "A server with these options answers with an error: No.");
  assertEquals(rest.filter((line) => !line.startsWith("- ")), []);
});

Deno.test("explain() lists other causes where nothing explains the pin", () => {
  const lines = explain({ answer: false, ...MOMENT }, UNEXPLAINED, WINDOW_1);
  assertEquals(lines.slice(1, -1), [
    "Possible reasons:",
    ...OTHER_REASONS.map((sentence) => `- ${sentence}`),
  ]);
});

Deno.test("doctor finds the step of the code in a shared store, however the phone's clock is off", async () => {
  const store = startFakeRedis(([command]) =>
    command === "GET" ? `0:0:${STEP - 1}` : [String(AT_MS / 1000), "0"]
  );
  const options = ["--at", AT, "--single-use", "--guard-key-file", GUARD_KEY_FILE];
  const args = [...options, "--guard", `${store.url}?timeout=60000`];
  const outputOf = async (step: number): Promise<readonly (string | number)[]> => {
    const { code, stdout } = await doctor(`${referenceHotp(SECRET, step)}\n${SECRET}\n`, args);
    return [code, ...stdout.match(/This code was already used|A later code than this/) ?? []];
  };
  assertEquals(await outputOf(STEP - 1), [1, "This code was already used"]);
  assertEquals([await outputOf(STEP), await outputOf(STEP + 1)], [[0], [0]]);
  store.close();
});

Deno.test("doctor repeats neither the pin nor the secret", async () => {
  const isKept = (text: string): boolean => !/canary|hunter|91827|9{6}/i.test(text);
  const pins = ["9-18273", "canary", "9".repeat(70)];
  for (const pin of pins) {
    for (const encoding of ["text", "base32"] as const) {
      const config = configOf(["--secret-encoding", encoding]);
      const diagnosis = await diagnose({ pin, secretCode: "hunter2 canary" }, config, AT_MS);
      assert(
        isKept(
          JSON.stringify([diagnosis, explain({ answer: false, ...MOMENT }, diagnosis, config)]),
        ),
        pin,
      );
    }
  }
  for (const stdin of ["918273\nCANARYCANARYCANA\n", "canary", "canary\n", "918273\n\u{0}canary"]) {
    const { stdout, stderr } = await doctor(stdin);
    assert(isKept(stdout + stderr), stdout + stderr);
  }
});
