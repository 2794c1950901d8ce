import { createHash } from "node:crypto";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { parseKeys } from "../../../lib/http/api_keys.ts";
import { parseSealKeys } from "../../../lib/sealing/seal_keys.ts";
import { runCommand } from "../../support/command.ts";
import { withFolder } from "../../support/folder.ts";
import { runToEnd } from "../../support/child.ts";
import { ROOT } from "../../support/pages.ts";
import { type Outcome, programWords } from "../../support/program.ts";

const SEAL_LINE = `old:${"07".repeat(32)}`;
const ERROR = "authenticator: error: ";

function keygen(...words: readonly string[]): Promise<Outcome> {
  return runCommand(["keygen", ...words]);
}

function modeOf(path: string): number {
  return Deno.statSync(path).mode! & 0o777;
}

Deno.test("keygen seal makes a file that only its owner reads, with a key named by its SHA-256", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/seal-keys`;
    const { code, stdout, stderr } = await keygen("seal", path);
    const [key, ...others] = parseSealKeys(Deno.readTextFileSync(path));
    const digits = createHash("sha256").update(key!.key).digest("hex");
    assertEquals(key!.name, `k${digits.slice(0, 8)}`);
    const line = `authenticator: ${path} is made, with the key ${key!.name}.\n`;
    assertEquals([code, stdout, stderr, others.length, modeOf(path)], [0, "", line, 0, 0o600]);
  });
});

Deno.test("keygen seal on two servers on one day makes keys that one file can hold", async () => {
  await withFolder(async (folder) => {
    const paths = ["one", "other"].map((name) => `${folder}/${name}`);
    for (const path of [...paths, ...paths]) {
      assertEquals((await keygen("seal", path)).code, 0);
    }
    const lines = paths.map((path) => Deno.readTextFileSync(path)).join("");
    assertEquals(parseSealKeys(lines).length, 4);
  });
});

Deno.test("keygen seal adds a line behind what is there, with owner, mode and links as they were", async () => {
  for (const [before, between] of [[SEAL_LINE, "\n"], [`# a\r\n${SEAL_LINE}\r\n`, ""], ["", ""]]) {
    await withFolder(async (folder) => {
      const [path, link] = [`${folder}/keys`, `${folder}/link`];
      Deno.writeTextFileSync(path, before!);
      Deno.chmodSync(path, 0o640);
      Deno.linkSync(path, `${folder}/other`);
      Deno.symlinkSync(path, link);
      const { code, stdout, stderr } = await keygen("seal", link, "k2");
      assertEquals([code, stdout], [0, ""]);
      assertEquals(stderr, `authenticator: k2 is the last key of ${link}; the first seals.\n`);
      const text = Deno.readTextFileSync(path);
      assertMatch(text.slice(`${before}${between}`.length), /^k2:[0-9a-f]{64}\n$/);
      assert(text.startsWith(`${before}${between}k2`), text);
      assertEquals(modeOf(path), 0o640);
      assert(Deno.lstatSync(link).isSymlink);
      assertEquals(Deno.readTextFileSync(`${folder}/other`), text);
    });
  }
});

Deno.test("keygen api prints the new key once, and a caller may have two", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/api-keys`;
    // The longest.
    const name = "n".repeat(64);
    const first = await keygen("api", path, name);
    const second = await keygen("api", path, name);
    assertEquals(
      [first.code, first.stderr, second.code, second.stderr],
      [
        0,
        `authenticator: ${path} is made, with the key ${name}.\n`,
        0,
        `authenticator: ${name} is the last key of ${path}.\n`,
      ],
    );
    const keys = parseKeys(Deno.readTextFileSync(path));
    assertEquals(
      keys,
      [first, second].map(({ stdout }) => ({
        name,
        key: stdout.replace(/\n$/, ""),
      })),
    );
    assertMatch(first.stdout, /^[0-9a-f]{64}\n$/);
    assert(first.stdout !== second.stdout);
    assertEquals(modeOf(path), 0o600);
  });
});

Deno.test("keygen guard makes a key of 32 bytes, and refuses a file that exists", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/guard.key`;
    const { code, stdout, stderr } = await keygen("guard", path);
    assertEquals([code, stdout, stderr], [0, "", `authenticator: ${path} is made.\n`]);
    const text = Deno.readTextFileSync(path);
    assertEquals([atob(text.trimEnd()).length, modeOf(path)], [32, 0o600]);
    const again = await keygen("guard", path);
    assertEquals([again.code, again.stdout], [1, ""]);
    assert(again.stderr.startsWith(`${ERROR}cannot write ${path}: `), again.stderr);
    assertEquals(Deno.readTextFileSync(path), text);
  });
});

Deno.test("keygen leaves a file that is not right as it is", async () => {
  const stays = "cannot be used, and stays as it is";
  const seal = "line 2 must be a name, a colon, and a key of 64 hexadecimal digits";
  // The kind, the file before, and the error behind its path.
  const rows: readonly (readonly [string, string, string])[] = [
    ["seal", `${SEAL_LINE}\ncanary\n`, `${stays}: ${seal}`],
    ["seal", `${SEAL_LINE}\n${SEAL_LINE.slice(0, -1)}`, `${stays}: ${seal}`],
    ["seal", `${SEAL_LINE}\n${SEAL_LINE}\n`, `${stays}: line 2 has a name that is above it`],
    ["seal", `x:${"08".repeat(32)}\n${SEAL_LINE}`, "has a key old already: give another NAME"],
    [
      "api",
      "x:canary",
      `${stays}: line 1 must have after its name a key of 16 to 256 printable ASCII characters, no spaces`,
    ],
  ];
  for (const [kind, before, message] of rows) {
    await withFolder(async (folder) => {
      const path = `${folder}/keys`;
      Deno.writeTextFileSync(path, before);
      const name = message.includes("give another") ? "old" : "new";
      const { code, stdout, stderr } = await keygen(kind, path, name);
      assertEquals([code, stdout, stderr], [1, "", `${ERROR}${path} ${message}.\n`]);
      assertEquals(Deno.readTextFileSync(path), before);
    });
  }
});

Deno.test("keygen refuses UTF-16, a folder, a folder that is missing and a name that is none", async () => {
  await withFolder(async (folder) => {
    Deno.writeFileSync(`${folder}/wide`, Uint8Array.of(0xFF, 0xFE, 0x61, 0));
    const wide = await keygen("seal", `${folder}/wide`);
    assertEquals(wide.code, 2);
    assert(wide.stderr.includes("is UTF-16"), wide.stderr);
    assertEquals((await keygen("seal", folder)).stderr, `${ERROR}${folder} is not a file.\n`);
    const missing = await keygen("api", `${folder}/none/keys`, "a");
    assertEquals([missing.code, missing.stdout], [1, ""]);
    assert(missing.stderr.startsWith(`${ERROR}cannot write ${folder}/none/keys: `));
  });
  for (const name of ["1st", "a b", "a:b", "", "ä", "n".repeat(65)]) {
    const { code, stderr } = await keygen("seal", "LICENSE", name);
    assertEquals([code, stderr.split(",")[0]], [2, `${ERROR}NAME must begin with a letter`], name);
  }
});

Deno.test("keygen takes back a line for which a file has no room", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/keys`;
    const before = `#${"x".repeat(490)}\n`;
    Deno.writeTextFileSync(path, before);
    // A file may have one block of 512 bytes. The program inherits the ignored signal.
    const words = [...programWords(), "keygen", "seal", path];
    const { code, stderr } = await runToEnd(
      ["sh", "-c", `trap '' XFSZ; ulimit -f 1; exec "$@"`, "-", ...words],
      { cwd: ROOT, env: { NO_COLOR: "1" } },
    );
    const message = `${ERROR}cannot write ${path}: is there room on the disk?\n`;
    assertEquals([code, stderr], [1, message]);
    assertEquals(Deno.readTextFileSync(path), before);
  });
});
