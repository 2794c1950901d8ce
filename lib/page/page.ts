/**
 * Service page: `page.html`, with the settings, the programs and the formats in their places.
 *
 * @module
 */

import project from "../../deno.json" with { type: "json" };
import { PAIR, VALIDATE_PIN } from "../operations/operations.ts";
import { DEFAULT_TOTP, MAX_ADVISABLE_WINDOW } from "../otp/totp.ts";
import { escapeAttribute } from "../xml/writer.ts";
import { formatsOf, repliesOf } from "./formats.ts";
import { codePlaceholder } from "./shared/code_groups.ts";
import { isInTheClear, literalUrl } from "./shared/address.ts";
import type { ScriptSettings } from "./shared/settings.ts";
import type { DocumentOptions, PageSettings, ServicePage } from "./service_page.ts";
import { escapeHtml, fill, insert, keep } from "./template.ts";

import html from "./page.html" with { type: "text" };
import program from "./program.html" with { type: "text" };
import style from "./page.css" with { type: "text" };
import script from "./script.js" with { type: "text" };
import curl from "./programs/pair_and_check.sh" with { type: "text" };
import csharp from "./programs/pair_and_check.cs" with { type: "text" };
import php from "./programs/pair_and_check.php" with { type: "text" };
import python from "./programs/pair_and_check.py" with { type: "text" };
import java from "./programs/PairAndCheck.java" with { type: "text" };
import javascript from "./programs/pair_and_check.js" with { type: "text" };
import go from "./programs/pair_and_check.go" with { type: "text" };
import ruby from "./programs/pair_and_check.rb" with { type: "text" };
import powershell from "./programs/pair_and_check.ps1" with { type: "text" };
import visualBasic from "./programs/pair_and_check.vb" with { type: "text" };
import classicAsp from "./programs/pair_and_check.asp" with { type: "text" };
import delphi from "./programs/pair_and_check.pas" with { type: "text" };

/** Programs in the order of the page: name of the language, what it needs as HTML, and the text. */
const PROGRAMS = [
  ["curl", "curl 7.76 or later and a POSIX shell", curl],
  ["C#", ".NET, or .NET Framework 4.7.2 with System.Net.Http", csharp],
  ["PHP", "PHP 7.4 or later", php],
  ["Python", "Python 3.8 or later", python],
  ["Java", "Java 11 or later", java],
  [
    "JavaScript",
    'Node.js 18 or later, Deno or Bun, in a module (.mjs). <a href="#wsdl">openapi-typescript</a> ' +
    "makes types",
    javascript,
  ],
  ["Go", "Go 1.18 or later", go],
  ["Ruby", "Ruby 2.5 or later", ruby],
  ["PowerShell", "Windows PowerShell 5 or PowerShell 7", powershell],
  ["VB", ".NET, or .NET Framework 4.7.2 with System.Net.Http", visualBasic],
  ["Classic ASP", "IIS with ASP and MSXML 6", classicAsp],
  ["Delphi", "Delphi XE8 or later, on Windows", delphi],
] as const;

/**
 * Base URL in the texts where no option sets one. Rendering a document for each Host instead would
 * cost milliseconds for every new Host that a caller sends.
 */
const EXAMPLE_BASE = "http://127.0.0.1:8080";

/** The service page. */
export const servicePage: ServicePage = {
  document: writeDocument,
  script,
  style,
  policy: [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    // Icon.
    "img-src data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
};

function writeDocument(settings: PageSettings, options: DocumentOptions): string {
  const whole = insert(html, {
    programs: PROGRAMS.map(([name, needs, text], i) =>
      insert(program, {
        name,
        needs,
        number: String(i + 1),
        checked: i === 0 ? "checked" : "",
        text: escapeHtml(text),
      })
    ).join(""),
    formatsOfPair: formatsOf(PAIR, settings),
    formatsOfValidatePin: formatsOf(VALIDATE_PIN, settings),
  });
  // Without indentation outside of preformatted text, a fifth less to send.
  const narrow = whole.split(/(<pre[^]*?<\/pre>)/)
    .map((part, i) => i % 2 === 0 ? part.replace(/^ +/gm, "") : part).join("");
  return fill(keep(narrow, conditionsOf(settings, options)), valuesOf(settings, options));
}

function conditionsOf(
  settings: PageSettings,
  { isUnknownOperation }: DocumentOptions,
): Readonly<Record<string, boolean>> {
  const { baseUrl, apiKeys, maxFailures, singleUse, secretEncoding, window } = settings;
  return {
    "unknown-operation": isUnknownOperation,
    "example-base": baseUrl === undefined,
    "api-key": apiKeys !== undefined,
    "no-api-key": apiKeys === undefined,
    "text": secretEncoding === "text",
    "base32": secretEncoding === "base32",
    "seals": settings.sealKeys !== undefined,
    "throttled": maxFailures > 0,
    "unthrottled": maxFailures === 0,
    "single-use": singleUse,
    "reusable": !singleUse,
    "neighbours": window > 0,
    "wide-window": window > MAX_ADVISABLE_WINDOW,
  };
}

function valuesOf(
  settings: PageSettings,
  { root }: DocumentOptions,
): Readonly<Record<string, string | number>> {
  const { namespace, baseUrl, maxFailures, singleUse, secretEncoding } = settings;
  const { algorithm, digits, period, window } = settings;
  const base = literalUrl(baseUrl ?? EXAMPLE_BASE);
  const [, host = "", prefix = ""] = /^https?:\/\/([^/]+)(.*)$/i.exec(base) ?? [];
  const scriptSettings: ScriptSettings = {
    algorithm,
    digits,
    period,
    window,
    secretEncoding,
    maxFailures,
    singleUse,
  };
  return {
    ...repliesOf(settings, baseUrl ?? EXAMPLE_BASE),
    root,
    namespace,
    base,
    host,
    prefix,
    digits,
    period,
    algorithm,
    maxFailures,
    url: `${base}/api.asmx`,
    exampleBase: baseUrl === undefined ? EXAMPLE_BASE : "",
    inTheClear: String(isInTheClear(base)),
    settings: JSON.stringify(scriptSettings),
    version: project.version,
    license: project.license,
    namespaceInXml: escapeAttribute(namespace),
    apiKey: settings.apiKeys !== undefined ? "YOUR-API-KEY" : "",
    open: settings.apiKeys !== undefined ? "open" : "",
    // Mark of a secret that is text: a 9 is no digit of Base32, so it cannot pass for a setup key.
    secretStart: secretEncoding === "text" ? "9" : "",
    accepted: (2 * window + 1) * period,
    windowSteps: window === 1 ? "1 time step" : `${window} time steps`,
    outside: window + 1,
    neighbour: window === 0 ? "refused" : singleUse ? "accepted once" : "accepted",
    codePlaceholder: codePlaceholder(digits),
    modulus: 10 ** digits,
    unusual: [
      digits !== DEFAULT_TOTP.digits && `, ${digits} digits`,
      period !== DEFAULT_TOTP.period && `, a period of ${period} seconds`,
      algorithm !== DEFAULT_TOTP.algorithm && `, ${algorithm}`,
    ].map((text) => text || "").join(""),
  };
}
