/**
 * Formats of an operation on the service page: a request in each, and what its binding replies.
 *
 * @module
 */

import { bindingsOf } from "../bindings/bindings.ts";
import type { Reply } from "../bindings/binding.ts";
import { missingParameter, type Operation, PAIR, VALIDATE_PIN } from "../operations/operations.ts";
import { pair, type PairingInfo } from "../operations/pair.ts";
import type { PageSettings } from "./service_page.ts";
import { escapeHtml, insert } from "./template.ts";

import html from "./formats.html" with { type: "text" };

/** Writes the formats of an operation, with places for the replies. */
export function formatsOf({ name, parameters }: Operation, settings: PageSettings): string {
  const written = (
    write: (name: string, value: string) => string,
    separator: string,
    encode = (value: string): string => value,
  ): string =>
    parameters.map(({ name, example }) => {
      const value = escapeHtml(encode(example(settings)));
      return write(name, `<var data-name="${name}">${value}</var>`);
    }).join(separator);
  return insert(html, {
    operation: name,
    inXml: written((name, value) => `      &lt;${name}&gt;${value}&lt;/${name}&gt;`, "\n"),
    inForm: written((name, value) => `${name}=${value}`, "&amp;", formEncoded),
    inJson: written((name, value) => `  "${name}": "${value}"`, ",\n"),
  });
}

function formEncoded(value: string): string {
  return new URLSearchParams({ value }).toString().slice("value=".length);
}

/** Values for the places of the replies: of each binding a result for each operation, and a fault. */
export function repliesOf(settings: PageSettings, base: string): Readonly<Record<string, string>> {
  const fault = missingParameter("secretCode");
  const pairing = shortPairing(settings, base);
  return Object.fromEntries(
    bindingsOf(settings.namespace).flatMap(({ name, writeReply, writeFault }) => {
      const format = name.replace(/\W/g, "");
      return [
        [`fault${format}`, shown(writeFault(fault))],
        [`replyPair${format}`, shown(writeReply(PAIR, pairing))],
        [`replyValidatePin${format}`, shown(writeReply(VALIDATE_PIN, true))],
      ];
    }),
  );
}

// Dots in place of the picture or its address: after one character beyond ISO 8859-1, V8 keeps and
// encodes the whole page at half the speed.
function shortPairing(settings: PageSettings, base: string): PairingInfo {
  const [appName, appInfo, secretCode] = PAIR.parameters.map(({ example }) => example(settings));
  const args = { appName: appName!, appInfo: appInfo!, secretCode: secretCode! };
  const { ManualSetupCode, Html } = pair(args, { ...settings, base: () => base });
  return {
    ManualSetupCode,
    Html: Html.replace(/secret=[^']*|(?<=&data=)[^']*/, "...")
      .replace(/(?<=<svg ).*(?=<\/svg>)/, "..."),
  };
}

const REASONS: Readonly<Record<number, string>> = {
  200: "OK",
  400: "Bad Request",
  500: "Internal Server Error",
};

function shown({ status, contentType, headers, body }: Reply): string {
  const fields = Object.entries({ "Content-Type": contentType, ...headers })
    .map(([name, value]) => `${name}: ${value}\n`).join("");
  const text = String(body).replaceAll("\r\n", "\n").trimEnd();
  return `HTTP/1.1 ${status} ${REASONS[status]}\n${fields}\n${text}`;
}
