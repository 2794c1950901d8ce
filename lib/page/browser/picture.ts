/**
 * The picture to scan.
 *
 * @module
 */

import { all, one } from "./dom.ts";

/**
 * Shows the picture of a pairing.
 *
 * @param html The markup of the pairing.
 * @param service The address of the service.
 * @returns What the picture says; undefined when the markup holds no picture.
 */
export function showPicture(
  tile: HTMLElement,
  html: Document,
  service: string,
): string | undefined {
  const svg = html.querySelector("svg");
  if (svg !== null) {
    tile.replaceChildren(document.importNode(svg, true));
    fitPictures();
    return one<HTMLAnchorElement>("a", html).href;
  }
  // The server is set to give the original's form, a picture to be fetched.
  const source = html.querySelector("img")?.src;
  if (source === undefined) return undefined;
  const { search, searchParams } = new URL(source);
  const picture = new Image();
  picture.src = new URL(`qr.aspx${search}`, service).href;
  picture.alt = "QR code";
  tile.replaceChildren(picture);
  return searchParams.get("data") ?? undefined;
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
