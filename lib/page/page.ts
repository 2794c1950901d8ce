/**
 * Service page: `page.html`, with the settings and the programs in their places.
 *
 * A place is `{{name}}`. An element with `data-if="condition"` is kept or removed whole. Neither
 * nests, and there is nothing else: what reads better as a sentence is written out in the HTML.
 *
 * @module
 */

import project from "../../deno.json" with { type: "json" };
import { VALIDATE_PIN } from "../operations/operations.ts";
import { setupCode } from "../otp/key_uri.ts";
import { secretKey } from "../otp/secret.ts";
import { DEFAULT_TOTP, MAX_ADVISABLE_WINDOW } from "../otp/totp.ts";
import { escapeAttribute } from "../xml/writer.ts";
import { codePlaceholder } from "./shared/code_groups.ts";
import { isInTheClear, literalUrl } from "./shared/address.ts";
import type { ScriptSettings } from "./shared/settings.ts";
import type { DocumentOptions, PageSettings, ServicePage } from "./service_page.ts";

import html from "./page.html" with { type: "text" };
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

const PROGRAMS: Readonly<Record<string, string>> = {
  curl,
  csharp,
  php,
  python,
  java,
  javascript,
  go,
  ruby,
  powershell,
  visualBasic,
  classicAsp,
  delphi,
};

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
  // Without indentation outside of preformatted text, a fifth less to send.
  const narrow = html.split(/(<pre[^]*?<\/pre>)/)
    .map((part, i) => i % 2 === 0 ? part.replace(/^ +/gm, "") : part).join("");
  return fill(
    keep(fill(narrow, PROGRAMS, true), conditionsOf(settings, options)),
    valuesOf(settings, options),
  );
}

function conditionsOf(
  settings: PageSettings,
  { isUnknownOperation }: DocumentOptions,
): Readonly<Record<string, boolean>> {
  const { baseUrl, apiKeys, maxFailures, singleUse, secretEncoding, html, window } = settings;
  return {
    "unknown-operation": isUnknownOperation,
    "example-base": baseUrl === undefined,
    "api-key": apiKeys !== undefined,
    "no-api-key": apiKeys === undefined,
    "text": secretEncoding === "text",
    "base32": secretEncoding === "base32",
    "seals": settings.sealKeys !== undefined,
    "html-svg": html === "svg",
    "html-image": html === "image",
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
  const [examplePin, exampleSecret] = VALIDATE_PIN.parameters.map(({ example }) =>
    example(settings)
  );
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
    publicBase: baseUrl ?? EXAMPLE_BASE,
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
    setupKey: setupCode(secretKey(exampleSecret!, secretEncoding)!),
    examplePin: examplePin!,
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

/**
 * Fills the places of a text with values, each escaped for HTML.
 *
 * @param isPartial Whether places without a value stay; otherwise they are an error.
 * @throws {Error} When a place has no value.
 */
function fill(
  text: string,
  values: Readonly<Record<string, string | number>>,
  isPartial = false,
): string {
  return text.replace(/\{\{ ?(\w+) ?\}\}/g, (place, name) => {
    if (Object.hasOwn(values, name)) return escapeHtml(String(values[name]));
    if (isPartial) return place;
    throw new Error(`The service page has no value for ${place}`);
  });
}

function escapeHtml(text: string): string {
  // Tabs and line ends stay: they end no value in HTML, and programs have many.
  return escapeAttribute(text).replaceAll("&#9;", "\t").replaceAll("&#10;", "\n");
}

/** Keeps or removes each element that has a condition, and keeps its content without the attribute. */
function keep(text: string, conditions: Readonly<Record<string, boolean>>): string {
  return text.replace(
    /<(\w+)([^<>]*?)\s+data-if="([\w-]+)"([^<>]*>[^]*?<\/\1>)/g,
    (_, name, before, condition, after) => {
      if (conditions[condition] === undefined) {
        throw new Error(`The service page has no condition ${condition}`);
      }
      return conditions[condition] ? `<${name}${before}${after}` : "";
    },
  );
}
