import { Buffer } from "node:buffer";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { runCommand } from "../../support/command.ts";
import type { Outcome } from "../../support/program.ts";
import { openByJose, SEAL_KEY_LINES, SEAL_KEYS_FILE, sealByJose } from "../../support/seal_keys.ts";

const [NEW, OLD] = SEAL_KEY_LINES;
const KEYS = ["--seal-keys-file", SEAL_KEYS_FILE];
const ERROR = "authenticator: error: ";

function run(
  command: "seal" | "unseal",
  stdin: string | Uint8Array<ArrayBuffer>,
  args: readonly string[] = KEYS,
): Promise<Outcome> {
  return runCommand([command, ...args], { stdin });
}

/** Opens the last column of each line. */
async function opened(output: string, line = NEW): Promise<readonly string[]> {
  assert(output.endsWith("\n"), output);
  const lines = output.slice(0, -1).split("\n").map((each) => each.split("\t"));
  return await Promise.all(
    lines.map(async (columns) => {
      const secret = columns.pop()!;
      return [...columns, secret && (await openByJose(secret, line)).text].join("|");
    }),
  );
}

Deno.test("seal seals each line in its place, behind its id if it has one", async () => {
  const { code, stdout, stderr } = await run("seal", "first\n17\tBü©hse\n\n18\t\n a b \nlast");
  assertEquals([code, stderr], [0, ""]);
  assertEquals(await opened(stdout), ["first", "17|Bü©hse", "", "18|", " a b ", "last"]);
});

Deno.test("seal keeps what the first key has sealed, and seals anew what another has", async () => {
  const [kept, moved] = [await sealByJose("a"), await sealByJose("b", OLD)];
  const { code, stdout } = await run("seal", `1\t${kept}\n2\t${moved}\n3\tc\n`);
  const lines = stdout.split("\n");
  assertEquals([code, lines[0]], [0, `1\t${kept}`]);
  assertEquals(await opened(stdout), ["1|a", "2|b", "3|c"]);
  assertEquals((await run("seal", stdout)).stdout, stdout);
});

Deno.test("unseal opens what is sealed, and keeps what is not", async () => {
  const sealed = `1\t${await sealByJose("a")}\n2\tplain\n${await sealByJose("b", OLD)}\n\n`;
  const { code, stdout, stderr } = await run("unseal", sealed);
  assertEquals([code, stdout, stderr], [0, "1\ta\n2\tplain\nb\n\n", ""]);
  assertEquals((await run("unseal", stdout)).stdout, stdout);
});

Deno.test("seal drops a carriage return at the end of a line and a byte order mark at the start", async () => {
  const { stdout } = await run("seal", "\uFEFF1\ta\r\n2\tb\r\n");
  assertEquals(await opened(stdout), ["1|a", "2|b"]);
  const { stdout: one } = await run("seal", "\uFEFFa\r\n");
  assertEquals(await opened(one), ["a"]);
});

const FORGED = await sealByJose("canary", `new:${"17".repeat(32)}`);
const UNKNOWN = await sealByJose("canary", `gone:${"17".repeat(32)}`);

Deno.test("seal and unseal stop at the first wrong line, with its number and never its text", async () => {
  const rows: readonly (readonly [string | Uint8Array, string])[] = [
    ["canary".repeat(200), "the secret is longer than 1024 bytes"],
    ["canary\x01", "the secret holds a character that XML forbids"],
    [Uint8Array.of(0x63, 0xff), " is not UTF-8 text"],
    ["1\t2\tcanary", " has two tabs: it must be SECRET, or ID, a tab, SECRET"],
    [
      FORGED,
      "the secret is sealed, and the key new does not open it: the secret was changed, or sealed " +
      "with another key of that name",
    ],
    [
      UNKNOWN,
      "the secret is sealed with the key gone, and the file of --seal-keys-file has no key of that " +
      "name",
    ],
    [`${FORGED}=`, "the secret is sealed, and was changed or cut off"],
    ["canary".repeat(3000), " is longer than 16384 bytes"],
  ];
  for (const command of ["seal", "unseal"] as const) {
    for (const [line, clause] of rows) {
      const bytes = [`1\ta\n\n`, line, "\n4\td\n"].map((part) => Buffer.from(part));
      const { code, stdout, stderr } = await run(command, new Uint8Array(Buffer.concat(bytes)));
      const colon = clause.startsWith(" ") ? "" : ": ";
      assertEquals([code, stderr], [1, `${ERROR}line 3${colon}${clause}.\n`]);
      const before = command === "seal" ? await opened(stdout) : stdout.slice(0, -1).split("\n");
      assertEquals(before, [command === "seal" ? "1|a" : "1\ta", ""], clause);
    }
  }
});

Deno.test("seal holds a secret to the encoding of the server", async () => {
  const args = [...KEYS, "--secret-encoding", "base32"];
  assertEquals(await opened((await run("seal", "jbsw y3dp\n", args)).stdout), ["jbsw y3dp"]);
  const { code, stderr } = await run("seal", "canary!\n", args);
  const base32 = "the secret is not Base32 (letters A to Z, digits 2 to 7)";
  assertEquals([code, stderr], [1, `${ERROR}line 1: ${base32}.\n`]);
});

Deno.test("seal refuses UTF-16", async () => {
  const text = new Uint8Array(Buffer.from("\uFEFF1\tcanary\n", "utf16le"));
  const { code, stdout, stderr } = await run("seal", text);
  assertEquals([code, stdout], [1, ""]);
  assert(stderr.startsWith(`${ERROR}standard input is UTF-16: save it as UTF-8`), stderr);
});

Deno.test("seal needs a file of keys that can be used", async () => {
  const { code, stderr } = await run("seal", "canary", []);
  assertEquals([code, stderr], [2, `${ERROR}seal needs --seal-keys-file. Try --help.\n`]);
  const other = await run("unseal", "canary", ["--seal-keys-file", "LICENSE"]);
  assertEquals(other.code, 2);
  assert(other.stderr.includes("the file of --seal-keys-file cannot be used: line 1 must"));
});

Deno.test("seal keeps the order of a table of 20,000 lines", async () => {
  const count = 20_000;
  const table = Array.from({ length: count }, (_, i) => `${i}\tsecret ${i}\n`).join("");
  const sealed = await run("seal", table);
  assertEquals(sealed.code, 0);
  assert(!sealed.stdout.includes("secret"));
  const { code, stdout } = await run("unseal", sealed.stdout);
  assertEquals([code, stdout === table], [0, true]);
});
