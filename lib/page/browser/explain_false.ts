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
import { diagnose, type Diagnosis, readPin } from "../../otp/diagnosis/diagnosis.ts";
import { computes, importHmac } from "../../otp/import_hmac.ts";
import { secretKey } from "../../otp/secret.ts";
import { codeOf, timeStep } from "../../otp/totp.ts";
import { isSealed } from "../../sealing/sealed.ts";
import type { ScriptSettings } from "../shared/settings.ts";
import { one, setText, textElement } from "./dom.ts";
import { SEALED } from "./secret_kind.ts";

/** An answer, and the facts to explain it by. */
export interface Answered {
  /** Values of the form when the request was sent. */
  readonly asked: Readonly<Record<string, string>>;
  /** Settings of the server. */
  readonly settings: ScriptSettings;
  /** Secrets of the QR codes that the page has shown. */
  readonly shownSecrets: ReadonlySet<string>;
  /** Server time of the answer in milliseconds since 1970. */
  readonly nowMs: number;
  /** Seconds by which this device's clock is ahead of the server's. */
  readonly deviceAhead: number;
}

/** Shows the reasons why a pin is wrong. */
export async function explainFalse(
  box: ParentNode,
  { asked: { pin = "", secretCode = "" }, settings, shownSecrets, nowMs, deviceAhead }: Answered,
): Promise<void> {
  const reasons = one(".reasons", box);
  const place = one("div", reasons);
  const show = (...children: readonly HTMLElement[]): void => {
    place.replaceChildren(...children);
    reasons.hidden = false;
  };
  const tell = (...children: readonly HTMLElement[]): void => {
    show(...children);
    setText(one("#announcement"), children.map(listText).join(" "));
  };
  if (isSealed(secretCode)) return tell(textElement("p", SEALED));
  if (!computes(settings.algorithm)) {
    const { flaws } = readPin(pin);
    return tell(...(flaws.length === 0 ? [] : [list(flaws)]), ...otherReasons(settings));
  }
  const looking = textElement("p", "Looking for the reason\u2026");
  show(looking);
  const found = await diagnose({ pin, secretCode }, settings, nowMs);
  // Apps of another hash are not looked for without WebCrypto.
  one(".without-webcrypto", reasons).hidden = computes("SHA256") || found.match !== undefined;
  const isEarlier = found.match === undefined && found.canBeCode &&
    await isOfAny(shownSecrets, pin, settings, nowMs);
  // Typing clears the reasons, and a later answer replaces them: this explanation is then too late.
  if (looking.isConnected && !reasons.hidden) {
    tell(...isEarlier ? [textElement("p", EARLIER)] : explained(found, settings, deviceAhead));
  }
}

const EARLIER =
  "This is the code of a secret that this page had before. Compare the two; or scan the QR code that " +
  "it shows now, and remove the other account from the app.";

// The codes that the server would take now, of any of the secrets.
async function isOfAny(
  secrets: ReadonlySet<string>,
  pin: string,
  { algorithm, digits, period, window, secretEncoding }: ScriptSettings,
  nowMs: number,
): Promise<boolean> {
  const { digits: code } = readPin(pin);
  const step = timeStep(nowMs, period);
  for (const key of [...secrets].flatMap((secret) => secretKey(secret, secretEncoding) ?? [])) {
    const macOf = await importHmac(key, algorithm);
    for (let counter = Math.max(0, step - window); counter <= step + window; counter++) {
      if (codeOf(await macOf(counter), digits) === code) return true;
    }
  }
  return false;
}

function explained(
  { flaws, canBeCode, match }: Diagnosis,
  settings: ScriptSettings,
  deviceAhead: number,
): readonly HTMLElement[] {
  const shown = flaws.length === 0 ? [] : [list(flaws)];
  if (!canBeCode) return shown;
  // Without a match, only the general reasons remain.
  if (match === undefined) return [...shown, ...otherReasons(settings)];
  const causes = causesOf(match, settings, deviceAhead);
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

function otherReasons(settings: ScriptSettings): readonly HTMLElement[] {
  return [
    textElement("p", "Possible reasons:"),
    list([...OTHER_REASONS, ...refusalSentences(settings)]),
  ];
}

// A blank between the items of a list.
function listText(element: HTMLElement): string {
  const items = [...element.children].filter(({ localName }) => localName === "li");
  return (items.length === 0 ? [element] : items).map(({ textContent }) => textContent).join(" ");
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
