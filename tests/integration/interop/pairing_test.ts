/** Pairing: an HTML parser reads the Html, and a scanner reads the QR code in it. */

import { assertEquals } from "@std/assert/equals";
import { type Account, ACCOUNTS, keyUriOf, namesInUri } from "./accounts.ts";
import { referenceBase32 } from "../../support/reference_base32.ts";
import { type Binding, BINDINGS, pair } from "./clients.ts";
import { runClient } from "../../support/client_program.ts";
import { scanAddress, scanSvg } from "../../support/scan.ts";
import { serverForTests } from "../../support/test_server.ts";

const server = serverForTests();

async function htmlOf(binding: Binding, account: Account): Promise<string> {
  const { appName, appInfo, secretCode } = account;
  return (await pair(server.url, binding, { appName, appInfo, secretCode })).Html;
}

type Found =
  | { readonly name: string; readonly attributes: readonly (readonly [string, string])[] }
  | { readonly text: string };

/** The elements in the Html for an account. */
function expectedElements(account: Account, html: string): readonly Found[] {
  const uri = keyUriOf(account);
  const [issuer, name] = namesInUri(account);
  const side = / viewBox='0 0 ([0-9]+) \1'/.exec(html)?.[1] ?? "a number";
  const pixels = Math.max(300, 3 * Number(side));
  return [
    {
      name: "a",
      attributes: [["title", `Manually pair with ${referenceBase32(account.secretCode)}`], [
        "href",
        uri,
      ]],
    },
    {
      name: "svg",
      attributes: [
        ["xmlns", "http://www.w3.org/2000/svg"],
        ["viewbox", `0 0 ${side} ${side}`],
        ["width", String(pixels)],
        ["height", String(pixels)],
        ["role", "img"],
        ["aria-label", `QR code for ${issuer} (${name})`.replace(/[\t\n]/g, " ")],
      ],
    },
    {
      name: "rect",
      attributes: [
        ["width", side],
        ["height", side],
        ["fill", "#fff"],
        ["fill-opacity", "1"],
        ["stroke", "none"],
      ],
    },
    {
      name: "path",
      attributes: [
        ["fill", "none"],
        ["stroke", "#000"],
        ["stroke-width", "1"],
        ["stroke-opacity", "1"],
        ["stroke-linecap", "butt"],
        ["stroke-linejoin", "miter"],
        ["stroke-miterlimit", "4"],
        ["stroke-dasharray", "none"],
        ["stroke-dashoffset", "0"],
        ["marker-start", "none"],
        ["marker-mid", "none"],
        ["marker-end", "none"],
        ["shape-rendering", "crispEdges"],
        ["d", /<path [^>]*d='([mh0-9. -]+)'/.exec(html)?.[1] ?? ""],
      ],
    },
  ];
}

for (const [i, account] of ACCOUNTS.entries()) {
  const binding = BINDINGS[i % BINDINGS.length]!;
  const names = [account.appName, account.appInfo]
    .map((name) => JSON.stringify(name.length > 40 ? `${name.slice(0, 8)}…` : name));
  const description = `${names.join(" and ")} over ${binding} (${i + 1})`;

  Deno.test(`zbarimg reads the Key URI of ${description}`, async () => {
    const html = await htmlOf(binding, account);
    const svg = html.slice(html.indexOf("<svg"), html.lastIndexOf("</a>"));
    assertEquals(await scanSvg(svg), keyUriOf(account));
  });

  Deno.test(`an HTML parser finds a link and a picture for ${description}`, async () => {
    const html = await htmlOf(binding, account);
    const found = await runClient("/usr/bin/python3", "html_elements.py", [], html);
    assertEquals(found, expectedElements(account, html));
  });
}

const TEXTS = [
  "café",
  "Grüße, señor Ærøskøbing",
  "é0123456789012345é",
  "日本語のテキスト",
  "漢字かな交じり文 ABC 123",
  "Ω Ж ไทย שלום",
  "🔑👩‍👩‍👧",
  "naïve ½ ±",
  "plain ASCII, 1234567890",
];

for (const text of TEXTS) {
  Deno.test(`zbarimg reads ${text} off the pictures of qr.aspx`, async () => {
    const address = `${server.url}/qr.aspx?data=${encodeURIComponent(text)}`;
    assertEquals(await scanAddress(address), text);
    const svg = await fetch(`${address}&format=svg`);
    assertEquals(await scanSvg(await svg.text()), text);
  });
}
