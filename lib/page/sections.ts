/**
 * The sections of the service page that are to be read.
 *
 * @module
 */

import { type Operation, OPERATIONS } from "../service/operations.ts";
import { element, type MarkupElement, type MarkupNode } from "../xml/writer.ts";
import { isInTheClear, type PageContext } from "./context.ts";
import { pane, tabs } from "./parts.ts";
import type { Sample } from "./samples.ts";
import { snippetsOf } from "./snippets.ts";

/** What the operator should know, if there is anything. */
export function warnings({ base, service: { otp } }: PageContext): readonly MarkupElement[] {
  const texts: string[] = [];
  if (isInTheClear(base)) {
    texts.push(
      "This page came by plain HTTP: whoever is on the way can read every secret and pin. " +
        "Put HTTPS in front of this server before anybody uses it.",
    );
  }
  if (otp.window > 2) {
    const seconds = (2 * otp.window + 1) * otp.period;
    texts.push(
      `This server takes a pin for ${seconds} seconds: ${stepsOf(otp.window)} before and after ` +
        "its own. The wider the window, the easier a pin is guessed; one is enough for most clocks.",
    );
  }
  return texts.map((text) =>
    element("p", { class: "warning", role: "note" }, element("strong", {}, "Warning. "), text)
  );
}

/** A request and a reply in every format. */
export function samplesSection(samples: readonly Sample[]): MarkupElement {
  // The form itself goes by POST; so that is chosen until somebody chooses another.
  const chosen = samples.findIndex(({ binding }) => binding === "HTTP POST");
  const items = samples.map(({ binding, request, reply }) => ({
    label: binding,
    content: element(
      "div",
      { class: "sides" },
      pane(
        { title: "Request", className: "request" },
        ...request.map(({ text, hole }) =>
          hole === undefined ? text : element("var", { "data-name": hole }, text)
        ),
      ),
      pane({ title: "Sample reply", className: "reply", tall: true }, reply),
    ),
  }));
  return section(
    "Requests and replies",
    "The form above is sent in the format that is chosen here. By HTTP GET the secret becomes part " +
      "of the address, which proxies and servers write into their logs: prefer any other.",
    tabs("calls", "Format", items, Math.max(0, chosen)),
  );
}

/** A working call in every language. */
export function snippetsSection(operation: Operation, context: PageContext): MarkupElement {
  const items = snippetsOf(operation, context).map(({ language, text }) => ({
    label: language,
    content: pane({ title: language }, text),
  }));
  const key = context.wantsKey
    ? " Add your key as X-Api-Key, as Authorization: Bearer, or as the password of HTTP Basic."
    : "";
  return section(
    "Call it from your code",
    `Each prints the result.${key} Keep real secrets out of your source.`,
    tabs("code", "Language", items),
  );
}

/** The formats in a table, by the samples of one operation. */
export function formsSection(samples: readonly Sample[]): MarkupElement {
  const rows = samples.map(({ binding, call: { method, path, headers } }) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, binding),
      element("td", {}, element("code", {}, `${method} /api.asmx${path.replace(/\?.*/, "?...")}`)),
      element("td", {}, element("code", {}, headers["Content-Type"] ?? "")),
    )
  );
  const head = ["Format", "Request", "Content-Type"]
    .map((name) => element("th", { scope: "col" }, name));
  const table = element(
    "table",
    {},
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...rows),
  );
  return section(
    "One service, many formats",
    `All give the same results; ${[...OPERATIONS.keys()][0]} stands for every operation.`,
    element("div", {
      "class": "scroll",
      "tabindex": "0",
      "role": "region",
      "aria-label": "Formats",
    }, table),
  );
}

/** The options that callers notice. */
export function settingsSection(
  { namespace, service: { otp, secretEncoding } }: PageContext,
): MarkupElement {
  const rows: readonly (readonly [string, string])[] = [
    ["Codes", `${otp.digits} digits, a new one every ${otp.period} seconds, HMAC-${otp.algorithm}`],
    [
      "Accepted",
      `${(2 * otp.window + 1) * otp.period} seconds: ${stepsOf(otp.window)} before and after`,
    ],
    ["A secretCode is", secretEncoding === "text" ? "text; its UTF-8 bytes are the key" : "Base32"],
    ["Namespace", namespace],
  ];
  return section(
    "How this server is set",
    "Standards: RFC 6238 (TOTP), RFC 4226 (HOTP), Key URI Format, ISO/IEC 18004 (QR).",
    element(
      "table",
      {},
      element(
        "tbody",
        {},
        ...rows.map(([name, value]) =>
          element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, value))
        ),
      ),
    ),
  );
}

function stepsOf(count: number): string {
  return count === 1 ? "1 time step" : `${count} time steps`;
}

function section(title: string, about: string, ...content: readonly MarkupNode[]): MarkupElement {
  return element("section", {}, element("h2", {}, title), element("p", {}, about), ...content);
}
