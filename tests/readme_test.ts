import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { flagOf, namesOf, OPTIONS, variableOf } from "../lib/config.ts";
import { BODY_TIMEOUT_MS, MAX_BODY_BYTES } from "../lib/http/body.ts";
import { MAX_BODIES } from "../lib/http/body_turns.ts";
import { MAX_QUERY_LENGTH } from "../lib/http/target.ts";
import { OPERATIONS } from "../lib/service/operations.ts";
import { DEFAULT_TOTP } from "../lib/otp/totp.ts";
import { pair } from "../lib/service/pair.ts";
import { XML_LIMITS } from "../lib/xml/tree.ts";

const ROOT = new URL("../", import.meta.url);
const README = Deno.readTextFileSync(new URL("README.md", ROOT));

/** The cells of the table between two marks, without its head. */
function tableIn(mark: string): string[][] {
  const [, inside] = README.split(new RegExp(`<!-- /?${mark} -->`));
  assert(inside !== undefined, `the README has no table marked ${mark}`);
  return inside.trim().split("\n").slice(2).map((row) =>
    row.split("|").slice(1, -1).map((cell) => cell.trim())
  );
}

const numbers = new Intl.NumberFormat("en");

Deno.test("the README's table of options is the one that is parsed", () => {
  const rows = namesOf(OPTIONS).map((name) => {
    const { placeholder, defaultText, description } = OPTIONS[name];
    const flag = `\`${flagOf(name)}${placeholder === undefined ? "" : ` ${placeholder}`}\``;
    const shown = defaultText === "" ? "" : `\`${defaultText}\``;
    return [flag, `\`${variableOf(name)}\``, shown, description];
  });
  assertEquals(tableIn("options"), rows);
});

Deno.test("the README's table of limits is the one that is kept", () => {
  const parameters = new Map(
    [...OPERATIONS.values()].flatMap((o) => o.parameters).map((p) => [
      p.name,
      `${numbers.format(p.max)} ${p.unit}`,
    ]),
  );
  const fault = "fault, or 400";
  assertEquals(tableIn("limits"), [
    ["Body", `${numbers.format(MAX_BODY_BYTES)} bytes`, "413"],
    ["Reading a body", `${BODY_TIMEOUT_MS / 1000} seconds`, "408"],
    ["Bodies that are read at once", numbers.format(MAX_BODIES), "503"],
    ["Query string", `${numbers.format(MAX_QUERY_LENGTH)} characters`, "414"],
    ...[...parameters].map(([name, limit]) => [`\`${name}\``, limit, fault]),
    ["XML: elements inside one another", numbers.format(XML_LIMITS.depth), "fault"],
    ["XML: elements", numbers.format(XML_LIMITS.elements), "fault"],
    ["XML: attributes on an element", numbers.format(XML_LIMITS.attributes), "fault"],
    ["XML: namespace declarations in scope", numbers.format(XML_LIMITS.namespaces), "fault"],
    ["XML: name", `${numbers.format(XML_LIMITS.nameLength)} characters`, "fault"],
  ]);
});

Deno.test("the README shows the way of a request as the handler does", () => {
  const handler = Deno.readTextFileSync(new URL("lib/http/handler.ts", ROOT));
  const drawn = handler.split("```")[1]!.replace(/^ \* ?/gm, "").replace(/^text/, "").trim();
  assert(drawn.startsWith("bytes ─ runtime"));
  assert(README.includes(drawn));
});

Deno.test("the README's picture and setup code are what its first call gives", () => {
  const [, appName, appInfo, secretCode] =
    /appName=([^']+)'[^']+'appInfo=([^']+)'[^']+'secretCode=([^']+)'/.exec(README) ?? [];
  assert(appName !== undefined && appInfo !== undefined && secretCode !== undefined);
  const otp = { ...DEFAULT_TOTP, window: 1 };
  const { ManualSetupCode, Html } = pair(
    { appName, appInfo, secretCode },
    { otp, secretEncoding: "text", html: "svg", now: () => 0, base: () => "" },
  );
  assert(README.includes(`<ManualSetupCode>${ManualSetupCode}</ManualSetupCode>`));
  const svg = Html.slice(Html.indexOf("<svg"), Html.indexOf("</a>"));
  assertEquals(Deno.readTextFileSync(new URL("docs/pairing.svg", ROOT)).trimEnd(), svg);
});

Deno.test("every file that the README's map names exists", () => {
  const map = README.slice(README.indexOf("| Room"));
  const files = [...map.matchAll(/^\| `(lib\/[a-z]+\/)` +\| (.*)\|$/gm)]
    .flatMap(([, room, cell]) => [...cell!.matchAll(/`([a-z_]+\.ts)`/g)].map(([, f]) => room! + f));
  for (const file of files) assert(Deno.statSync(new URL(file, ROOT)).isFile, file);
  assert(files.length > 30);
});

Deno.test("the README's table of clients is that of the interop suite", () => {
  const page = Deno.readTextFileSync(new URL("docs/interop.md", ROOT));
  const [table] = /^\| Client [^]*?\n\n/m.exec(page) ?? [];
  assert(table !== undefined && table.split("\n").length > 10);
  assert(README.includes(table));
});
