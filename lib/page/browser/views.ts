/**
 * Views of a result: a QR code, or a verdict.
 *
 * @module
 */

import { absoluteUrl, all, first, one, setText, textElement } from "./dom.ts";
import type { PageState } from "./page_state.ts";
import type { ReplyResult, ShownReply } from "./request.ts";
import { readPicture, showPicture } from "./qr_code.ts";
import { entitle } from "./panes.ts";
import { type Answered, explainFalse } from "./explain_false.ts";

/** A result with the values it was computed from. */
export interface ReplyOutcome extends Answered {
  /** Result. */
  readonly result: ReplyResult;
  /** Line about time and number of the answer; empty when the user pressed no button. */
  readonly stamp: string;
  /** Whether the result still belongs to the values of the form. */
  readonly isWanted: () => boolean;
}

/** Clears the result of a form, and shows the reason. */
export function clearResult(form: HTMLFormElement, message?: string, kind?: string): void {
  (isLive(form) ? clearPairing : clearAnswer)(form, message, kind);
}

/** Marks the result of a form as outdated while a new one is awaited. */
export function awaitResult(form: HTMLFormElement, isAsked: boolean): void {
  (isLive(form) ? dimPairing : showWaiting)(form, isAsked);
}

/**
 * Shows a result.
 *
 * @returns Whether the form can show it; otherwise nothing changes.
 */
export async function showResult(form: HTMLFormElement, outcome: ReplyOutcome): Promise<boolean> {
  return await (isLive(form) ? showPairing : showVerdict)(form, outcome);
}

/** Whether a form has a picture, which follows what the user types. */
export function isLive(form: HTMLFormElement): boolean {
  return form.dataset["operation"] === "Pair";
}

/** Address of the service, from the form of one of its operations. */
export function serviceOf(form: HTMLFormElement): string {
  const action = absoluteUrl(form.getAttribute("action")!);
  return action.slice(0, -1 - (form.dataset["operation"] ?? "").length);
}

/** Line about a requested answer; its number makes each one different. */
export function stampOf(state: PageState, { tookMs }: ShownReply): string {
  return `Answer ${++state.answers}, at ${state.clock.timeShown()} UTC, after ${tookMs} ms`;
}

function resultOf(form: HTMLFormElement): HTMLElement {
  return form.closest<HTMLElement>(".operation")!;
}

// Success is visible in the picture, so its message is for screen readers, unless it was asked for.
function sayOfPairing(form: HTMLFormElement, message: string, kind: string): void {
  const status = one(".status", resultOf(form));
  status.className = `status on-screen ${kind}`;
  setText(status, message);
}

function setPairingBusy(form: HTMLFormElement, isBusy: boolean): void {
  const box = resultOf(form);
  one(".pairing", box).setAttribute("aria-busy", String(isBusy));
  for (const button of all<HTMLButtonElement>(".setup button", box)) button.disabled = isBusy;
  if (isBusy) one(".open", box).removeAttribute("href");
}

function clearPairing(form: HTMLFormElement, message = "", kind = ""): void {
  setPairingBusy(form, false);
  const box = resultOf(form);
  one(".setup", box).classList.add("waiting");
  first(".tile > svg", box)?.remove();
  sayOfPairing(form, message, kind);
}

function dimPairing(form: HTMLFormElement): void {
  setPairingBusy(form, true);
  sayOfPairing(form, "", "");
}

async function showPairing(
  form: HTMLFormElement,
  { result, stamp, isWanted }: ReplyOutcome,
): Promise<boolean> {
  const { ManualSetupCode: setupKey = "", Html: html = "" } = typeof result === "string"
    ? {}
    : result;
  const picture = await readPicture(html, serviceOf(form));
  if (!isWanted()) return true;
  if (typeof picture === "string") {
    clearPairing(form, picture, "bad");
    return true;
  }
  if (setupKey === "" || picture === undefined) return false;
  const box = resultOf(form);
  const name = nameIn(picture.uri);
  const isFine = showPicture(one(".tile", box), picture);
  one(".groups", box).replaceChildren(
    ...(setupKey.match(/.{1,4}/g) ?? []).map((four) => textElement("span", four)),
  );
  setPairingBusy(form, false);
  one<HTMLAnchorElement>(".open", box).href = picture.uri;
  one(".uri", box).textContent = picture.uri;
  one(".for", box).textContent = name;
  if (first("#key") !== undefined) closeForm(box);
  one(".setup", box).classList.remove("waiting");
  const said = stamp || `QR code for ${name} is shown.`;
  if (isFine) sayOfPairing(form, said, stamp ? "hint" : "unseen");
  else sayOfPairing(form, `${said} ${DENSE}`, "hint");
  return true;
}

// The form is open before the first picture, and stays open while the user is in it.
function closeForm(box: HTMLElement): void {
  const details = one<HTMLDetailsElement>("details", box);
  const isFirst = one(".setup", box).classList.contains("waiting");
  if (isFirst && !one("form", details).contains(document.activeElement)) details.open = false;
}

const DENSE =
  "Its modules are small, and some cameras will not read it: shorten the secret or the names.";

// Name as in the picture, which the app will show; the fields may differ by now.
function nameIn(uri: string): string {
  const [, issuer = "", account = ""] = /^otpauth:\/\/totp\/([^:?]*):([^?]*)/.exec(uri) ?? [];
  return `${decodeURIComponent(issuer)} (${decodeURIComponent(account)})`;
}

function clearAnswer(
  form: HTMLFormElement,
  message = "The answer appears here.",
  kind = "empty",
): void {
  const box = resultOf(form);
  const answer = one(".answer", box);
  answer.className = `answer ${kind}`;
  setText(answer, message);
  one(".reasons", box).hidden = true;
}

function showWaiting(form: HTMLFormElement, isAsked: boolean): void {
  if (isAsked) clearAnswer(form, "Asking the server\u2026", "empty waiting");
  else clearAnswer(form);
}

function showVerdict(
  form: HTMLFormElement,
  { result, stamp, ...answered }: ReplyOutcome,
): boolean {
  if (result !== "true" && result !== "false") return false;
  const isRight = result === "true";
  clearAnswer(form, "", isRight ? "" : "bad");
  one(".answer", resultOf(form)).append(
    textElement("b", result),
    isRight ? "The pin is right." : "The pin was not accepted.",
    textElement("small", stamp),
  );
  if (!isRight) void explainFalse(resultOf(form), answered);
  return true;
}

/** Scrolls to a result that is outside of the window. */
export function bringIntoView(form: HTMLFormElement): void {
  one(isLive(form) ? ".tile" : ".answer", resultOf(form)).scrollIntoView({ block: "nearest" });
}

/** Shows a reply, or the reason why there is none, beside its request. */
export function showReply(panel: HTMLElement, { title, shown }: ShownReply): void {
  const pane = one(".reply", panel);
  one("pre", pane).textContent = shown;
  pane.classList.add("true");
  entitle(pane, title);
}

/** Marks the replies in all panes as older than the fields. */
export function outdateReplies(): void {
  for (const pane of all(".reply.true")) entitle(pane, "Reply to the last request");
}
