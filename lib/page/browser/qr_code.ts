/**
 * The picture to scan.
 *
 * @module
 */

import { all, first, one } from "./dom.ts";
import { postRequest } from "./request.ts";

/** A picture, and what it says. */
export interface Picture {
  /** The picture. */
  readonly svg: SVGSVGElement;
  /** The Key URI in it. */
  readonly uri: string;
}

/**
 * Reads the picture of a pairing. Where the server gives the original's form, a picture to be
 * fetched from an address with the secret in it, the same is asked for by POST instead.
 *
 * @param markup The markup of the pairing.
 * @param service The address of the service.
 * @returns undefined when the markup holds no picture, or there is none.
 */
export async function readPicture(markup: string, service: string): Promise<Picture | undefined> {
  const html = new DOMParser().parseFromString(markup, "text/html");
  const svg = html.querySelector("svg");
  const uri = first<HTMLAnchorElement>("a", html)?.href;
  if (svg !== null && uri !== undefined) return { svg: document.importNode(svg, true), uri };
  const source = first<HTMLImageElement>("img", html)?.src;
  const text = source && new URL(source).searchParams.get("data");
  if (!text) return undefined;
  const body = new URLSearchParams({ data: text, format: "svg" }).toString();
  const request = postRequest("qr.aspx", "application/x-www-form-urlencoded", body);
  const reply = await fetch(new URL("qr.aspx", service), request.options);
  if (!reply.ok) return undefined;
  const drawn = new DOMParser().parseFromString(await reply.text(), "text/html").querySelector(
    "svg",
  );
  if (drawn === null) return undefined;
  drawn.setAttribute("role", "img");
  drawn.setAttribute("aria-label", "QR code");
  return { svg: document.importNode(drawn, true), uri: text };
}

/** Shows a picture. */
export function showPicture(tile: HTMLElement, { svg }: Picture): void {
  tile.replaceChildren(svg);
  fitPictures();
}

/**
 * Makes every module of every picture as many whole pixels of the screen: else some are wider than
 * others, and cameras and eyes see stripes.
 */
export function fitPictures(): void {
  for (const svg of all<SVGSVGElement>(".tile svg")) {
    const modules = svg.viewBox.baseVal.width;
    const pixels = one(".tile").clientWidth * devicePixelRatio;
    const size = Math.max(1, Math.floor(pixels / modules)) * modules / devicePixelRatio;
    svg.setAttribute("width", String(size));
    svg.setAttribute("height", String(size));
  }
}
