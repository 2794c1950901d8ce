import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { flagOf, namesOf, variableOf } from "../lib/config/option.ts";
import { OPTIONS } from "../lib/config/options.ts";
import { BODY_TIMEOUT_MS, MAX_BODY_BYTES } from "../lib/body/body.ts";
import { MAX_BODIES } from "../lib/body/body_turns.ts";
import { MAX_QUERY_LENGTH } from "../lib/http/target.ts";
import { OPERATIONS } from "../lib/service/operations.ts";
import { DEFAULT_TOTP } from "../lib/otp/totp.ts";
import { pair } from "../lib/service/pair.ts";
import { XML_LIMITS } from "../lib/xml/tree.ts";
import { PAGES, prose, read, ROOT } from "./support/pages.ts";

/** The cells of the table between two marks, without its head. */
function tableIn(page: string, mark: string): string[][] {
  const [, inside] = read(page).split(new RegExp(`<!-- /?${mark} -->`));
  assert(inside !== undefined, `${page} has no table marked ${mark}`);
  return inside.trim().split("\n").slice(2).map((row) =>
    row.split("|").slice(1, -1).map((cell) => cell.trim())
  );
}

const numbers = new Intl.NumberFormat("en");

Deno.test("docs/options.md: the table of options is the one that is parsed", () => {
  const rows = namesOf(OPTIONS).map((name) => {
    const { placeholder, defaultText, description } = OPTIONS[name];
    const flag = `\`${flagOf(name)}${placeholder === undefined ? "" : ` ${placeholder}`}\``;
    const shown = defaultText === "" ? "" : `\`${defaultText}\``;
    return [flag, `\`${variableOf(name)}\``, shown, description];
  });
  assertEquals(tableIn("docs/options.md", "options"), rows);
});

Deno.test("docs/runtimes.md: the table of limits is the one that is kept", () => {
  const parameters = new Map(
    [...OPERATIONS.values()].flatMap((o) => o.parameters).map((p) => [
      p.name,
      `${numbers.format(p.max)} ${p.unit}`,
    ]),
  );
  const fault = "fault, or 400";
  assertEquals(tableIn("docs/runtimes.md", "limits"), [
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

Deno.test("docs/house.md shows the way of a request as the handler does", () => {
  const drawn = read("lib/http/handler.ts").split("```")[1]!.replace(/^ \* ?/gm, "").replace(
    /^text/,
    "",
  ).trim();
  assert(drawn.startsWith("bytes ─ runtime"));
  assert(read("docs/house.md").includes(drawn));
});

Deno.test("the README's picture and setup code are what its first call gives", () => {
  const readme = read("README.md");
  const [, appName, appInfo, secretCode] =
    /appName=([^']+)'[^']+'appInfo=([^']+)'[^']+'secretCode=([^']+)'/.exec(readme) ?? [];
  assert(appName !== undefined && appInfo !== undefined && secretCode !== undefined);
  const otp = { ...DEFAULT_TOTP, window: 1 };
  const { ManualSetupCode, Html } = pair(
    { appName, appInfo, secretCode },
    { otp, secretEncoding: "text", html: "svg", now: () => 0, base: () => "" },
  );
  assert(readme.includes(`<ManualSetupCode>${ManualSetupCode}</ManualSetupCode>`));
  const svg = Html.slice(Html.indexOf("<svg"), Html.indexOf("</a>"));
  assertEquals(read("docs/pairing.svg").trimEnd(), svg);
});

Deno.test("docs/house.md: the map has every room, and every file that it names exists", () => {
  const rooms = [...read("docs/house.md").matchAll(/^- \*\*`(lib\/\w+\/)`\*\*(.*(?:\n {2}.*)*)/gm)];
  const files = rooms.flatMap(([, room, text]) =>
    [...text!.matchAll(/`(\w+\.ts)`/g)].map(([, file]) => room! + file)
  );
  for (const file of files) assert(Deno.statSync(new URL(file, ROOT)).isFile, file);
  assert(files.length > 30);
  const folders = [...Deno.readDirSync(new URL("lib/", ROOT))].filter((entry) => entry.isDirectory);
  assertEquals(
    rooms.map(([, room]) => room!).sort(),
    folders.map(({ name }) => `lib/${name}/`).sort(),
  );
});

/** The page without its code, where `[a](b)` is no link and `#` no heading. */
function withoutCode(page: string): string {
  return prose(page).replace(/`[^`\n]+`/g, (code) => code.replace(/[[\]#]/g, " "));
}

/** The anchors of a page's headings, as forges make them. */
function anchorsOf(page: string): readonly string[] {
  return [...withoutCode(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replaceAll(" ", "-")
  );
}

Deno.test("the documentation: every link leads to a file, and to a heading in it", () => {
  const dead = PAGES.flatMap((page) =>
    [...withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!)
      .filter((target) => !/^https?:/.test(target))
      .filter((target) => {
        const { pathname, hash, href } = new URL(target, new URL(page, ROOT));
        const path = pathname.slice(ROOT.pathname.length);
        assert(href.startsWith(ROOT.href), `${page} links out of the project: ${target}`);
        const isThere = exists(pathname);
        return !isThere || hash !== "" && !anchorsOf(path).includes(hash.slice(1));
      })
      .map((target) => `${page}: ${target}`)
  );
  assertEquals(dead, []);
});

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile || Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

Deno.test("the README has at most 200 lines, and links every page of docs/", () => {
  const readme = read("README.md");
  assert(readme.split("\n").length <= 200);
  const missing = PAGES.filter((page) => page.startsWith("docs/") && !readme.includes(`(${page})`));
  assertEquals(missing, []);
});
