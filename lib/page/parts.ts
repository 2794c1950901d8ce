/**
 * Parts of which the service page is made: tabs, panes of text, and the forms that try an operation
 * out.
 *
 * @module
 */

import type { Operation, Parameter, ResultType } from "../service/operations.ts";
import { element, type MarkupElement, type MarkupNode } from "../xml/writer.ts";
import type { PageContext } from "./context.ts";
import { type Field, fieldOf } from "./fields.ts";

type Attributes = Readonly<Record<string, string>>;

/** One of several panels, of which one is seen. */
export interface Tab {
  /** The text on it. */
  readonly label: string;
  /** What is seen when it is chosen. */
  readonly content: MarkupElement;
}

/**
 * Tabs that need no script: radio buttons, each followed by its label and its panel.
 *
 * @param id The id of the whole, from which all others in it are made.
 * @param legend What is chosen.
 */
export function tabs(id: string, legend: string, items: readonly Tab[], chosen = 0): MarkupElement {
  return element(
    "fieldset",
    { class: "tabs", id },
    element("legend", {}, legend),
    ...items.flatMap(({ label, content }, i) => {
      const checked: Attributes = i === chosen ? { checked: "" } : {};
      const radio = { type: "radio", name: id, id: `${id}-${i}`, autocomplete: "off", ...checked };
      return [
        element("input", radio),
        element("label", { for: radio.id }, label),
        element("div", { class: "panel" }, content),
      ];
    }),
  );
}

/** A text to be read and copied, under a title. */
export function pane(
  { title, className, tall = false }: {
    readonly title: string;
    readonly className?: string;
    /** Whether it may become taller than a screen; then it scrolls, for the keyboard too. */
    readonly tall?: boolean;
  },
  ...content: readonly MarkupNode[]
): MarkupElement {
  const scrolling: Attributes = tall ? { tabindex: "0", role: "region", "aria-label": title } : {};
  return element(
    "figure",
    className === undefined ? {} : { class: className },
    element(
      "figcaption",
      {},
      element("span", { class: "title" }, title),
      copyButton("", title),
    ),
    element("pre", scrolling, ...content),
  );
}

/** A button that copies the text of the element with an id; without one, of the pane it is in. */
export function copyButton(id: string, what: string): MarkupElement {
  const facts = { "class": "small", "data-copy": id, "aria-label": `Copy ${what}` };
  return element("button", facts, "Copy");
}

/** How the page shows a result: as a picture to scan, as right or wrong, or as the text it is. */
export function viewOf(type: ResultType): "picture" | "verdict" | "text" {
  if (type.kind === "record") return type.picture === undefined ? "text" : "picture";
  return type.kind === "boolean" ? "verdict" : "text";
}

/**
 * The form of an operation, and the place of its result behind it. Without script it posts like any
 * form, and the browser shows the reply.
 *
 * @param service The address of the service, relative to the page.
 */
export function tryIt(
  operation: Operation,
  context: PageContext,
  service: string,
): readonly MarkupElement[] {
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
        view === "verdict" ? "Check" : "Send",
        element("span", { class: "by" }),
      ),
      element("span", { class: "hint no-js" }, "The reply is shown as the service sends it: XML."),
    ),
  );
  return [form, view === "picture" ? pairing(name) : answer(view, context)];
}

function fieldElement(
  operation: Operation,
  { name, mayBeEmpty }: Parameter,
  { label, hint, example, isPrefilled, isSecret = false, attributes }: Field,
): MarkupElement {
  const id = `${operation.name}-${name}`;
  // A secret is made up where an app is given it, and only there.
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
    element("label", { for: id }, label, element("code", {}, name)),
    canBeDrawn ? element("div", { class: "row" }, input, RANDOM_BUTTON) : input,
    element("span", { class: "hint", id: `${id}-hint` }, hint),
  );
}

const RANDOM_BUTTON = element(
  "button",
  { type: "button", class: "js-only random" },
  "New random secret",
);

function answer(view: "verdict" | "text", context: PageContext): MarkupElement {
  return element(
    "div",
    { class: "pairing js-only" },
    element("p", { class: "answer empty", role: "status" }, "The answer appears here."),
    // What is right depends on the time.
    ...(view === "verdict" ? [clock(context)] : []),
  );
}

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

function pairing(name: string): MarkupElement {
  const id = `${name}-setup`;
  return element(
    "div",
    { class: "pairing js-only" },
    element("p", { class: "for print-only" }),
    element("div", { class: "tile" }, element("p", {}, "The QR code appears here.")),
    element(
      "div",
      { class: "setup", hidden: "" },
      element("h3", {}, "Or type this in"),
      element("code", { class: "groups", id }),
      element(
        "div",
        { class: "row on-screen" },
        copyButton(id, "the code to type in"),
        element("a", { class: "button small open" }, "Open in an app here"),
        element("button", { type: "button", class: "small print" }, "Print"),
      ),
    ),
    element("p", { class: "status on-screen", role: "status" }),
    PAPER,
  );
}

// What stands on the printed sheet alone.
const PAPER = element(
  "ol",
  { class: "print-only" },
  element("li", {}, "Open an authenticator app and add an account."),
  element("li", {}, "Scan the picture, or type the code in."),
  element("li", {}, "Destroy this sheet: whoever has it can make the same pins."),
);
