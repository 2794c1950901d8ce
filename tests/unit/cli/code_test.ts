import { assertEquals } from "@std/assert/equals";
import { referenceHotp } from "../../support/reference_totp.ts";
import { type Outcome } from "../../support/program.ts";
import { runCommand } from "../../support/command.ts";
import { withFolder } from "../../support/folder.ts";
import { SEAL_KEYS_FILE, sealByJose } from "../../support/seal_keys.ts";

// RFC 6238, appendix B.
const SECRET = "12345678901234567890";

function code(args: readonly string[], stdin = SECRET): Promise<Outcome> {
  return runCommand(["code", ...args], { stdin });
}

Deno.test("code prints the codes of RFC 6238 appendix B, and how long each lasts", async () => {
  const rows = [
    ["0", "84755224", "30 seconds"],
    ["59", "94287082", "1 second"],
    ["1111111109", "07081804", "1 second"],
    ["1111111111", "14050471", "29 seconds"],
    ["2009-02-13T23:31:30Z", "89005924", "30 seconds"],
    // A part of a second is one more until the last of them is over.
    ["2009-02-13T23:31:30.999Z", "89005924", "30 seconds"],
    ["20000000000", "65353130", "10 seconds"],
  ];
  for (const [at, expected, left] of rows) {
    const stderr = `at that moment, ${left} left\n`;
    const outcome = await code(["--at", at!, "--digits", "8"]);
    assertEquals(outcome, { code: 0, stdout: `${expected}\n`, stderr }, at);
  }
});

Deno.test("code prints the code of now, as a server would accept it", async () => {
  const before = Math.floor(Date.now() / 30_000);
  const { stdout, stderr } = await code([]);
  const after = Math.floor(Date.now() / 30_000);
  const expected = [before, after].map((step) => `${referenceHotp(SECRET, step)}\n`);
  assertEquals(expected.includes(stdout), true);
  assertEquals(/^[0-9]+ seconds? left\n$/.test(stderr), true);
});

Deno.test("code accepts a file, and the options of codes", async () => {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/secret`, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\n");
    const args = ["--secret-file", `${folder}/secret`, "--secret-encoding", "base32"];
    const { stdout } = await code([...args, "--digits", "8", "--at", "59"]);
    assertEquals(stdout, "94287082\n");
  });
});

Deno.test("code and pair refuse a sealed secret, with the server's keys and without", async () => {
  const error = "authenticator: error: the secret is sealed: ";
  const pairing = ["pair", "--app-name", "a", "--app-info", "b"];
  const sealed = await sealByJose("canary");
  for (const keys of [["--seal-keys-file", SEAL_KEYS_FILE], []]) {
    const stderr = `${error}give the secret itself. Try --help.\n`;
    assertEquals(await code(keys, sealed), { code: 2, stdout: "", stderr });
    assertEquals(await runCommand([...pairing, ...keys], { stdin: sealed.slice(0, 20) }), {
      code: 2,
      stdout: "",
      stderr: `${error}pair with the secret itself, and seal it then. Try --help.\n`,
    });
  }
});

Deno.test("code refuses what the service refuses, with the names of its options", async () => {
  const rows: readonly (readonly [readonly string[], string, string])[] = [
    [[], "", "the secret must not be empty"],
    [[], "x".repeat(1025), "the secret is longer than 1024 bytes"],
    [[], "\x01", "the secret holds a character that XML forbids"],
    [
      ["--secret-encoding", "base32"],
      "canary-1",
      "the secret is not Base32: character 8 is no letter A to Z and no digit 2 to 7",
    ],
  ];
  for (const [args, stdin, message] of rows) {
    const stderr = `authenticator: error: ${message}. Try --help.\n`;
    assertEquals(await code(args, stdin), { code: 2, stdout: "", stderr });
  }
});
