/**
 * How public callers that run in Node.js, Lua, Rust and browsers use the short routes, and how they
 * cut the replies apart.
 *
 * @module
 */

import type { PairCall, Paired, PinCall } from "./caller.ts";

function pairAddress(url: string, { appName, appInfo, secretCode }: PairCall): string {
  const query = new URLSearchParams({
    AppName: appName,
    AppInfo: appInfo,
    SecretCode: secretCode,
  });
  return `${url}/pair.aspx?${query}`;
}

function validateAddress(url: string, { pin, secretCode }: PinCall): string {
  return `${url}/Validate.aspx?Pin=${pin}&SecretCode=${encodeURIComponent(secretCode)}`;
}

async function textOf(address: string, init: RequestInit = {}): Promise<string> {
  const response = await fetch(address, init);
  if (!response.ok) throw new Error(`${response.status}`);
  return await response.text();
}

/** Row 10, Rust: from `src='` to the next quote. */
export async function pairLaClient(url: string, call: PairCall): Promise<Paired> {
  const html = await textOf(pairAddress(url, call));
  const rest = html.slice(html.indexOf("src='") + "src='".length);
  return { picture: rest.slice(0, rest.indexOf("'")) };
}

/** Rows 10, 11 and 13: the text is `True`. */
export async function validateByText(url: string, call: PinCall): Promise<boolean> {
  return await textOf(validateAddress(url, call)) === "True";
}

/** Row 11, Node.js: a pattern that takes as much as it can. */
export async function pairOtpDemo(url: string, call: PairCall): Promise<Paired> {
  const html = await textOf(pairAddress(url, call));
  return { picture: /src='(.*)'/.exec(html)![1]! };
}

/** Row 14, Node.js: attributes of the link and the picture. */
export async function pairLmb(url: string, call: PairCall): Promise<Paired> {
  const html = await textOf(pairAddress(url, call));
  const title = /<a [^>]*title='([^']*)'/.exec(html)![1]!;
  return {
    setupCode: title.replace("Manually pair with ", ""),
    picture: /<img [^>]*src='([^']*)'/.exec(html)![1]!,
  };
}

/** Row 15, Node.js: the picture inside the link. */
export async function pairSnifd(url: string, call: PairCall): Promise<Paired> {
  const html = await textOf(pairAddress(url, call));
  const [, title, picture] = /<a [^>]*title='([^']*)'[^>]*><img src='([^']*)'[^>]*><\/a>/
    .exec(html)!;
  return { setupCode: title!.slice("Manually pair with ".length), picture: picture! };
}

/** Row 17, Node.js: the status is not looked at, and only the text `False` refuses. */
export async function validateFailingOpen(url: string, call: PinCall): Promise<boolean> {
  const response = await fetch(validateAddress(url, call));
  return await response.text() !== "False";
}

/** Row 18, Lua: `True` and `False`, and an error for anything else. */
export async function validateRoblox(url: string, call: PinCall): Promise<boolean> {
  const text = await textOf(validateAddress(url, call));
  if (text === "True") return true;
  if (text === "False") return false;
  throw new Error(`Neither True nor False: ${text}`);
}

/** Row 24, JavaScript: the page in its place, as it comes. */
export async function pairByGuide(url: string, call: PairCall): Promise<Paired> {
  return { html: await textOf(pairAddress(url, call)) };
}

/** Row 24, JavaScript: without blanks around it, in any case. */
export async function validateByGuide(url: string, call: PinCall): Promise<boolean> {
  return (await textOf(validateAddress(url, call))).trim().toLowerCase() === "true";
}
