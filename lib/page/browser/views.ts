/**
 * What a result looks like: a picture to scan, right or wrong, or the text it is.
 *
 * @module
 */

import { all, first, one, valuesOf } from "./dom.ts";
import type { Result } from "./exchange.ts";

/** How a form shows what became of its call. */
export interface View {
  /** Takes back what is shown, and says why. */
  readonly clear: (form: HTMLFormElement, message?: string, kind?: string) => void;
  /** Shows a result. */
  readonly show: (form: HTMLFormElement, result: Result) => void;
}

const page = document.documentElement;
const emptyTile = first(".tile p");

/** The address of the service, by a form of one of its operations. */
export function serviceOf(form: HTMLFormElement): string {
  return form.action.slice(0, -1 - (form.dataset["operation"] ?? "").length);
}

const VIEWS: ReadonlyMap<string, View> = new Map<string, View>([
  ["picture", { clear: clearPairing, show: showPairing }],
  ["verdict", { clear: clearAnswer, show: showVerdict }],
  ["text", { clear: clearAnswer, show: showText }],
]);

/** The view of a form, as the server says. */
export function viewOf(form: HTMLFormElement): View {
  return VIEWS.get(form.dataset["view"] ?? "")!;
}

/** Whether a form shows its result while somebody types, as a picture does. */
export function isLive(form: HTMLFormElement): boolean {
  return form.dataset["view"] === "picture";
}

function resultOf(form: HTMLFormElement): Element {
  return form.nextElementSibling!;
}

function pictureIn(
  html: Document,
  form: HTMLFormElement,
  name: string,
): { readonly picture: Element; readonly uri: string } {
  const svg = html.querySelector("svg");
  if (svg !== null) {
    return {
      picture: document.importNode(svg, true),
      uri: one<HTMLAnchorElement>("a", html).href,
    };
  }
  // The server is set to give the original's form, a picture to be fetched.
  const { search, searchParams } = new URL(one<HTMLImageElement>("img", html).src);
  const picture = new Image();
  picture.src = new URL(`qr.aspx${search}`, serviceOf(form)).href;
  picture.alt = `QR code for ${name}`;
  return { picture, uri: searchParams.get("data") ?? "" };
}

// What went well is seen in the picture and need only be heard.
function sayOfPairing(form: HTMLFormElement, message: string, kind: string): void {
  const status = one(".status", resultOf(form));
  status.className = `status on-screen ${kind}`;
  status.textContent = message;
}

function clearPairing(form: HTMLFormElement, message = "", kind = ""): void {
  one(".setup", resultOf(form)).hidden = true;
  one(".tile", resultOf(form)).replaceChildren(emptyTile ?? "");
  page.classList.remove("paired");
  sayOfPairing(form, message, kind);
}

function showPairing(form: HTMLFormElement, result: Result): void {
  const field = (name = ""): string => typeof result === "string" ? "" : result[name] ?? "";
  const { appName, appInfo } = valuesOf(form);
  const name = `${appName} (${appInfo})`;
  const html = new DOMParser().parseFromString(field(form.dataset["html"]), "text/html");
  const { picture, uri } = pictureIn(html, form, name);
  const box = resultOf(form);
  one(".tile", box).replaceChildren(picture);
  one(".groups", box).replaceChildren(
    ...(field(form.dataset["text"]).match(/.{1,4}/g) ?? []).map((four) => {
      const group = document.createElement("span");
      group.textContent = four;
      return group;
    }),
  );
  one<HTMLAnchorElement>(".open", box).href = uri;
  one(".for", box).textContent = name;
  one(".setup", box).hidden = false;
  page.classList.add("paired");
  sayOfPairing(form, `QR code for ${name} is shown.`, "unseen");
}

function clearAnswer(
  form: HTMLFormElement,
  message = "The answer appears here.",
  kind = "empty",
): void {
  const answer = one(".answer", resultOf(form));
  answer.className = `answer ${kind}`;
  // What is set again would be read out again.
  if (answer.textContent !== message) answer.textContent = message;
}

function showText(form: HTMLFormElement, result: Result): void {
  const text = typeof result === "string" ? result : Object.values(result).join("\n");
  clearAnswer(form, text, "");
}

function showVerdict(form: HTMLFormElement, result: Result): void {
  const isRight = result === "true";
  const word = document.createElement("b");
  word.textContent = String(isRight);
  clearAnswer(form, "", isRight ? "" : "bad");
  one(".answer", resultOf(form)).append(
    word,
    isRight ? "The pin is right." : "The pin is wrong, or its time is over.",
  );
}

/** Marks that what the panes show as replies is of an earlier request. */
export function outdateReplies(): void {
  for (const title of all(".reply.true .title")) title.textContent = "Reply to the last request";
}
