/**
 * Why the answer is false: found out in this browser, since the secret is here already.
 *
 * @module
 */

import {
  causesOf,
  certaintySentence,
  flawSentences,
  headingOf,
  MISTYPED,
  OTHER_ACCOUNT,
  refusalSentences,
} from "../../diagnosis/causes.ts";
import { diagnose, type Diagnosis } from "../../diagnosis/diagnosis.ts";
import type { PageSettings } from "../shared/settings.ts";
import { serverNowMs } from "./clock.ts";
import { first, one, settingsOf, textElement } from "./dom.ts";

let asked = 0;

/** Takes the reasons back. */
export function clearReasons(box: ParentNode): void {
  asked++;
  const reasons = first(".reasons", box);
  if (reasons !== undefined) reasons.hidden = true;
}

/** Shows why a pin is wrong. */
export async function explainFalse(
  form: HTMLFormElement,
  box: ParentNode,
  { pin, secretCode }: Readonly<Record<string, string>>,
): Promise<void> {
  const reasons = first(".reasons", box);
  if (reasons === undefined || pin === undefined || secretCode === undefined) return;
  const mine = ++asked;
  const settings = settingsOf(form);
  const show = (...children: readonly HTMLElement[]): void => {
    one("div", reasons).replaceChildren(...children);
    reasons.hidden = false;
  };
  // Over plain HTTP, browsers compute nothing for a page.
  if (globalThis.isSecureContext !== true) return show(...otherReasons(settings));
  show(textElement("p", "Looking for the reason\u2026"));
  const found = await diagnose({ pin, secretCode }, settings, serverNowMs() ?? Date.now());
  if (mine === asked) show(...explained(found, settings));
}

function explained(diagnosis: Diagnosis, settings: PageSettings): readonly HTMLElement[] {
  const flaws = flawSentences(diagnosis, settings);
  const shown = flaws.length === 0 ? [] : [list(flaws)];
  if (!diagnosis.canBeCode) return shown;
  const [best] = diagnosis.matches;
  const causes = causesOf(diagnosis, settings);
  if (best !== undefined && causes.length === 0) {
    // It is a code that the server takes, however it is written.
    if (shown.length > 0) return shown;
    return [
      textElement("p", "The pin is right, but the server refused it. Possible reasons:"),
      list([...refusalSentences(settings), EXPIRED_ON_THE_WAY]),
    ];
  }
  // Where nothing explains the pin, only the general is left to be said.
  if (best === undefined) return [...shown, ...otherReasons(settings)];
  causes.forEach((cause, i) =>
    shown.push(textElement("p", headingOf(cause, i)), list(cause.sentences))
  );
  return [...shown, textElement("small", certaintySentence(best))];
}

const EXPIRED_ON_THE_WAY =
  "The pin had expired, or was not valid yet, when the server checked it: send it again.";

function otherReasons(settings: PageSettings): readonly HTMLElement[] {
  return [
    textElement("p", "Possible reasons:"),
    list([OTHER_ACCOUNT, MISTYPED, ...refusalSentences(settings)]),
  ];
}

function list(sentences: readonly string[]): HTMLElement {
  const list = document.createElement("ul");
  list.append(...sentences.map(item));
  return list;
}

// An option stays on one line, since a line may end after each of its hyphens.
function item(sentence: string): HTMLElement {
  const item = document.createElement("li");
  item.append(
    ...sentence.split(/(--[a-z-]+(?: \d+)?)/)
      .map((text, i) => i % 2 === 0 ? text : textElement("code", text)),
  );
  return item;
}
