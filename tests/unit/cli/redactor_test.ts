import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { Redactor } from "../../../lib/cli/redactor.ts";

const KEY = "canary/key-with+64.chars";

Deno.test("Redactor hides a secret that comes back: whole, in pieces, in Base64, percent-encoded", () => {
  const redactor = new Redactor([KEY], "linux");
  const hex = [...KEY].map((c) => `%${c.charCodeAt(0).toString(16)}`);
  const spellings = [
    KEY,
    KEY.toUpperCase(),
    KEY.slice(3, 11),
    encodeURIComponent(KEY),
    hex.join(""),
    // Every other character.
    [...KEY].map((c, i) => i % 2 === 0 ? hex[i] : c).join(""),
    btoa(KEY),
    btoa(KEY).replaceAll("+", "-").replaceAll("/", "_"),
    btoa(`a${KEY}b`),
    btoa(`ab${KEY}`),
  ];
  for (const spelling of spellings) {
    const text = redactor.text(`before ${spelling} after`);
    assert(/^'before \S*…\S* after'$/.test(text), text);
    assert(text.length <= "'before ….... after'".length + 8, text);
    assertEquals(redactor.setting("--base-url", `http://a/${spelling}`), "--base-url");
  }
  assertEquals(redactor.text("before key-wit after"), "before key-wit after");
});

Deno.test("Redactor hides long setup keys, and quotes nothing that is words", () => {
  const redactor = new Redactor([], "linux");
  assertEquals(redactor.text(`a ${"A7".repeat(16)}: b`), "'a …: b'");
  assertEquals(
    redactor.text("404 text/html, http://a.example:8080/b-c"),
    "404 text/html, http://a.example:8080/b-c",
  );
});

Deno.test("Redactor writes a value with quotes for the shell of the platform, or not at all", () => {
  const values: readonly (readonly [string, string, string])[] = [
    ["urn:pins/", " urn:pins/", " urn:pins/"],
    ["urn:$(x)'y'/", " 'urn:$(x)'\\''y'\\''/'", " 'urn:$(x)''y''/'"],
    ["urn:a,b/", " 'urn:a,b/'", " 'urn:a,b/'"],
    // cmd.exe has no quotes for these.
    ["urn:a&calc/", " 'urn:a&calc/'", ""],
    ["urn:%PATH%/", " 'urn:%PATH%/'", ""],
    // No value of an option is so, whatever its grammar becomes.
    ["urn:a b/", "", ""],
    ["urn:\u202E/", "", ""],
    ["urn:\u2019;x/", "", ""],
    [`urn:${"a".repeat(100)}/`, "", ""],
  ];
  for (const [value, sh, powershell] of values) {
    assertEquals(new Redactor([], "linux").setting("--x", value), `--x${sh}`);
    assertEquals(new Redactor([], "win32").setting("--x", value), `--x${powershell}`);
  }
  assertEquals(new Redactor([], "win32").text("\u2019; calc"), "'\u2019\u2019; calc'");
});
