/**
 * Sections of the service page without forms.
 *
 * @module
 */

import { OPERATIONS } from "../operations/operations.ts";
import type { PageContext } from "./service_page.ts";
import { code, section, table } from "./layout/components.ts";
import { rootPath } from "./layout/layout.ts";
import { type Content, type Markup, markup } from "./markup.ts";
import type { Sample } from "./samples/samples.ts";
import { isInTheClear } from "./shared/plain_http.ts";

/** Writes the warnings for the operator, if any. */
export function warnings({ base, service: { otp } }: PageContext): Content {
  const seconds = (2 * otp.window + 1) * otp.period;
  // Behind a proxy the server does not know the scheme of the page; the script does.
  const clear = markup`
    <p class="warning in-the-clear" role="note" ${!isInTheClear(base) && markup`hidden`}>
      <strong>Warning.</strong> Anyone on the network can read secrets and pins sent over plain
      HTTP. Set up HTTPS before real users connect.
    </p>`;
  const wide = markup`
    <p class="warning" role="note">
      <strong>Warning.</strong> This server accepts a pin for ${seconds} seconds:
      ${stepsOf(otp.window)} before and after the current one. A wide window makes pins easier to
      guess; one step is enough for most clocks.
    </p>`;
  return [clear, otp.window > 2 && wide];
}

/** Writes the places of the computation of a code; the script fills them in. */
export function codeSection({ service: { otp } }: PageContext): Markup {
  const place = (name: string): Markup => markup`<code data-part="${name}">-</code>`;
  return section(
    "codes",
    "How a code comes about",
    "An app and this server compute the same from the secret and the time (RFC 4226, " +
      "RFC 6238). Nothing is exchanged after the pairing.",
    markup`
    <ol class="steps live" data-algorithm="${otp.algorithm}">
      <li>Count the time: the whole steps of ${otp.period} seconds since 1970.
        <p class="js-only">Now, for the secret in the form: ${place("seconds")} s / ${otp.period} =
          ${place("step")}</p></li>
      <li>Make the HMAC-${otp.algorithm} of that number, as 8 bytes, with the secret's key.
        <p class="js-only">${place("mac")}</p></li>
      <li>The last half byte says where to take 4 bytes; their top bit is cleared.
        <p class="js-only">Offset ${place("offset")}, bytes ${place("taken")} =
          ${place("number")}</p></li>
      <li>The last ${otp.digits} digits of that number are the code.
        <p class="js-only">${place("number")} mod ${10 ** otp.digits} = ${place("code")}</p></li>
    </ol>`,
  );
}

/** Writes the table of the formats, from the samples of one operation. */
export function formatsSection(samples: readonly Sample[]): Markup {
  return section(
    "formats",
    "Formats",
    `All give the same results; ${[...OPERATIONS.keys()][0]} stands for every operation. ` +
      "With HTTP GET the secret becomes part of the address, which proxies and servers write into " +
      "their logs: prefer any other.",
    table(
      "Formats",
      ["Format", "Request", "Content-Type"],
      samples.map(({ binding, call: { method, path, headers } }) => [
        binding,
        code(`${method} /api.asmx${path.replace(/\?.*/, "?...")}`),
        "Content-Type" in headers ? code(headers["Content-Type"]) : "none",
      ]),
    ),
  );
}

/** Writes links to the descriptions and their purpose; the documents do not link back. */
export function wsdlSection(context: PageContext): Markup {
  const { base } = context;
  const url = `${base}/api.asmx?wsdl`;
  return section(
    "wsdl",
    "Service description (WSDL)",
    "SOAP tools read it and make a client from it. The JSON form has an OpenAPI description. " +
      "Both open in a new tab.",
    markup`
    <p class="row">
      <a href="?wsdl" target="_blank" rel="noopener">Open the WSDL</a>
      <a href="${rootPath(context)}openapi.json" target="_blank" rel="noopener"
        >Open the OpenAPI description</a>
    </p>
    ${
      table("Tools", [], [
        // Quote the URL: shells such as zsh take a question mark for a pattern.
        ["C#", code(`dotnet-svcutil "${url}"`)],
        ["Java", code(`wsimport -extension "${url}"`)],
        ["PHP", code(`new SoapClient('${url}')`)],
        ["Python", code(`zeep.Client("${url}")`)],
        ["TypeScript", code(`npx openapi-typescript ${base}/openapi.json`)],
      ])
    }`,
  );
}

/** Lists the options that callers notice. */
export function settingsSection(
  { namespace, wantsKey, maxFailures, singleUse, service: { otp, secretEncoding } }: PageContext,
): Markup {
  const { digits, period, algorithm, window } = otp;
  const isText = secretEncoding === "text";
  return section(
    "settings",
    "Server settings",
    "Standards: RFC 6238 (TOTP), RFC 4226 (HOTP), Key URI Format, ISO/IEC 18004 (QR).",
    table("Server settings", [], [
      ["Codes", `${digits} digits, a new one every ${period} seconds, HMAC-${algorithm}`],
      ["Accepted", `${(2 * window + 1) * period} seconds: ${stepsOf(window)} before and after`],
      ["A secretCode is", isText ? "text; its UTF-8 bytes are the key" : "Base32"],
      ["A code works", singleUse ? "once" : "any number of times while it is accepted"],
      [
        "After wrong pins",
        maxFailures === 0
          ? "no limit"
          : `${maxFailures} for a secret, of which one an hour is forgiven: then its pins are refused ` +
            "for 30 seconds, later for longer",
      ],
      [
        "API key",
        wantsKey ? "required: X-Api-Key, a bearer token, or the password of HTTP Basic" : "none",
      ],
      ["Namespace", namespace],
    ]),
  );
}

function stepsOf(count: number): string {
  return count === 1 ? "1 time step" : `${count} time steps`;
}
