/**
 * Forms that call an operation, and the places of their results.
 *
 * @module
 */

import type { Operation, Parameter } from "../operations/operations.ts";
import { DEFAULT_TOTP } from "../otp/totp.ts";
import type { PageContext } from "./service_page.ts";
import { copyButton } from "./layout/components.ts";
import { servicePath } from "./layout/layout.ts";
import { type Content, type Markup, markup } from "./markup.ts";
import { type Field, fieldOf } from "./samples/fields.ts";
import { KEY_PLACEHOLDER } from "./samples/quoting.ts";
import type { PageSettings } from "./shared/settings.ts";

/**
 * Writes the form of an operation, with the place of its result beside it: a picture, or a verdict.
 * Without script it posts as usual, and the browser shows the reply.
 */
export function tryIt(operation: Operation, context: PageContext): Markup {
  const { name, parameters, result } = operation;
  const picture = result.kind === "record" ? result.picture : undefined;
  const fields = parameters.map((parameter) => fieldElement(operation, parameter, context));
  const { service: { otp, secretEncoding }, maxFailures, singleUse } = context;
  const settings: PageSettings = { ...otp, secretEncoding, maxFailures, singleUse };
  return markup`
    <div class="try">
      <form action="${servicePath(context)}/${name}" method="post" autocomplete="off"
        data-operation="${name}" data-settings="${JSON.stringify(settings)}"
        ${picture && markup`data-picture-field="${picture.html}" data-key-field="${picture.text}"`}>
        ${fields}
        <p class="row">
          <button type="submit">${picture ? "Make the QR code" : "Check the pin"}</button>
          <span class="hint no-js">You see the reply as the service sends it, in XML.</span>
        </p>
      </form>
      ${picture ? pairing(name, context) : verdict(context)}
    </div>`;
}

function fieldElement(
  operation: Operation,
  { name, mayBeEmpty }: Parameter,
  { service }: PageContext,
): Markup {
  const { label, hint, example, kind } = fieldOf(name, service);
  const id = `${operation.name}-${name}`;
  return markup`
    <div class="field">
      <div class="name"><label for="${id}">${label}</label> <code>${name}</code></div>
      <input id="${id}" name="${name}" type="text" aria-describedby="${id}-hint"
        ${kind === "name" && markup`value="${example}"`} ${!mayBeEmpty && markup`required`}
        ${ATTRIBUTES[kind]}>
      <p class="error" id="${id}-error" hidden></p>
      ${kind === "secret" && secretNotes(operation)}
      <span class="hint" id="${id}-hint">${hint}</span>
    </div>`;
}

const CODE_LIKE = markup`class="code" autocapitalize="off" autocorrect="off" spellcheck="false"`;

// A pin is typed as text: a number would lose leading zeros.
const ATTRIBUTES: Readonly<Record<Field["kind"], Content>> = {
  name: markup`autocomplete="off" dir="auto"`,
  secret: markup`autocomplete="off" ${CODE_LIKE}`,
  pin: markup`inputmode="numeric" autocomplete="one-time-code" ${CODE_LIKE}`,
  text: undefined,
};

// A random secret is for pairing, since an app then receives it, and the warning is beside the
// picture there: it must come before an app has the secret. Elsewhere it is the way out of a form
// without a secret.
function secretNotes({ result }: Operation): Content {
  const isPairing = result.kind === "record";
  return [WHOLE, !isPairing && [LENGTH_WARNING, BEGIN], KIND, isPairing && DRAW];
}

const WHOLE = markup`<code class="whole" hidden></code>`;

// Empty live region; the script fills it. Only the sentence is hidden, not the paragraph: browsers
// read out text that appears in an element already there.
const LENGTH_WARNING = markup`
  <p class="length-warning on-screen js-only" role="status"><span hidden></span></p>`;

const RANDOM_BUTTON = markup`
  <button type="button" class="js-only small random">New random secret</button>`;

const BEGIN = markup`
  <p class="begin js-only" hidden>First pair: ${RANDOM_BUTTON} makes a secret and its QR code.</p>`;

const KIND = markup`
  <p class="kind hint on-screen js-only" role="status"><span hidden></span></p>`;

const DRAW = markup`
  <div class="row">
    ${RANDOM_BUTTON} <span class="hint js-only">Reloading the page makes a new one.</span>
  </div>`;

/** Field for the user's key; no form sends its value. */
export const KEY_FIELD: Markup = markup`
  <div class="card keys js-only">
    <label for="key">Your API key</label>
    <input id="key" name="key" type="password" class="code" autocomplete="off"
      placeholder="${KEY_PLACEHOLDER}" aria-describedby="key-hint">
    <p class="error" id="key-error" hidden></p>
    <span class="hint" id="key-hint">Used in the samples and in what you send. If it is empty, the
      browser sends the key that opened this page.</span>
  </div>`;

// Answer, its reasons, and the codes around now: the neighbours of the current one, and the first
// ones outside the window. Of the codes and the hint to run a command the script shows one: over
// plain HTTP, browsers compute only codes of SHA-1.
function verdict({ singleUse, service: { otp } }: PageContext): Markup {
  const { algorithm, period, window } = otp;
  const accepted = singleUse ? "accepted once" : "accepted";
  const others = [...new Set([-window - 1, -1, 1, window + 1])].map((step) =>
    markup`
    <button type="button" class="small" data-step="${step}">
      <span>${stepName(step)}</span>
      <span class="code"></span>
      <span class="taken">${Math.abs(step) <= window ? accepted : "refused"}</span>
    </button>`
  );
  return markup`
    <div class="result with-codes js-only">
      <p class="answer empty" role="status">The answer appears here.</p>
      <details class="reasons" open hidden>
        <summary>Why it is false</summary>
        <div></div>
        <small class="without-webcrypto" data-algorithm="${algorithm}" hidden>To see which it is,
          run <code>authenticator doctor</code> on the server.</small>
      </details>
      <div class="test-app" role="group" aria-labelledby="test-app-title" hidden>
        <h3 id="test-app-title">No phone? Use this test authenticator</h3>
        <p class="hint without-webcrypto" data-algorithm="${algorithm}" hidden>Over plain HTTP, this
          browser cannot compute codes of this hash. Run <code>authenticator code</code> on the
          server.</p>
        <div class="codes">
          <p class="hint">It shows the codes that an app shows for the secret code in the form. This
            browser computes them. Press a code to fill it in.</p>
          <button type="button" class="now" data-step="0">
            ${RING} <span class="code"></span> <span class="use">Use this code</span>
          </button>
          <div class="row others">${others}</div>
        </div>
      </div>
      <div class="clock" data-period="${period}">
        <span>Server time <b class="time">--:--:--</b> UTC; <b class="left">--</b> s left of this
          time step</span>
        <progress max="${period}" value="0" aria-label="Seconds left"></progress>
        <span class="skew"></span>
      </div>
    </div>`;
}

function stepName(step: number): string {
  if (step === -1) return "Previous";
  if (step === 1) return "Next";
  return step < 0 ? `${-step} steps ago` : `In ${step} steps`;
}

const CIRCLE = markup`cx="16" cy="16" r="13" fill="none" stroke-width="5"`;

const RING = markup`
  <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" aria-hidden="true">
    <circle ${CIRCLE} class="whole-arc"></circle>
    <circle ${CIRCLE} class="left-arc" pathLength="1" transform="rotate(-90 16 16)"></circle>
  </svg>`;

function pairing(name: string, { service: { otp } }: PageContext): Markup {
  // Choices in an app beside the key, where they are not what all apps begin with.
  const unusual = [
    otp.digits !== DEFAULT_TOTP.digits && `, ${otp.digits} digits`,
    otp.period !== DEFAULT_TOTP.period && `, a period of ${otp.period} seconds`,
    otp.algorithm !== DEFAULT_TOTP.algorithm && `, ${otp.algorithm}`,
  ];
  return markup`
    <div class="result pairing js-only">
      <p class="for print-only" dir="auto"></p>
      ${LENGTH_WARNING}
      <div class="tile"><p>The QR code appears here.</p></div>
      <div class="setup" hidden>
        <h3>Or type in this setup key</h3>
        <code class="groups" id="${name}-setup"></code>
        <p class="hint">Choose time-based${unusual} in the app.</p>
        <div class="row on-screen">
          ${copyButton(`${name}-setup`, "the setup key")}
          <a class="button small open">Open in an app</a>
          <button type="button" class="small print">Print</button>
        </div>
        <div class="on-screen">
          <h3>Key URI</h3>
          <code class="uri" id="${name}-uri"></code>
          <div class="row">${copyButton(`${name}-uri`, "the Key URI")}</div>
        </div>
      </div>
      <p class="status on-screen" role="status"></p>
      <ol class="print-only">
        <li>Open an authenticator app and add an account.</li>
        <li>Scan the picture, or type in the setup key.</li>
        <li>Destroy this sheet after scanning: anyone who has it can make the same pins.</li>
      </ol>
    </div>`;
}
