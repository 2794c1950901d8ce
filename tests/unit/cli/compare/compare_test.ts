import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { questionsFor } from "../../../../lib/cli/compare/questions.ts";
import { configOf } from "../../../support/command.ts";
import { type ComparedOptions } from "../../../support/compared_server.ts";
import { hostedService } from "../../../support/hosted_service.ts";
import { SEAL_KEYS_FILE } from "../../../support/seal_keys.ts";
import { assertHas, assertSame, compared } from "./compared.ts";

// The self-check of the last server here may outlive a test.
Deno.test.sanitizer({ ops: false });

/** All questions but those about the window. */
const QUESTIONS = Object.values(questionsFor(configOf([]), undefined)).flat();

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

Deno.test("a server with the same options is the same, for every option", async () => {
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
