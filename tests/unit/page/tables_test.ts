/** The page is written by hand: these tests name the section to write when a table has a new row. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { bindingsOf } from "../../../lib/bindings/bindings.ts";
import { MAX_BODY_BYTES } from "../../../lib/http/body.ts";
import { MAX_JSON_BYTES } from "../../../lib/bindings/json.ts";
import { FAULTS } from "../../../lib/bindings/faults.ts";
import { OPTIONS } from "../../../lib/config/options.ts";
import { MAX_QUERY_LENGTH } from "../../../lib/http/request_target.ts";
import { OPERATIONS } from "../../../lib/operations/operations.ts";
import { choicesOf, getPage, textOf } from "../../support/service_page.ts";
import { handlerWith } from "../../support/handler.ts";
import { SEAL_KEY_LINES } from "../../support/seal_keys.ts";

/** Cells of a table, row by row, by its accessible name. */
function rowsOf(html: string, name: string): readonly (readonly string[])[] {
  const [, table] = new RegExp(`<table aria-label="${name}">([^]*?)</table>`).exec(html) ?? [];
  assert(table !== undefined, `page.html has no table: ${name}`);
  return [...table.matchAll(/<tr>([^]*?)<\/tr>/g)]
    .map(([, row]) =>
      [...row!.matchAll(/<t[hd][^>]*>([^]*?)<\/t[hd]>/g)].map(([, cell]) => textOf(cell!).trim())
    );
}

const service = (secretEncoding: "text" | "base32", digits: number) => ({
  algorithm: "SHA1",
  digits,
  period: 30,
  window: 1,
  secretEncoding,
  html: "svg",
  now: () => 0,
} as const);

for (const { name, documentation, parameters, result } of OPERATIONS.values()) {
  Deno.test(`section #${name} of page.html documents ${name} as its row in OPERATIONS`, async () => {
    for (const [secretEncoding, digits] of [["text", 6], ["base32", 8]] as const) {
      const context = service(secretEncoding, digits);
      const { html } = await getPage(
        handlerWith({ flags: { "secret-encoding": secretEncoding, digits: String(digits) } }),
      );
      assert(html.includes(`<a href="#${name}">${name}</a>`), "the navigation");
      assert(textOf(html).includes(documentation), documentation);
      const rows = rowsOf(html, `Parameters of ${name}`).slice(1);
      assertEquals(
        rows.map(([parameter, limit]) => [parameter, limit]),
        parameters.map((each) => [each.name, `${each.max.toLocaleString("en")} ${each.unit}`]),
      );
      for (const [i, { name: parameter, purpose, mayBeEmpty }] of parameters.entries()) {
        const meaning = rows[i]![2]!;
        assert(meaning.startsWith(purpose(context)), `${parameter}: ${meaning}`);
        assertEquals(meaning.includes("It can be empty."), mayBeEmpty, parameter);
        if (!html.includes(`data-operation="${name}"`)) continue;
        const field = `${name}-${parameter}`;
        const [, hint] = new RegExp(`id="${field}-hint"\\s*>([^]*?)</span>\\s*</div>`).exec(html)!;
        // The form of the pin has shorter hints: the first sentence, and a reference to the other form.
        const said = textOf(hint!).trim();
        if (field === "ValidatePin-pin") assert(purpose(context).startsWith(said), said);
        else if (field === "ValidatePin-secretCode") {
          assertMatch(said, /^The one .* paired with\.$/);
        } else assertEquals(said, purpose(context), field);
        const [input] = new RegExp(`<input id="${field}" name="${parameter}"[^>]*>`).exec(html)!;
        assertEquals(/\brequired\b/.test(input), !mayBeEmpty, field);
      }
      const fields: readonly string[] = result.kind === "record"
        ? result.fields
        : [`${name}Result`];
      assertEquals(rowsOf(html, `Reply of ${name}`).slice(1).map(([field]) => field!), fields);
    }
  });
}

Deno.test("section #errors of page.html has the statuses of every fault, and its limits", async () => {
  const apiKeys = ["0123456789abcdef"];
  const headers = { "x-api-key": apiKeys[0]! };
  const { html } = await getPage(handlerWith({ apiKeys }), "", { headers });
  const rows = rowsOf(html, "Errors").slice(1)
    .flatMap(([status, soap]) =>
      status!.split(", ").map((each, i) => `${each} ${soap!.split(", ")[i]}`)
    );
  const { "bad-host": _, ...faults } = FAULTS; // A caller cannot mistype a Host.
  const expected = Object.values(faults).map(({ status, soapStatus }) => `${status} ${soapStatus}`);
  assertEquals(new Set(rows), new Set(expected));
  const text = textOf(html);
  for (
    const limit of [
      `${MAX_BODY_BYTES / 1024} KiB (JSON: ${MAX_JSON_BYTES / 1024} KiB)`,
      `${MAX_QUERY_LENGTH.toLocaleString("en")} characters`,
    ]
  ) assert(text.includes(limit), limit);
  const { html: open } = await getPage(handlerWith());
  assertEquals(rowsOf(open, "Errors").some(([status]) => status === "401"), false);
});

Deno.test("every format of the bindings is chosen and described in one order", async () => {
  const { html } = await getPage(handlerWith());
  const formats = rowsOf(html, "Formats").slice(1).map(([format]) => format!);
  assertEquals(
    [...formats].sort(),
    bindingsOf("urn:x/").map(({ name }) => name).sort(),
    "give the binding a row in the table Formats of page.html, and a panel for each operation",
  );
  for (const [, operation] of html.matchAll(/data-operation="([^"]+)"/g)) {
    assertEquals(choicesOf(html, `${operation}-format`), formats);
  }
});

// Options that callers do not notice.
const UNSEEN = new Set([
  ...["host", "port", "sharePort", "socket", "socketMode", "tlsCert", "tlsKey", "trustProxy"],
  ...["metrics", "metricsPort", "metricsHost", "logFormat", "logPeer", "logProbes"],
  ...["guard", "guardEntries", "guardKeyFile", "guardPasswordFile", "guardTlsCa", "guardTlsCert"],
  ...["guardTlsKey", "exitWithParent"],
]);

// The files of keys are read by the server; the handler is given the keys.
const KEY_FILES = new Set(["apiKeysFile", "sealKeysFile"]);

const VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  namespace: { namespace: "urn:other/" },
  baseUrl: { "base-url": "https://pin.example.com" },
  html: { html: "image" },
  window: { window: "2" },
  algorithm: { algorithm: "SHA256" },
  digits: { digits: "7" },
  period: { period: "60" },
  secretEncoding: { "secret-encoding": "base32" },
  maxFailures: { "max-failures": "0" },
  singleUse: { "single-use": "true" },
};

Deno.test("page.html describes sealed secrets where the server has seal keys", async () => {
  const { html } = await getPage(handlerWith({ sealKeys: SEAL_KEY_LINES }));
  const { html: without } = await getPage(handlerWith());
  assertEquals(
    rowsOf(html, "Parameters of ValidatePin").at(-1)![1],
    "1,024 bytes, 2,048 if it is sealed",
  );
  assertEquals(rowsOf(html, "Parameters of Pair").at(-1)![1], "1,024 bytes");
  assert(rowsOf(html, "Server settings").some(([name]) => name === "Sealed secrets"));
  assert(textOf(html).includes("This server encrypts it for you"));
  assert(!/\/seal|is sealed|encrypts it/.test(textOf(without)), textOf(without));
});

Deno.test("page.html has the sentences of a setting's value, and not those of the other value", async () => {
  const key = "0123456789abcdef";
  const headers = { "x-api-key": key };
  const usual = textOf((await getPage(handlerWith())).html);
  for (
    const [changes, before, after] of [
      [{ flags: VALUES["maxFailures"]! }, "After 100 wrong pins", "does not count wrong pins"],
      [{ flags: VALUES["maxFailures"]! }, "100 for a secret", "no limit"],
      [{ flags: VALUES["singleUse"]! }, "as often as it is sent", "Each code is accepted once."],
      [{ flags: VALUES["singleUse"]! }, "any number of times", ", and a right code is used up"],
      [{ flags: { window: "0" } }, "90 seconds: 1 time step before", "30 seconds: 0 time steps b"],
      [{ flags: VALUES["digits"]! }, "mod 1000000 =", "mod 10000000 ="],
      [{ flags: VALUES["algorithm"]! }, "Choose time-based in", "Choose time-based, SHA256 in"],
      [{ flags: VALUES["digits"]! }, "Choose time-based in", "Choose time-based, 7 digits in"],
      [{ flags: VALUES["period"]! }, "Choose time-based in", ", a period of 60 seconds in"],
      [{ apiKeys: [key] }, "The QR code appears here.", "required: X-Api-Key"],
      [{ flags: VALUES["baseUrl"]! }, "is an example", "https://pin.example.com/api.asmx"],
    ] as const
  ) {
    const changed = textOf((await getPage(handlerWith(changes), "", { headers })).html);
    const shown = [usual, changed].map((text) =>
      [before, after].map((part) => text.includes(part))
    );
    assertEquals(shown, [[true, false], [false, true]], before);
  }
});

Deno.test("page.html shows every option that callers notice", async () => {
  const { html } = await getPage(handlerWith());
  const options = Object.keys(OPTIONS).filter((name) => !UNSEEN.has(name));
  assertEquals(
    options.filter((name) => !KEY_FILES.has(name)).sort(),
    Object.keys(VALUES).sort(),
    "name the option in UNSEEN; or if callers notice it, in VALUES, and show it on page.html",
  );
  for (const [name, flags] of Object.entries(VALUES)) {
    assert((await getPage(handlerWith({ flags }))).html !== html, name);
  }
});
