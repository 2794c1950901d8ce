/**
 * Forms that call an operation from the page.
 *
 * @module
 */

import { all, first, one, setText, valuesOf } from "./dom.ts";
import type { PageState } from "./page_state.ts";
import { followScrolling, openPanel } from "./panes.ts";
import {
  call,
  fillIn,
  followForms,
  keyShown,
  postRequest,
  type ReadyRequest,
  requestIn,
  sectionOf,
  type ShownReply,
  strangeReply,
  valuesFor,
} from "./request.ts";
import { MAX_TOKEN_KEY_BYTES, MIN_KEY_BYTES, newSecret, secretKey } from "../../otp/secret.ts";
import { kindOf } from "./secret_kind.ts";
import {
  awaitResult,
  bringIntoView,
  clearResult,
  isLive,
  outdateReplies,
  serviceOf,
  showReply,
  showResult,
  stampOf,
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
  awaitResult(form, isAsked);
  for (const part of [form, ...all(".keys")]) clearFaults(part);
  // The same sentence is read out again when it is the answer again.
  if (isAsked) one("#announcement").textContent = "";
  form.toggleAttribute("data-busy", isAsked);
  const answer = await call(request, state.clock, control.signal).catch(() => undefined);
  const isWanted = (): boolean => state.pending.get(form)?.control === control && form.isConnected;
  if (answer === undefined || !isWanted()) return undefined;
  if (JSON.stringify(asked) !== JSON.stringify(valuesOf(form))) {
    stop(state, form);
    clearResult(form);
    return undefined;
  }
  const { shownSecrets, clock, settings } = state;
  const facts = {
    asked,
    settings,
    shownSecrets,
    nowMs: clock.nowMs(),
    deviceAhead: clock.aheadSeconds(),
    stamp: isAsked ? stampOf(state, answer) : "",
    isWanted,
  };
  if (answer.message !== undefined) showFault(form, answer.message);
  else if (!await showResult(form, { result: answer.result, ...facts })) {
    clearResult(form, strangeReply(answer.status), "bad");
  } else if (isLive(form)) {
    shownSecrets.add(asked["secretCode"] ?? "");
    state.hasPaired = true;
  }
  if (!isWanted()) return undefined;
  stop(state, form);
  followScrolling();
  if (isAsked) bringIntoView(form);
  state.clock.tick();
  return answer;
}

async function submit(state: PageState, form: HTMLFormElement): Promise<void> {
  const panel = openPanel(sectionOf(form));
  const pane = one(".request pre", panel);
  fillIn(pane, valuesFor(form), true);
  outdateReplies();
  const answer = await run(state, form, requestIn(pane, serviceOf(form)), true);
  if (answer !== undefined) showReply(panel, answer);
}

// A fault that names a parameter stands at its field. It stands here too for Pair, whose fields may be
// closed, and for the key, which is far from here.
function showFault(form: HTMLFormElement, message: string): void {
  const named = all<HTMLInputElement>("input", form)
    .find(({ name }) => new RegExp(`\\b${name}\\b`).test(message));
  const said = named === undefined || isLive(form)
    ? message
    : "One field is not right; the reason stands below it.";
  clearResult(form, said, "bad");
  const field = named ?? (/\bAPI key\b/.test(message) ? first("#key") : undefined);
  if (field === undefined) return;
  const place = one(`#${field.id}-error`);
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", `${place.id} ${field.id}-hint`);
  place.hidden = false;
  place.textContent = message;
  if (said !== message) setText(one("#announcement"), message);
}

/** Clears the faults at the fields of a part of the page. */
function clearFaults(part: HTMLElement): void {
  for (const field of all("[aria-invalid]", part)) {
    field.removeAttribute("aria-invalid");
    field.setAttribute("aria-describedby", `${field.id}-hint`);
    one(`#${field.id}-error`).hidden = true;
  }
}

function refresh(state: PageState, form: HTMLFormElement): void {
  const isFilledIn = form.checkValidity();
  const isAllowed = keyShown() !== undefined || first("#key") === undefined || state.hasPaired;
  if (isFilledIn && isAllowed) {
    // A POST: no secret is in an address.
    const body = JSON.stringify(valuesOf(form));
    const request = postRequest(form.getAttribute("action")!, "application/json", body);
    return void run(state, form, request, false);
  }
  stop(state, form);
  clearResult(form, isFilledIn ? "" : "The QR code appears when all fields are filled in.");
}

function refreshSoon(state: PageState, form: HTMLFormElement): void {
  // Mark the shown result as outdated.
  awaitResult(form, false);
  state.pending.set(form, { timer: setTimeout(() => refresh(state, form), PAUSE_MS) });
}

/**
 * Makes the requests follow each letter of the key, and the picture a whole key: after a paste, Enter,
 * or when the field loses the focus. A refused key makes the browser show its login dialog.
 */
export function setUpKey(state: PageState, field: HTMLInputElement): void {
  let usedKey = "";
  const refreshAll = (): void => {
    if (field.value === usedKey) return;
    usedKey = field.value;
    for (const form of all<HTMLFormElement>("form").filter(isLive)) {
      stop(state, form);
      refreshSoon(state, form);
    }
  };
  field.addEventListener("input", (event) => {
    clearFaults(field.parentElement!);
    followForms();
    const { data = "", inputType = "" } = event as Partial<InputEvent>;
    if (data?.length !== 1 && !inputType.startsWith("delete")) refreshAll();
  });
  field.addEventListener("change", refreshAll);
}

function onInput(state: PageState, form: HTMLFormElement, field: EventTarget | null): void {
  // A secret that is typed once is in every form: pins are checked of what was paired.
  if (field instanceof HTMLInputElement && field.name === "secretCode") {
    for (const other of all<HTMLInputElement>("input[name=secretCode]")) {
      if (other !== field) other.value = field.value;
    }
  }
  followForms();
  outdateReplies();
  showWhole();
  followScrolling();
  showSecretNotes(state, form);
  // Clear every answer: it was given for other values, even if they are in the other form.
  for (const each of all<HTMLFormElement>("form")) {
    const isConcerned = each === form || (field as HTMLInputElement | null)?.name === "secretCode";
    if (isLive(each) && !isConcerned) continue;
    clearFaults(each);
    stop(state, each);
    if (isLive(each)) refreshSoon(state, each);
    else clearResult(each);
  }
  state.clock.tick();
}

function lengthWarning(length: number): string {
  if (length > MAX_TOKEN_KEY_BYTES) {
    return `This secret is longer than ${MAX_TOKEN_KEY_BYTES} bytes: hardware tokens and some libraries refuse it.`;
  }
  if (length === 0 || length >= MIN_KEY_BYTES) return "";
  return `This secret is shorter than ${MIN_KEY_BYTES} bytes: it can be guessed from a few codes, and some apps ` +
    "refuse it. Use it for tests only.";
}

/**
 * Says what the secret looks like and whether its length is unusual, in the form where it was typed
 * since every form has the same; and how to begin where there is none.
 */
function showSecretNotes({ settings }: PageState, typedIn: HTMLFormElement): void {
  for (const form of all<HTMLFormElement>("form")) {
    const secret = valuesOf(form)["secretCode"] ?? "";
    const length = secretKey(secret, settings.secretEncoding)?.length ?? 0;
    const box = form.closest<HTMLElement>(".operation")!;
    const kind = form === typedIn ? kindOf(secret, settings) : "";
    const warning = form === typedIn && kind === "" ? lengthWarning(length) : "";
    for (const span of all(".kind > span", box)) tell(span, kind);
    for (const span of all(".length-warning > span", box)) tell(span, warning);
    for (const hint of all(".begin", box)) hint.hidden = secret !== "";
  }
}

// The sentence alone is hidden: browsers read out text that appears in an element already there.
function tell(span: HTMLElement, text: string): void {
  span.hidden = text === "";
  setText(span, text);
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
  form.addEventListener("input", ({ target }) => onInput(state, form, target));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void submit(state, form);
  });
  for (const button of all(".random", form)) {
    button.addEventListener("click", () => {
      draw(state, form);
      // The button may have gone with the secret.
      if (!button.isConnected || button.offsetParent === null) one("input", form).focus();
    });
  }
  if (isLive(form)) draw(state, form);
}

function draw({ settings }: PageState, form: HTMLFormElement): void {
  const field = one<HTMLInputElement>("input[name=secretCode]", form);
  field.value = newSecret(settings.secretEncoding, crypto);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
