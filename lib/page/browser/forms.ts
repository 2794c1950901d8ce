/**
 * The forms that try an operation out.
 *
 * @module
 */

import { showClocks } from "./clock.ts";
import { all, first, one, valuesOf } from "./dom.ts";
import {
  type Answer,
  call,
  fillIn,
  quietRequest,
  type ReadyRequest,
  requestIn,
} from "./exchange.ts";
import { isLive, outdateReplies, serviceOf, viewOf } from "./views.ts";

/** How long a pause in typing is, in milliseconds. */
const PAUSE_MS = 200;

/** The pane of the format that is chosen, where the page has formats. */
function chosenPanel(): HTMLElement | undefined {
  return first("#calls input:checked + label + .panel");
}

const running = new Map<HTMLFormElement, AbortController>();

async function run(form: HTMLFormElement, request: ReadyRequest): Promise<Answer | undefined> {
  running.get(form)?.abort();
  const control = new AbortController();
  running.set(form, control);
  const view = viewOf(form);
  try {
    const answer = await call(request, control.signal);
    if (answer.message === undefined) view.show(form, answer.result);
    else view.clear(form, answer.message, "bad");
    showClocks();
    return answer;
  } catch {
    if (!control.signal.aborted) {
      view.clear(form, "The server gave no answer that can be read.", "bad");
    }
    return undefined;
  }
}

async function submit(form: HTMLFormElement): Promise<void> {
  const panel = chosenPanel();
  if (panel === undefined) return void await run(form, quietRequest(form));
  const pane = one(".request pre", panel);
  fillIn(pane, valuesOf(form));
  const answer = await run(form, requestIn(pane, serviceOf(form)));
  if (answer === undefined) return;
  one(".reply pre", panel).textContent = answer.shown;
  one(".reply", panel).classList.add("true");
  one(".reply .title", panel).textContent = `Reply, ${answer.tookMs} ms`;
}

// Waits for a pause in typing.
function soon(act: () => void): () => void {
  let timer: number | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, PAUSE_MS);
  };
}

function refresh(form: HTMLFormElement): void {
  if (form.checkValidity()) return void run(form, quietRequest(form));
  running.get(form)?.abort();
  viewOf(form).clear(form, "The QR code appears when all fields are filled in.");
}

/** Makes a form send its calls by script, and show what becomes of them. */
export function setUpForm(form: HTMLFormElement): void {
  const live = isLive(form);
  const refreshSoon = soon(() => refresh(form));
  form.addEventListener("input", ({ target }) => {
    // On the page that has both forms, the pin to be checked is that of the secret just paired.
    if (live && target instanceof HTMLInputElement && target.name === "secretCode") {
      const fields = all<HTMLInputElement>("input[name=secretCode]");
      for (const field of fields) field.value = target.value;
    }
    for (const pane of all("#calls .request pre")) fillIn(pane, valuesOf(form));
    outdateReplies();
    if (live) refreshSoon();
    else viewOf(form).clear(form);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void submit(form);
  });
  for (const button of all(".random", form)) {
    button.addEventListener("click", () => {
      const field = one<HTMLInputElement>("input[name=secretCode]", form);
      field.value = randomSecret();
      field.dispatchEvent(new Event("input", { bubbles: true }));
    });
  }
  if (live) first(".random", form)?.click();
}

// 160 bits, as 32 characters of Base32.
function randomSecret(): string {
  return [...crypto.getRandomValues(new Uint8Array(20))]
    .map((byte) => byte.toString(2).padStart(8, "0")).join("")
    .replace(/.{5}/g, (bits) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[parseInt(bits, 2)]!);
}
