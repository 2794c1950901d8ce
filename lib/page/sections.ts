/**
 * Sections of the service page without forms.
 *
 * @module
 */

import { OPERATIONS } from "../operations/operations.ts";
import { element, type MarkupElement, type MarkupNode } from "../xml/writer.ts";
import type { PageContext } from "./context.ts";
import { rootPath } from "./layout/layout.ts";
import { section, table } from "./layout/components.ts";
import type { Sample } from "./samples/samples.ts";
import { isInTheClear } from "./shared/plain_http.ts";

/** Writes the warnings for the operator, if any. */
export function warnings({ base, service: { otp } }: PageContext): readonly MarkupElement[] {
  // Behind a proxy the server does not know the scheme of the page; the script does.
  const clear = warning(
    "Anyone on the network can read secrets and pins sent over plain HTTP. Set up HTTPS before " +
      "real users connect.",
    { class: "warning in-the-clear", ...(isInTheClear(base) ? {} : { hidden: "" }) },
  );
  if (otp.window <= 2) return [clear];
  const seconds = (2 * otp.window + 1) * otp.period;
  const wide = `This server accepts a pin for ${seconds} seconds: ${stepsOf(otp.window)} before ` +
    "and after the current one. A wide window makes pins easier to guess; one step is enough for " +
    "most clocks.";
  return [clear, warning(wide)];
}

function warning(
  text: string,
  attributes: Readonly<Record<string, string>> = { class: "warning" },
): MarkupElement {
  return element("p", { ...attributes, role: "note" }, element("strong", {}, "Warning. "), text);
}

/** Writes the places of the computation of a code; the script fills them in. */
export function codeSection({ service: { otp } }: PageContext): MarkupElement {
  const place = (name: string): MarkupElement => element("code", { "data-part": name }, "-");
  const live = (...content: readonly MarkupNode[]): MarkupElement =>
    element("p", { class: "js-only" }, ...content);
  const steps = [
    [
      `Count the time: the whole steps of ${otp.period} seconds since 1970.`,
      live(
        "Now, for the secret in the form: ",
        place("seconds"),
        ` s / ${otp.period} = `,
        place("step"),
      ),
    ],
    [
      `Make the HMAC-${otp.algorithm} of that number, as 8 bytes, with the secret's key.`,
      live(place("mac")),
    ],
    [
      "The last half byte says where to take 4 bytes; their top bit is cleared.",
      live("Offset ", place("offset"), ", bytes ", place("taken"), " = ", place("number")),
    ],
    [
      `The last ${otp.digits} digits of that number are the code.`,
      live(place("number"), ` mod ${10 ** otp.digits} = `, place("code")),
    ],
  ] as const;
  return section(
    {
      id: "codes",
      title: "How a code comes about",
      about: "An app and this server compute the same from the secret and the time (RFC 4226, " +
        "RFC 6238). Nothing is exchanged after the pairing.",
    },
    element(
      "ol",
      { "class": "steps live", "data-algorithm": otp.algorithm },
      ...steps.map(([text, shown]) => element("li", {}, text, shown)),
    ),
  );
}

/** Writes the table of the formats, from the samples of one operation. */
export function formatsSection(samples: readonly Sample[]): MarkupElement {
  const code = (text: string): MarkupElement => element("code", {}, text);
  const rows = samples.map(({ binding, call: { method, path, headers } }) => [
    binding,
    code(`${method} /api.asmx${path.replace(/\?.*/, "?...")}`),
    "Content-Type" in headers ? code(headers["Content-Type"]) : "none",
  ]);
  return section(
    {
      id: "formats",
      title: "One service, many formats",
      about:
        `All give the same results; ${[...OPERATIONS.keys()][0]} stands for every operation. ` +
        "With HTTP GET the secret becomes part of the address, which proxies and servers write into " +
        "their logs: prefer any other.",
    },
    table("Formats", ["Format", "Request", "Content-Type"], rows),
  );
}

/** Writes links to the descriptions and their purpose; the documents do not link back. */
export function wsdlSection(context: PageContext): MarkupElement {
  const { base } = context;
  const url = `${base}/api.asmx?wsdl`;
  const newTab = { target: "_blank", rel: "noopener" };
  const rows = [
    // Quote the URL: shells such as zsh take a question mark for a pattern.
    ["C#", `dotnet-svcutil "${url}"`],
    ["Java", `wsimport -extension "${url}"`],
    ["PHP", `new SoapClient('${url}')`],
    ["Python", `zeep.Client("${url}")`],
    ["TypeScript", `npx openapi-typescript ${base}/openapi.json`],
  ].map(([language = "", text = ""]) => [language, element("code", {}, text)]);
  return section(
    {
      id: "wsdl",
      title: "Service description (WSDL)",
      about:
        "SOAP tools read it and make a client from it. The JSON form has an OpenAPI description. " +
        "Both open in a new tab.",
    },
    element(
      "p",
      { class: "row" },
      element("a", { href: "?wsdl", ...newTab }, "Open the WSDL"),
      element(
        "a",
        { href: `${rootPath(context)}openapi.json`, ...newTab },
        "Open the OpenAPI description",
      ),
    ),
    table("Tools", [], rows),
  );
}

/** Lists the options that callers notice. */
export function settingsSection(
  { namespace, wantsKey, maxFailures, singleUse, service: { otp, secretEncoding } }: PageContext,
): MarkupElement {
  const rows: readonly (readonly string[])[] = [
    ["Codes", `${otp.digits} digits, a new one every ${otp.period} seconds, HMAC-${otp.algorithm}`],
    [
      "Accepted",
      `${(2 * otp.window + 1) * otp.period} seconds: ${stepsOf(otp.window)} before and after`,
    ],
    ["A secretCode is", secretEncoding === "text" ? "text; its UTF-8 bytes are the key" : "Base32"],
    ["A code works", singleUse ? "once" : "any number of times while it is accepted"],
    [
      "After wrong pins",
      maxFailures === 0
        ? "no limit"
        : `${maxFailures} for a secret, less one an hour: its pins are refused for 30 seconds, then longer`,
    ],
    [
      "API key",
      wantsKey ? "required: X-Api-Key, a bearer token, or the password of HTTP Basic" : "none",
    ],
    ["Namespace", namespace],
  ];
  return section(
    {
      id: "settings",
      title: "Server settings",
      about: "Standards: RFC 6238 (TOTP), RFC 4226 (HOTP), Key URI Format, ISO/IEC 18004 (QR).",
    },
    table("Server settings", [], rows),
  );
}

function stepsOf(count: number): string {
  return count === 1 ? "1 time step" : `${count} time steps`;
}
