/**
 * Sections of the service page without forms.
 *
 * @module
 */

import { type Operation, OPERATIONS } from "../operations/operations.ts";
import { element, type MarkupElement } from "../xml/writer.ts";
import type { PageContext } from "./context.ts";
import { rootPath } from "./layout/layout.ts";
import { link, marked, pane, section, table, tabs } from "./layout/components.ts";
import type { Sample } from "./samples/samples.ts";
import { isInTheClear } from "./shared/plain_http.ts";
import { textKindOf } from "./samples/quoting.ts";
import { type Format, FORMATS } from "./snippets/language.ts";
import { snippetsOf } from "./snippets/snippets.ts";

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

/** Writes the steps of a login that uses both operations. */
export function loginSection({ singleUse, maxFailures }: PageContext): MarkupElement {
  const throttled = maxFailures !== undefined && maxFailures > 0
    ? `After ${maxFailures} wrong pins this server refuses all pins of the secret for a while.`
    : "This server does not count wrong pins: count them, and lock the account.";
  const used = singleUse === true
    ? "Each code is accepted once."
    : "A code is accepted as often as it is sent while it is valid.";
  const steps: readonly (readonly [string, string])[] = [
    [
      "Make a random secret",
      "for each user, 20 characters or more, with the random numbers of your platform for " +
      "cryptography. Keep it encrypted beside the account.",
    ],
    ["Call Pair", "and show the QR code on the user's settings page, over HTTPS only."],
    [
      "Ask for the first pin",
      "and call ValidatePin. Only when it is right, switch two-factor login on: the app has the " +
      "secret now.",
    ],
    [
      "Check a pin at each login,",
      `after the password. Take only true as a yes; refuse everything else, and an error too. ${throttled} ${used}`,
    ],
    [
      "Prepare for lost phones:",
      "give the user recovery codes for one use each, or let them scan the same QR code with a " +
      "second device. If many right pins are false, look at the clocks.",
    ],
  ];
  return section(
    {
      id: "login",
      title: "Build the login",
      about: "Five steps from these two calls to a two-factor login.",
    },
    element(
      "ol",
      { class: "steps" },
      ...steps.map(([what, how]) => element("li", {}, element("strong", {}, what), ` ${how}`)),
    ),
  );
}

/** Writes request and reply in every format. */
export function samplesSection(samples: readonly Sample[], format: Format): MarkupElement {
  const chosen = samples.findIndex(({ binding }) => binding === format);
  const items = samples.map(({ binding, call, request, reply }) => ({
    label: binding,
    content: (id: string) => {
      const values = textKindOf(call.headers["Content-Type"]);
      const facts = { id: `${id}-request`, title: "Request", className: "request", values };
      return element(
        "div",
        { class: "sides" },
        pane(facts, ...marked(request)),
        pane({ id: `${id}-reply`, title: "Sample reply", className: "reply" }, reply),
      );
    },
  }));
  return section(
    {
      id: "requests",
      title: "Requests and replies",
      about:
        "With HTTP GET the secret becomes part of the address, which proxies and servers write " +
        "into their logs: prefer any other.",
      withScript: "The form above is sent in the format that you choose here.",
    },
    tabs("calls", "Format", items, Math.max(0, chosen)),
  );
}

/** Writes a working call in every language. */
export function snippetsSection(operation: Operation, context: PageContext): MarkupElement {
  const { format } = context;
  const items = snippetsOf(operation, context, format).map((
    { language, values, needs, pieces },
  ) => ({
    label: language,
    content: (id: string) =>
      element(
        "div",
        {},
        element("p", { class: "hint" }, `Needs ${needs}`),
        pane({ id: `${id}-code`, title: language, values }, ...marked(pieces)),
      ),
  }));
  return section(
    {
      id: "snippets",
      title: "Call it from your code",
      about:
        "Each snippet calls this server and prints the answer. Keep real secrets out of your " +
        "source code.",
      withScript: "The snippets follow the format chosen above where they can.",
      attributes: { "data-format": format },
    },
    element(
      "p",
      { class: "no-js" },
      "In another format: ",
      ...FORMATS.flatMap((other) => [
        link(`?op=${operation.name}&format=${other.replace(" ", "+")}#snippets`, other),
        " ",
      ]),
    ),
    tabs("code", "Language", items),
  );
}

/** Writes the table of the formats, from the samples of one operation. */
export function formsSection(samples: readonly Sample[]): MarkupElement {
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
      about: `All give the same results; ${[...OPERATIONS.keys()][0]} stands for every operation.`,
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
