/**
 * Explanation of a false answer, computed in this browser, since the secret is here already.
 *
 * @module
 */

import {
  causesOf,
  CERTAINTY,
  OTHER_REASONS,
  refusalSentences,
} from "../../otp/diagnosis/causes.ts";
import { diagnose, type Diagnosis } from "../../otp/diagnosis/diagnosis.ts";
import type { PageSettings } from "../shared/settings.ts";
import { first, one, setText, settingsOf, textElement } from "./dom.ts";
import { computes } from "./plain_hmac.ts";

/** An answer, and the facts to explain it by. */
export interface Answered {
  /** Values of the form when the request was sent. */
  readonly asked: Readonly<Record<string, string>>;
  /** Secrets of the QR codes that the page has shown. */
  readonly shownSecrets: ReadonlySet<string>;
  /** Server time of the answer in milliseconds since 1970. */
  readonly nowMs: number;
}

/** Hides the reasons. */
export function clearReasons(box: ParentNode): void {
  const reasons = first(".reasons", box);
  if (reasons !== undefined) reasons.hidden = true;
}

/** Shows the reasons why a pin is wrong. */
export async function explainFalse(
  form: HTMLFormElement,
  box: ParentNode,
  { asked: { pin, secretCode }, shownSecrets, nowMs }: Answered,
): Promise<void> {
  const reasons = first(".reasons", box);
  if (reasons === undefined || pin === undefined || secretCode === undefined) return;
  const settings = settingsOf(form);
  const place = one("div", reasons);
  const show = (...children: readonly HTMLElement[]): void => {
    place.replaceChildren(...children);
    reasons.hidden = false;
  };
  const tell = (...children: readonly HTMLElement[]): void => {
    show(...children);
    setText(one("#told"), children.map(({ textContent }) => textContent).join(" "));
  };
  if (!computes(settings.algorithm)) return tell(...otherReasons(settings));
  const looking = textElement("p", "Looking for the reason\u2026");
  show(looking);
  const found = await diagnose({ pin, secretCode }, settings, nowMs);
  const isEarlier = found.match === undefined && found.canBeCode &&
    await isOfAny([...shownSecrets].filter((each) => each !== secretCode), pin, settings, nowMs);
  // Typing clears the reasons, and a later answer replaces them: this explanation is then too late.
  if (looking.isConnected && !reasons.hidden) {
    tell(...isEarlier ? [textElement("p", EARLIER)] : explained(found, settings));
  }
}

const EARLIER =
  "This is the code of a secret that this page had before. Scan the QR code that it shows now, and " +
  "remove the other account from the app.";

/** Earlier secrets that are tried, the newest: one that is typed slowly leaves many. */
const MAX_EARLIER = 5;

async function isOfAny(
  secrets: readonly string[],
  pin: string,
  settings: PageSettings,
  nowMs: number,
): Promise<boolean> {
  for (const secretCode of secrets.slice(-MAX_EARLIER)) {
    const { match } = await diagnose({ pin, secretCode }, settings, nowMs);
    if (match !== undefined && causesOf(match, settings).length === 0) return true;
  }
  return false;
}

function explained(
  { flaws, canBeCode, match }: Diagnosis,
  settings: PageSettings,
): readonly HTMLElement[] {
  const shown = flaws.length === 0 ? [] : [list(flaws)];
  if (!canBeCode) return shown;
  // Without a match, only the general reasons remain.
  if (match === undefined) return [...shown, ...otherReasons(settings)];
  const causes = causesOf(match, settings);
  if (causes.length > 0) {
    const certainty = textElement("small", CERTAINTY);
    return [...shown, textElement("p", "The likely reason:"), list(causes), certainty];
  }
  // The pin is a code that the server accepts, so a flaw in its format is the only explanation.
  if (shown.length > 0) return shown;
  return [
    textElement("p", "The pin is right, but the server refused it. Possible reasons:"),
    list([...refusalSentences(settings), EXPIRED_ON_THE_WAY]),
  ];
}

const EXPIRED_ON_THE_WAY =
  "The pin had expired, or was not valid yet, when the server checked it: send it again.";

function otherReasons(settings: PageSettings): readonly HTMLElement[] {
  return [
    textElement("p", "Possible reasons:"),
    list([...OTHER_REASONS, ...refusalSentences(settings)]),
  ];
}

function list(sentences: readonly string[]): HTMLElement {
  const list = document.createElement("ul");
  list.append(...sentences.map(item));
  return list;
}

// Keep an option on one line: browsers may break it after each hyphen.
function item(sentence: string): HTMLElement {
  const item = document.createElement("li");
  item.append(
    ...sentence.split(/(--[a-z-]+(?: \d+)?)/)
      .map((text, i) => i % 2 === 0 ? text : textElement("code", text)),
  );
  return item;
}
