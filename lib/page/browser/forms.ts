/**
 * Forms that call an operation from the page.
 *
 * @module
 */

import { tick } from "./clock.ts";
import { all, first, one, setText, settingsOf, valuesOf } from "./dom.ts";
import {
  call,
  fillIn,
  quietRequest,
  type ReadyRequest,
  requestIn,
  type ShownReply,
  strangeReply,
} from "./request.ts";
import { holesOf, markUsed, remember, remembered } from "./typed_values.ts";
import { secretKey } from "../../otp/secret.ts";
import { drawSecret } from "./random_secret.ts";
import {
  chosenPanel,
  isLive,
  outdateReplies,
  serviceOf,
  showReply,
  stampOf,
  viewFor,
} from "./views.ts";

/** Pause in typing before a refresh, in milliseconds. */
const PAUSE_MS = 200;

/** Pending work of a form: a pause in typing, or a reply. */
interface Waiting {
  timer?: number;
  control?: AbortController;
}

const waiting = new WeakMap<HTMLFormElement, Waiting>();

function stop(form: HTMLFormElement): void {
  const { timer, control } = waiting.get(form) ?? {};
  clearTimeout(timer);
  control?.abort();
  waiting.delete(form);
  form.removeAttribute("data-busy");
}

/**
 * Sends a request for a form, and shows the outcome.
 *
 * @param isAsked Whether the user pressed a button for it.
 * @returns The answer; undefined when the values of the form have changed meanwhile.
 */
async function run(
  form: HTMLFormElement,
  request: ReadyRequest,
  isAsked: boolean,
): Promise<ShownReply | undefined> {
  stop(form);
  const control = new AbortController();
  waiting.set(form, { control });
  const asked = valuesOf(form);
  const view = viewFor(form);
  view.wait(form, isAsked);
  form.toggleAttribute("data-busy", isAsked);
  const answer = await call(request, control.signal).catch(() => undefined);
  const isWanted = (): boolean => waiting.get(form)?.control === control && form.isConnected;
  if (answer === undefined || !isWanted()) return undefined;
  if (JSON.stringify(asked) !== JSON.stringify(valuesOf(form))) {
    stop(form);
    view.clear(form);
    return undefined;
  }
  const stamp = isAsked ? stampOf(answer) : "";
  if (answer.message !== undefined) view.clear(form, answer.message, "bad");
  else if (!await view.show(form, { result: answer.result, asked, stamp, isWanted })) {
    view.clear(form, strangeReply(answer.status), "bad");
  }
  if (!isWanted()) return undefined;
  stop(form);
  tick();
  return answer;
}

async function submit(form: HTMLFormElement): Promise<void> {
  const panel = chosenPanel();
  if (panel === undefined) return void await run(form, quietRequest(form), true);
  const pane = one(".request pre", panel);
  fillIn(pane, holesOf(form), true);
  outdateReplies();
  const answer = await run(form, requestIn(pane, serviceOf(form)), true);
  if (answer !== undefined) showReply(panel, answer);
}

function refresh(form: HTMLFormElement): void {
  if (form.checkValidity()) return void run(form, quietRequest(form), false);
  stop(form);
  viewFor(form).clear(form, "The QR code appears when all fields are filled in.");
}

function refreshSoon(form: HTMLFormElement): void {
  // Mark the shown result as outdated.
  viewFor(form).wait(form, false);
  waiting.set(form, { timer: setTimeout(() => refresh(form), PAUSE_MS) });
}

/** Puts the values of the fields into all samples. */
export function followForm(): void {
  const form = first<HTMLFormElement>("form");
  if (form === undefined) return;
  for (const pane of all("pre[data-values]")) fillIn(pane, holesOf(form), false);
}

function onInput(form: HTMLFormElement, field: EventTarget | null): void {
  // On the overview, check pins of the secret that was just paired.
  if (isLive(form) && field instanceof HTMLInputElement && field.name === "secretCode") {
    for (const other of all<HTMLInputElement>("input[name=secretCode]")) other.value = field.value;
  }
  remember(form);
  followForm();
  outdateReplies();
  showWhole();
  showLengthWarning();
  // Clear every answer: it was given for other values, even if they are in the other form.
  for (const each of all<HTMLFormElement>("form")) {
    if (isLive(each) && each !== form) continue;
    stop(each);
    if (isLive(each)) refreshSoon(each);
    else viewFor(each).clear(each);
  }
  tick();
}

/** Minimum length of a key in bytes (RFC 4226 §4, R6). */
const MIN_KEY_BYTES = 16;

/** Longest key that hardware tokens accept, in bytes: a block of HMAC-SHA-1. */
const MAX_TOKEN_KEY_BYTES = 64;

/** Warning for a key of `length` bytes; empty for a usual length. */
function lengthWarning(length: number): string {
  if (length > MAX_TOKEN_KEY_BYTES) {
    return "This secret is longer than 64 bytes: hardware tokens and some libraries refuse it.";
  }
  if (length === 0 || length >= MIN_KEY_BYTES) return "";
  return "This secret is shorter than 16 bytes: it can be guessed from a few codes, and some apps " +
    "refuse it. Use it for tests only.";
}

/** Warns of a secret of unusual length, once if both forms have the same secret. */
export function showLengthWarning(): void {
  const said = new Set<string>();
  for (const form of all<HTMLFormElement>("form")) {
    const secret = valuesOf(form)["secretCode"] ?? "";
    const length = secretKey(secret, settingsOf(form).secretEncoding)?.length ?? 0;
    const warning = said.has(secret) ? "" : lengthWarning(length);
    said.add(secret);
    for (const span of all(".short > span", form.parentElement!)) {
      span.hidden = warning === "";
      setText(span, warning);
    }
  }
}

/** Shows the whole value of a field that is too narrow for it. */
export function showWhole(): void {
  for (const whole of all(".whole")) {
    const field = one<HTMLInputElement>("input", whole.parentElement!);
    whole.hidden = field.scrollWidth <= field.clientWidth;
    whole.textContent = field.value;
  }
}

/** Makes a form send its calls by script and show the outcome. */
export function setUpForm(form: HTMLFormElement): void {
  form.addEventListener("input", ({ target, isTrusted }) => {
    if (isTrusted) markUsed();
    onInput(form, target);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    markUsed();
    void submit(form);
  });
  for (const button of all(".random", form)) {
    button.addEventListener("click", () => {
      markUsed();
      draw(form);
    });
  }
  if (!isLive(form)) return;
  if ((remembered("secretCode") ?? "") === "") draw(form);
  else refresh(form);
}

function draw(form: HTMLFormElement): void {
  const field = one<HTMLInputElement>("input[name=secretCode]", form);
  field.value = drawSecret(form);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
