/**
 * Forms that call an operation, and the places of their results.
 *
 * @module
 */

import { DEFAULT_TOTP } from "../otp/totp.ts";
import type { Operation, Parameter, ResultType } from "../operations/operations.ts";
import { element, type MarkupElement } from "../xml/writer.ts";
import type { PageContext } from "./context.ts";
import { type Field, fieldOf } from "./samples/fields.ts";
import { copyButton } from "./layout/components.ts";
import { KEY_PLACEHOLDER } from "./samples/quoting.ts";
import type { PageSettings } from "./shared/settings.ts";

type Attributes = Readonly<Record<string, string>>;

/** Returns the view of a result on the page: a picture, a verdict, or a text. */
export function viewOf(type: ResultType): "picture" | "verdict" | "text" {
  if (type.kind === "record") return type.picture === undefined ? "text" : "picture";
  return type.kind === "boolean" ? "verdict" : "text";
}

/** Labels of the button of a form, by its view. */
const SUBMIT = { picture: "Make the QR code", verdict: "Check the pin", text: "Send" } as const;

/**
 * Writes the form of an operation, with the place of its result beside it. Without script it posts
 * as usual, and the browser shows the reply.
 *
 * @param service Address of the service, relative to the page.
 */
export function tryIt(operation: Operation, context: PageContext, service: string): MarkupElement {
  const { name, parameters, result } = operation;
  const view = viewOf(result);
  const picture: Attributes = result.kind === "record" && result.picture !== undefined
    ? { "data-html": result.picture.html, "data-text": result.picture.text }
    : {};
  const form = element(
    "form",
    {
      "action": `${service}/${name}`,
      "method": "post",
      "autocomplete": "off",
      "data-operation": name,
      "data-view": view,
      "data-settings": JSON.stringify(settingsOf(context)),
      ...picture,
    },
    ...parameters.map((parameter) =>
      fieldElement(operation, parameter, fieldOf(parameter.name, context.service))
    ),
    element(
      "p",
      { class: "row" },
      element(
        "button",
        { type: "submit" },
        SUBMIT[view],
      ),
      element(
        "span",
        { class: "hint no-js" },
        "You see the reply as the service sends it, in XML.",
      ),
    ),
  );
  const box = view === "picture" ? pairing(name, context) : answer(operation, context);
  return element("div", { class: "try" }, form, box);
}

function settingsOf({ service, maxFailures, singleUse }: PageContext): PageSettings {
  const { otp: { algorithm, digits, period, window }, secretEncoding } = service;
  return { algorithm, digits, period, window, secretEncoding, maxFailures, singleUse };
}

function fieldElement(
  operation: Operation,
  { name, mayBeEmpty }: Parameter,
  { label, hint, example, isPrefilled, isSecret = false, attributes }: Field,
): MarkupElement {
  const id = `${operation.name}-${name}`;
  // A random secret is for pairing alone, since an app then receives it.
  const canBeDrawn = isSecret && viewOf(operation.result) === "picture";
  const input = element("input", {
    id,
    name,
    type: "text",
    "aria-describedby": `${id}-hint`,
    ...(isPrefilled ? { value: example } : {}),
    ...(mayBeEmpty ? {} : { required: "" }),
    ...("spellcheck" in attributes ? { class: "code" } : {}),
    ...attributes,
  });
  return element(
    "div",
    { class: "field" },
    element(
      "div",
      { class: "name" },
      element("label", { for: id }, label),
      element("code", {}, name),
    ),
    input,
    element("p", { class: "error", id: `${id}-error`, hidden: "" }),
    ...(isSecret ? [element("code", { class: "whole", hidden: "" })] : []),
    // For pairing, the warning is beside the picture instead: it must come before an app has the
    // secret.
    ...(isSecret && !canBeDrawn ? [LENGTH_WARNING, BEGIN] : []),
    ...(isSecret ? [KIND] : []),
    ...(canBeDrawn ? [element("div", { class: "row" }, RANDOM_BUTTON, RELOAD_NOTE)] : []),
    element("span", { class: "hint", id: `${id}-hint` }, hint),
  );
}

// Empty live region; the script fills it. Only the sentence is hidden, not the paragraph: browsers
// read out text that appears in an element already there.
const LENGTH_WARNING = element(
  "p",
  { class: "length-warning on-screen js-only", role: "status" },
  element("span", { hidden: "" }),
);

const RANDOM_BUTTON = element(
  "button",
  { type: "button", class: "js-only small random" },
  "New random secret",
);

const RELOAD_NOTE = element(
  "span",
  { class: "hint js-only" },
  "Reloading the page makes a new one.",
);

// Way out of a form without a secret.
const BEGIN = element(
  "p",
  { class: "begin js-only", hidden: "" },
  "First pair: ",
  RANDOM_BUTTON,
  " makes a secret and its QR code.",
);

const KIND = element(
  "p",
  { class: "kind hint on-screen js-only", role: "status" },
  element("span", { hidden: "" }),
);

/** Field for the user's key; no form sends its value. */
export const KEY_FIELD: MarkupElement = element(
  "div",
  { class: "card keys js-only" },
  element("label", { for: "key" }, "Your API key"),
  element("input", {
    "id": "key",
    "name": "key",
    "type": "password",
    "class": "code",
    "autocomplete": "off",
    "placeholder": KEY_PLACEHOLDER,
    "aria-describedby": "key-hint",
  }),
  element(
    "span",
    { class: "hint", id: "key-hint" },
    "Used in the samples and in what you send. If it is empty, the browser sends the key that opened this page.",
  ),
);

function answer({ parameters, result }: Operation, context: PageContext): MarkupElement {
  const names = parameters.map(({ name }) => name);
  // A verdict depends on the time.
  const isTimed = viewOf(result) === "verdict";
  const isCode = isTimed && names.includes("pin") && names.includes("secretCode");
  return element(
    "div",
    { class: isCode ? "result with-codes js-only" : "result js-only" },
    element("p", { class: "answer empty", role: "status" }, "The answer appears here."),
    ...(isCode ? [reasons(context), testAuthenticator(context)] : []),
    ...(isTimed ? [clock(context)] : []),
  );
}

function reasons({ service: { otp: { algorithm } } }: PageContext): MarkupElement {
  return element(
    "details",
    { class: "reasons", open: "", hidden: "" },
    element("summary", {}, "Why it is false"),
    element("div", {}),
    element(
      "small",
      { "class": "without-webcrypto", "hidden": "", "data-algorithm": algorithm },
      "To see which it is, run ",
      DOCTOR,
      " on the server.",
    ),
  );
}

const DOCTOR = element("code", {}, "authenticator doctor");

/**
 * Writes the place of the codes around now: the neighbours of the current one, and the first ones
 * outside the window.
 */
function testAuthenticator(
  { service: { otp: { algorithm, window } } }: PageContext,
): MarkupElement {
  const steps = [...new Set([-window - 1, -1, 1, window + 1])];
  const others = steps.map((step) => {
    const isAccepted = Math.abs(step) <= window;
    return element(
      "button",
      { "type": "button", "class": "small", "data-step": String(step) },
      element("span", {}, stepName(step)),
      element("span", { class: "code" }),
      element("span", { class: "taken" }, isAccepted ? "accepted" : "refused"),
    );
  });
  return element(
    "div",
    { class: "test-app", hidden: "", role: "group", "aria-labelledby": "test-app-title" },
    element("h3", { id: "test-app-title" }, "No phone? Use this test authenticator"),
    // The script shows one of the two: over plain HTTP, browsers compute only codes of SHA-1.
    element(
      "p",
      { "class": "hint without-webcrypto", "hidden": "", "data-algorithm": algorithm },
      "Over plain HTTP, this browser cannot compute codes of this hash. Run ",
      element("code", {}, "authenticator code"),
      " on the server.",
    ),
    element(
      "div",
      { class: "codes" },
      element(
        "p",
        { class: "hint" },
        "It shows the codes that an app shows for the secret code in the form. This browser " +
          "computes them. Press a code to fill it in.",
      ),
      element(
        "button",
        { "type": "button", "class": "now", "data-step": "0" },
        RING,
        element("span", { class: "code" }),
        element("span", { class: "use" }, "Use this code"),
      ),
      element("div", { class: "row others" }, ...others),
    ),
  );
}

function stepName(step: number): string {
  if (step === -1) return "Previous";
  if (step === 1) return "Next";
  return step < 0 ? `${-step} steps ago` : `In ${step} steps`;
}

const CIRCLE = { cx: "16", cy: "16", r: "13", fill: "none", "stroke-width": "5" };

const RING = element(
  "svg",
  { "xmlns": "http://www.w3.org/2000/svg", "viewBox": "0 0 32 32", "aria-hidden": "true" },
  element("circle", { ...CIRCLE, class: "whole-arc" }),
  element("circle", {
    ...CIRCLE,
    "class": "left-arc",
    "pathLength": "1",
    "transform": "rotate(-90 16 16)",
  }),
);

function clock({ service: { otp } }: PageContext): MarkupElement {
  const period = String(otp.period);
  return element(
    "div",
    { "class": "clock", "data-period": period },
    element(
      "span",
      {},
      "Server time ",
      element("b", { class: "time" }, "--:--:--"),
      " UTC; ",
      element("b", { class: "left" }, "--"),
      " s left of this time step",
    ),
    element("progress", { max: period, value: "0", "aria-label": "Seconds left" }),
    element("span", { class: "skew" }),
  );
}

function pairing(name: string, context: PageContext): MarkupElement {
  const id = `${name}-setup`;
  const uriId = `${name}-uri`;
  return element(
    "div",
    { class: "result pairing js-only" },
    element("p", { class: "for print-only", dir: "auto" }),
    LENGTH_WARNING,
    element("div", { class: "tile" }, element("p", {}, "The QR code appears here.")),
    element(
      "div",
      { class: "setup", hidden: "" },
      element("h3", {}, "Or type in this setup key"),
      element("code", { class: "groups", id }),
      element("p", { class: "hint" }, typingHint(context)),
      element(
        "div",
        { class: "row on-screen" },
        copyButton(id, "the setup key"),
        element("a", { class: "button small open" }, "Open in an app"),
        element("button", { type: "button", class: "small print" }, "Print"),
      ),
      element(
        "div",
        { class: "on-screen" },
        element("h3", {}, "Key URI"),
        element("code", { class: "uri", id: uriId }),
        element("div", { class: "row" }, copyButton(uriId, "the Key URI")),
      ),
    ),
    element("p", { class: "status on-screen", role: "status" }),
    PAPER,
  );
}

// Choices in an app beside the key, where they are not what all apps begin with.
function typingHint({ service: { otp: { algorithm, digits, period } } }: PageContext): string {
  const unusual = [
    ...(digits === DEFAULT_TOTP.digits ? [] : [`${digits} digits`]),
    ...(period === DEFAULT_TOTP.period ? [] : [`a period of ${period} seconds`]),
    ...(algorithm === DEFAULT_TOTP.algorithm ? [] : [algorithm]),
  ];
  return `Choose time-based${unusual.length === 0 ? "" : `, ${unusual.join(", ")}`} in the app.`;
}

// Text for the printed sheet only.
const PAPER = element(
  "ol",
  { class: "print-only" },
  element("li", {}, "Open an authenticator app and add an account."),
  element("li", {}, "Scan the picture, or type in the setup key."),
  element("li", {}, "Destroy this sheet after scanning: anyone who has it can make the same pins."),
);
