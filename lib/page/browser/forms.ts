/**
 * Forms that call an operation from the page.
 *
 * @module
 */

import { all, first, one, setText, settingsOf, valuesOf } from "./dom.ts";
import type { PageState } from "./page_state.ts";
import {
  call,
  fillIn,
  quietRequest,
  type ReadyRequest,
  requestIn,
  type ShownReply,
  strangeReply,
} from "./request.ts";
import { holesOf, remember } from "./typed_values.ts";
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

function stop({ pending }: PageState, form: HTMLFormElement): void {
  const { timer, control } = pending.get(form) ?? {};
  clearTimeout(timer);
  control?.abort();
  pending.delete(form);
  form.removeAttribute("data-busy");
}

/**
 * Sends a request for a form, and shows the outcome.
 *
 * @param isAsked Whether the user pressed a button for it.
 * @returns The answer; undefined when the values of the form have changed meanwhile.
 */
async function run(
  state: PageState,
  form: HTMLFormElement,
  request: ReadyRequest,
  isAsked: boolean,
): Promise<ShownReply | undefined> {
  stop(state, form);
  const control = new AbortController();
  state.pending.set(form, { control });
  const asked = valuesOf(form);
  const view = viewFor(form);
  view.wait(form, isAsked);
  form.toggleAttribute("data-busy", isAsked);
  const answer = await call(request, state.clock, control.signal).catch(() => undefined);
  const isWanted = (): boolean => state.pending.get(form)?.control === control && form.isConnected;
  if (answer === undefined || !isWanted()) return undefined;
  if (JSON.stringify(asked) !== JSON.stringify(valuesOf(form))) {
    stop(state, form);
    view.clear(form);
    return undefined;
  }
  const nowMs = state.clock.nowMs();
  const stamp = isAsked ? stampOf(state, answer) : "";
  if (answer.message !== undefined) view.clear(form, answer.message, "bad");
  else if (!await view.show(form, { result: answer.result, asked, stamp, nowMs, isWanted })) {
    view.clear(form, strangeReply(answer.status), "bad");
  }
  if (!isWanted()) return undefined;
  stop(state, form);
  state.clock.tick();
  return answer;
}

async function submit(state: PageState, form: HTMLFormElement): Promise<void> {
  const panel = chosenPanel();
  if (panel === undefined) return void await run(state, form, quietRequest(form), true);
  const pane = one(".request pre", panel);
  fillIn(pane, holesOf(form), true);
  outdateReplies();
  const answer = await run(state, form, requestIn(pane, serviceOf(form)), true);
  if (answer !== undefined) showReply(panel, answer);
}

function refresh(state: PageState, form: HTMLFormElement): void {
  if (form.checkValidity()) return void run(state, form, quietRequest(form), false);
  stop(state, form);
  viewFor(form).clear(form, "The QR code appears when all fields are filled in.");
}

function refreshSoon(state: PageState, form: HTMLFormElement): void {
  // Mark the shown result as outdated.
  viewFor(form).wait(form, false);
  state.pending.set(form, { timer: setTimeout(() => refresh(state, form), PAUSE_MS) });
}

/** Puts the values of the fields into all samples. */
export function followForm(): void {
  const form = first<HTMLFormElement>("form");
  if (form === undefined) return;
  for (const pane of all("pre[data-values]")) fillIn(pane, holesOf(form), false);
}

function onInput(state: PageState, form: HTMLFormElement, field: EventTarget | null): void {
  // On the overview, check pins of the secret that was just paired.
  if (isLive(form) && field instanceof HTMLInputElement && field.name === "secretCode") {
    for (const other of all<HTMLInputElement>("input[name=secretCode]")) other.value = field.value;
  }
  remember(state, form);
  followForm();
  outdateReplies();
  showWhole();
  showLengthWarning();
  // Clear every answer: it was given for other values, even if they are in the other form.
  for (const each of all<HTMLFormElement>("form")) {
    if (isLive(each) && each !== form) continue;
    stop(state, each);
    if (isLive(each)) refreshSoon(state, each);
    else viewFor(each).clear(each);
  }
  state.clock.tick();
}

/** Minimum length of a key in bytes (RFC 4226 §4, R6). */
const MIN_KEY_BYTES = 16;

/** Longest key that hardware tokens accept, in bytes: a block of HMAC-SHA-1. */
const MAX_TOKEN_KEY_BYTES = 64;

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
export function setUpForm(state: PageState, form: HTMLFormElement): void {
  form.addEventListener("input", ({ target, isTrusted }) => {
    if (isTrusted) state.isUsed = true;
    onInput(state, form, target);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    state.isUsed = true;
    void submit(state, form);
  });
  for (const button of all(".random", form)) {
    button.addEventListener("click", () => {
      state.isUsed = true;
      draw(form);
    });
  }
  if (!isLive(form)) return;
  if ((state.typed.get("secretCode") ?? "") === "") draw(form);
  else refresh(state, form);
}

function draw(form: HTMLFormElement): void {
  const field = one<HTMLInputElement>("input[name=secretCode]", form);
  field.value = drawSecret(form);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
