/**
 * What a result looks like: a picture to scan, right or wrong, or the text it is.
 *
 * @module
 */

import { timeShown } from "./clock.ts";
import { absoluteUrl, all, first, one, setText, textElement } from "./dom.ts";
import type { ReplyResult, ShownReply } from "./request.ts";
import { readPicture, showPicture } from "./qr_code.ts";
import { clearReasons, explainFalse } from "./explain_false.ts";

/** A result, and what it is the result of. */
export interface ReplyOutcome {
  /** The result. */
  readonly result: ReplyResult;
  /** What was asked: the values of the form as they were sent. */
  readonly asked: Readonly<Record<string, string>>;
  /** What to say of when it came; nothing where nobody pressed a button for it. */
  readonly stamp: string;
  /** Whether it is still that of the form's values. */
  readonly isWanted: () => boolean;
}

/** How a form shows what became of its call. */
export interface View {
  /** Takes back what is shown, and says why. */
  readonly clear: (form: HTMLFormElement, message?: string, kind?: string) => void;
  /** Shows that another result is on its way: what is shown is not that of the values any more. */
  readonly wait: (form: HTMLFormElement, isAsked: boolean) => void;
  /**
   * Shows a result.
   *
   * @returns Whether it is one that can be shown; if not, nothing changes.
   */
  readonly show: (form: HTMLFormElement, outcome: ReplyOutcome) => boolean | Promise<boolean>;
}

const VIEWS: ReadonlyMap<string, View> = new Map<string, View>([
  ["picture", { clear: clearPairing, wait: dimPairing, show: showPairing }],
  ["verdict", { clear: clearAnswer, wait: showWaiting, show: showVerdict }],
  ["text", { clear: clearAnswer, wait: showWaiting, show: showText }],
]);

/** The view of a form, as the server says. */
export function viewFor(form: HTMLFormElement): View {
  return VIEWS.get(form.dataset["view"] ?? "")!;
}

/** Whether a form shows its result while somebody types, as a picture does. */
export function isLive(form: HTMLFormElement): boolean {
  return form.dataset["view"] === "picture";
}

/** The address of the service, by a form of one of its operations. */
export function serviceOf(form: HTMLFormElement): string {
  const action = absoluteUrl(form.getAttribute("action")!);
  return action.slice(0, -1 - (form.dataset["operation"] ?? "").length);
}

let answers = 0;

/** What is said of an answer that somebody asked for: no two are the same. */
export function stampOf({ tookMs }: ShownReply): string {
  return `Answer ${++answers}, at ${timeShown()} UTC, after ${tookMs} ms`;
}

function resultOf(form: HTMLFormElement): HTMLElement {
  return form.nextElementSibling as HTMLElement;
}

// What went well is seen in the picture and need only be heard.
function sayOfPairing(form: HTMLFormElement, message: string, kind: string): void {
  const status = one(".status", resultOf(form));
  status.className = `status on-screen ${kind}`;
  setText(status, message);
}

function setPairingBusy(form: HTMLFormElement, isBusy: boolean): void {
  const box = resultOf(form);
  box.setAttribute("aria-busy", String(isBusy));
  for (const button of all<HTMLButtonElement>(".setup button", box)) button.disabled = isBusy;
  if (isBusy) one(".open", box).removeAttribute("href");
}

function clearPairing(form: HTMLFormElement, message = "", kind = ""): void {
  setPairingBusy(form, false);
  const box = resultOf(form);
  one(".setup", box).hidden = true;
  one(".tile", box).replaceChildren(textElement("p", "The QR code appears here."));
  document.documentElement.classList.remove("paired");
  sayOfPairing(form, message, kind);
}

function dimPairing(form: HTMLFormElement): void {
  setPairingBusy(form, true);
  document.documentElement.classList.remove("paired");
  sayOfPairing(form, "", "");
}

async function showPairing(
  form: HTMLFormElement,
  { result, stamp, isWanted }: ReplyOutcome,
): Promise<boolean> {
  const field = (name = ""): string => typeof result === "string" ? "" : result[name] ?? "";
  const setupKey = field(form.dataset["text"]);
  const picture = await readPicture(field(form.dataset["html"]), serviceOf(form))
    .catch(() => undefined);
  if (!isWanted()) return true;
  if (setupKey === "" || picture === undefined) return false;
  const box = resultOf(form);
  const name = nameIn(picture.uri);
  showPicture(one(".tile", box), picture);
  one(".groups", box).replaceChildren(
    ...(setupKey.match(/.{1,4}/g) ?? []).map((four) => textElement("span", four)),
  );
  setPairingBusy(form, false);
  one<HTMLAnchorElement>(".open", box).href = picture.uri;
  one(".for", box).textContent = name;
  one(".setup", box).hidden = false;
  document.documentElement.classList.add("paired");
  sayOfPairing(form, stamp || `QR code for ${name} is shown.`, stamp ? "hint" : "unseen");
  return true;
}

// As the app will show it: by what the picture says, not by what was typed.
function nameIn(uri: string): string {
  const [, issuer = "", account = ""] = /^otpauth:\/\/totp\/([^:?]*):([^?]*)/.exec(uri) ?? [];
  return `${decodeURIComponent(issuer)} (${decodeURIComponent(account)})`;
}

function clearAnswer(
  form: HTMLFormElement,
  message = "The answer appears here.",
  kind = "empty",
): void {
  const answer = one(".answer", resultOf(form));
  answer.className = `answer ${kind}`;
  setText(answer, message);
  clearReasons(resultOf(form));
}

function showWaiting(form: HTMLFormElement, isAsked: boolean): void {
  if (isAsked) clearAnswer(form, "Asking the server\u2026", "empty waiting");
  else clearAnswer(form);
}

function showText(form: HTMLFormElement, { result, stamp }: ReplyOutcome): boolean {
  const text = typeof result === "string" ? result : Object.values(result).join("\n");
  clearAnswer(form, text, "");
  one(".answer", resultOf(form)).append(textElement("small", stamp));
  return true;
}

function showVerdict(form: HTMLFormElement, { result, asked, stamp }: ReplyOutcome): boolean {
  if (result !== "true" && result !== "false") return false;
  const isRight = result === "true";
  clearAnswer(form, "", isRight ? "" : "bad");
  one(".answer", resultOf(form)).append(
    textElement("b", result),
    isRight ? "The pin is right." : "The pin is wrong, or it has expired.",
    textElement("small", stamp),
  );
  if (!isRight) void explainFalse(form, resultOf(form), asked);
  return true;
}

/** Shows a reply, or why there is none, beside the request that it answers. */
export function showReply(panel: HTMLElement, { title, shown }: ShownReply): void {
  one(".reply pre", panel).textContent = shown;
  one(".reply", panel).classList.add("true");
  one(".reply .title", panel).textContent = title;
}

/** Marks that what the panes show as replies is of an earlier request. */
export function outdateReplies(): void {
  for (const title of all(".reply.true .title")) title.textContent = "Reply to the last request";
}

/** The pane of the format that is chosen, where the page has formats. */
export function chosenPanel(): HTMLElement | undefined {
  return first("#calls input:checked + label + .panel");
}
