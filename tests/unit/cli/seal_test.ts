import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { runCommand } from "../../support/command.ts";
import { withFolder } from "../../support/folder.ts";
import type { Outcome } from "../../support/program.ts";
import { openByJose, SEAL_KEY_LINES, SEAL_KEYS_FILE, sealByJose } from "../../support/seal_keys.ts";

const [NEW, OLD] = SEAL_KEY_LINES;
const KEYS = ["--seal-keys-file", SEAL_KEYS_FILE];
const ERROR = "authenticator: error: ";

function run(
  command: "seal" | "unseal",
  stdin: string | Uint8Array<ArrayBuffer>,
  args: readonly string[] = ["--csv"],
): Promise<Outcome> {
  return runCommand([command, ...KEYS, ...args], { stdin });
}

/** Runs a command with a table whose export is whole. */
function runTable(
  command: "seal" | "unseal",
  table: string,
  args?: readonly string[],
): Promise<Outcome> {
  return run(command, `${table}end\n`, args);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The fields of lines without quotes and line ends in them, but for the last one of a whole table. */
function fieldsOf(output: string): readonly (readonly string[])[] {
  assert(output.endsWith("\n"), output);
  return output.slice(0, -1).split("\n").map((line) => line.slice(1, -1).split('","'))
    .filter((fields) => fields.at(-1) !== "end");
}

/** Opens the new value of each record. */
async function opened(output: string, line = NEW): Promise<readonly (readonly string[])[]> {
  return await Promise.all(
    fieldsOf(output).map(async ([sealed = "", ...others]) => {
      const text = sealed === "" ? "" : (await openByJose(sealed, line)).text;
      return [text, ...others];
    }),
  );
}

Deno.test("seal writes one sealed secret for the text of standard input, without one line end", async () => {
  const rows = [["a", "a"], ["a\n", "a"], ["a\r\n", "a"], [" a\r\n\n", " a\r\n"], ["1\ta", "1\ta"]];
  for (const [stdin, text] of [...rows, ["\uFEFFa", "a"], ['"a","b"', '"a","b"']]) {
    const { code, stdout, stderr } = await run("seal", stdin!, []);
    assertEquals([code, stderr, stdout.slice(-1)], [0, "", "\n"]);
    assertEquals((await openByJose(stdout.trimEnd())).text, text);
  }
});

Deno.test("unseal writes the one secret that is sealed, and one that is not as it is", async () => {
  for (
    const stdin of [await sealByJose("a\r"), ` ${await sealByJose("a\r", OLD)}\r\n`, "a\r\n\n"]
  ) {
    const { code, stdout, stderr } = await run("unseal", stdin, []);
    assertEquals([code, stdout, stderr], [0, stdin.startsWith("a") ? "a\r\n\n" : "a\r\n", ""]);
  }
});

Deno.test("seal --csv writes the new value, the other fields and the digest of the old value", async () => {
  const table = '17,"x ""1""",Bü©hse\n18,,"a,\r\n""\t\\"\n19,,\n';
  const { code, stdout, stderr } = await runTable("seal", table);
  const counts = "authenticator: 2 sealed, 0 sealed anew, 0 left as it was, 1 empty.\n";
  assertEquals([code, stderr], [0, counts]);
  assertEquals(await opened(stdout), [
    ["Bü©hse", "17", 'x ""1""', digest("Bü©hse")],
    ['a,\r\n"\t\\', "18", "", digest('a,\r\n"\t\\')],
    ["", "19", "", digest("")],
  ]);
});

Deno.test("seal --csv keeps what the first key has sealed, and seals anew what another has", async () => {
  const [kept, moved] = [await sealByJose("a"), await sealByJose("b", OLD)];
  const { code, stdout, stderr } = await runTable("seal", `1,${kept}  \n2,${moved}\n3,c\n`);
  const counts = "authenticator: 1 sealed, 1 sealed anew, 1 left as it was, 0 empty.\n";
  assertEquals([code, stderr, fieldsOf(stdout)[0]![0]], [0, counts, kept]);
  assertEquals(await opened(stdout), [
    ["a", "1", digest(`${kept}  `)],
    ["b", "2", digest(moved)],
    ["c", "3", digest("c")],
  ]);
});

Deno.test("unseal --csv opens what is sealed, and keeps what is not", async () => {
  const [sealed, older] = [await sealByJose('a"\r\n'), await sealByJose("b", OLD)];
  const { code, stdout, stderr } = await runTable(
    "unseal",
    `1,${sealed}\n2,plain\n3,${older}\n4,\n`,
  );
  assertEquals([code, stderr], [
    0,
    "authenticator: 2 opened, 1 left as it was, 1 empty.\n",
  ]);
  assertEquals(
    stdout,
    `"a""\r\n","1","${digest(sealed)}"\n"plain","2","${digest("plain")}"\n` +
      `"b","3","${digest(older)}"\n"","4","${digest("")}"\n"","","end"\n`,
  );
});

const FORGED = await sealByJose("canary", `new:${"7".repeat(64)}`);
const UNKNOWN = await sealByJose("canary", `gone:${"7".repeat(64)}`);

// A value that is no secret, and the clause about it.
const WRONG: readonly (readonly [string, string])[] = [
  ["canary".repeat(200), "is longer than 1024 bytes"],
  ["canary\x01", "holds a character that XML forbids"],
  [
    FORGED,
    "is sealed, and the key new does not open it: the secret was changed, or sealed with another " +
    "key of that name",
  ],
  [
    UNKNOWN,
    "is sealed with the key gone, and the file of --seal-keys-file has no key of that name",
  ],
  [`${FORGED}=`, "is sealed, and was changed or cut off"],
  [FORGED.slice(0, 16), "is sealed, and was changed or cut off"],
];

Deno.test("seal and unseal stop at the first wrong secret, with its record and never its text", async () => {
  for (const command of ["seal", "unseal"] as const) {
    for (const [secret, clause] of WRONG) {
      const { code, stdout, stderr } = await run(command, `1,a\n2,\n3,${secret}\n4,d\n`);
      assertEquals([code, stderr], [1, `${ERROR}record 3 ("3") has a secret that ${clause}.\n`]);
      assertEquals(fieldsOf(stdout).map(([, id]) => id), ["1", "2"]);
      const one = await run(command, secret, []);
      assertEquals([one.code, one.stdout, one.stderr], [1, "", `${ERROR}the secret ${clause}.\n`]);
    }
    const { code, stderr } = await run(command, "\n", []);
    assertEquals([code, stderr], [1, `${ERROR}the secret must not be empty.\n`]);
  }
});

Deno.test("seal and unseal write nothing behind a record that cannot be read", async () => {
  for (const command of ["seal", "unseal"] as const) {
    const { code, stdout, stderr } = await run(command, '1,a\n2,"canary\n3,c\n');
    const cut = "is cut off: it has no line end, or a quote does not close";
    assertEquals([code, stderr], [1, `${ERROR}record 2 ("2") ${cut}.\n`]);
    assertEquals(fieldsOf(stdout).map(([, id]) => id), ["1"]);
    const none = await run(command, "");
    assertEquals([none.code, none.stderr], [1, `${ERROR}standard input has no record.\n`]);
  }
});

Deno.test("--check writes nothing, and succeeds only where no secret would be changed", async () => {
  const [sealed, older] = [await sealByJose("a"), await sealByJose("b", OLD)];
  // The command, a table, the counts, and the error.
  const rows: readonly (readonly ["seal" | "unseal", string, string, string?])[] = [
    ["seal", `1,${sealed}\n2,\n3, ${sealed}\r\n`, "2 right, 0 wrong, 1 empty"],
    [
      "seal",
      `1,${older}\n2,plain\n`,
      "0 right, 2 wrong, 0 empty",
      "1 is not sealed with the first key",
    ],
    ["seal", `1,${sealed}\n2,plain\n`, "1 right, 1 wrong, 0 empty", "2 is not sealed"],
    ["seal", `1,${sealed}\n2,${FORGED}\n`, "1 right, 1 wrong, 0 empty", `2 ${WRONG[2]![1]}`],
    ["unseal", "1,plain\n2,\n", "1 right, 0 wrong, 1 empty"],
    ["unseal", `1,plain\n2,${older}\n`, "1 right, 1 wrong, 0 empty", "2 is sealed"],
    ["unseal", `1,${sealed.slice(0, 60)}\n`, "0 right, 1 wrong, 0 empty", `1 ${WRONG[4]![1]}`],
  ];
  for (const [command, table, counts, flaw] of rows) {
    const { code, stdout, stderr } = await runTable(command, table, ["--csv", "--check"]);
    const [, id, clause] = /^(\d) (.*)/.exec(flaw ?? "") ?? [];
    const error = flaw && `${ERROR}record ${id} ("${id}") has a secret that ${clause}.\n`;
    assertEquals([code, stdout], [flaw === undefined ? 0 : 1, ""]);
    assertEquals(stderr, `authenticator: ${counts}.\n${error ?? ""}`);
  }
  for (
    const [table, message] of [["", "standard input has no record"], [
      `1,${sealed}`,
      'record 1 ("1") is cut off',
    ]]
  ) {
    const { code, stderr } = await run("seal", table!, ["--csv", "--check"]);
    assert(code === 1 && stderr.startsWith(`${ERROR}${message}`), stderr);
  }
});

Deno.test("seal, unseal and --check fail without the last line of the export, or behind it", async () => {
  const sealed = await sealByJose("a");
  const unended = 'standard input does not end with the line "end": what writes it must add the ' +
    "line after a success, and only then";
  const behind = 'standard input goes on behind the line "end"';
  const rows: readonly (readonly [string, string])[] = [
    ["", unended],
    ["end", "record 2 is cut off: it has no line end"],
    ["endend\n", "record 2 has one field: it must have an id, and the secret as the last"],
    ["end\nend\n", behind],
    ["end\n2,b\n", behind],
  ];
  for (const command of ["seal", "unseal"] as const) {
    for (const args of [["--csv"], ["--csv", "--check"]]) {
      const record = args.length === 1 ? "1,a\n" : command === "seal" ? `1,${sealed}\n` : "1,a\n";
      for (const [tail, message] of rows) {
        const { code, stdout, stderr } = await run(command, record + tail, args);
        assertEquals([code, stderr], [1, `${ERROR}${message}.\n`], tail);
        assert(!stdout.includes("end"), stdout);
      }
      assertEquals((await run(command, `${record}end\r\n`, args)).code, 0);
    }
  }
});

Deno.test("seal and unseal refuse a line at which psql would end its input, and write no last record", async () => {
  const error = (number: number): string =>
    `${ERROR}record ${number} ("${number}") has a line \\. in it, at which psql takes its input for ended.\n`;
  for (
    const [text, isRefused] of [["a\n\\.\nb", true], ["a\r\n\\.\r\n", true], [
      "\\.\n\\.",
      false,
    ]] as const
  ) {
    const sealed = await sealByJose(text);
    for (
      const [command, secret] of [["seal", `"${text}"`], ["seal", sealed], [
        "unseal",
        sealed,
      ]] as const
    ) {
      const { code, stdout, stderr } = await runTable(command, `1,a\n2,${secret}\n`);
      assertEquals(code, isRefused ? 1 : 0, stderr);
      if (isRefused) assertEquals(stderr, error(2));
      assertEquals(stdout.endsWith(',"end"\n'), !isRefused);
    }
  }
  const { code } = await runTable("seal", '"i\n\\.\nd",a\n');
  assertEquals(code, 1);
});

Deno.test("--check needs --csv", async () => {
  const { code, stderr } = await run("seal", "a", ["--check"]);
  assertEquals([code, stderr], [2, `${ERROR}--check needs --csv. Try --help.\n`]);
});

Deno.test("seal holds a secret to the encoding of the server", async () => {
  const args = ["--csv", "--secret-encoding", "base32"];
  assertEquals(
    (await opened((await runTable("seal", "1,jbsw y3dp\n", args)).stdout))[0]![0],
    "jbsw y3dp",
  );
  const { code, stderr } = await run("seal", "1,canary!\n", args);
  const base32 =
    "has a secret that is not Base32: character 7 is no letter A to Z and no digit 2 to 7";
  assertEquals([code, stderr], [1, `${ERROR}record 1 ("1") ${base32}.\n`]);
});

Deno.test("seal refuses UTF-16", async () => {
  for (const args of [[], ["--csv"]]) {
    const text = new Uint8Array(Buffer.from("\uFEFF1,canary\n", "utf16le"));
    const { code, stdout, stderr } = await run("seal", text, args);
    assertEquals([code, stdout], [1, ""]);
    assert(stderr.startsWith(`${ERROR}standard input is UTF-16: save it as UTF-8`), stderr);
  }
});

Deno.test("seal warns of a file of keys that others can read", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/seal-keys`;
    Deno.writeTextFileSync(path, `${NEW}\n`);
    Deno.chmodSync(path, 0o644);
    for (const command of ["seal", "unseal"]) {
      const { code, stderr } = await runCommand([command, "--seal-keys-file", path], {
        stdin: "a",
      });
      assertEquals(code, 0);
      assert(stderr.startsWith("authenticator: warning: "), stderr);
    }
  });
});

Deno.test("seal needs a file of keys that can be used", async () => {
  const { code, stderr } = await runCommand(["seal"], { stdin: "canary" });
  assertEquals([code, stderr], [2, `${ERROR}seal needs --seal-keys-file. Try --help.\n`]);
  const other = await runCommand(["unseal", "--seal-keys-file", "LICENSE"], { stdin: "canary" });
  assertEquals(other.code, 2);
  assert(other.stderr.includes("the file of --seal-keys-file cannot be used: line 1 must"));
});

Deno.test("seal --csv keeps the order of a table of 20,000 records, and unseal gives the secrets back", async () => {
  const count = 20_000;
  const table = Array.from({ length: count }, (_, i) => `${i},secret ${i}\n`).join("");
  const sealed = await runTable("seal", table);
  assertEquals([sealed.code, sealed.stdout.includes("secret")], [0, false]);
  const rows = fieldsOf(sealed.stdout).map(([value, id]) => `${id},${value}\n`).join("");
  const { code, stdout } = await runTable("unseal", rows);
  assertEquals(code, 0);
  const back = fieldsOf(stdout).map(([value, id]) => `${id},${value}\n`).join("");
  assertEquals(back === table, true);
});
