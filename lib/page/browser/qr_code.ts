/**
 * QR code of a pairing.
 *
 * @module
 */

import { all, first, one } from "./dom.ts";
import { loadDocument, postRequest } from "./request.ts";

/** A QR code and its text. */
export interface Picture {
  /** Picture. */
  readonly svg: SVGSVGElement;
  /** Key URI in the picture. */
  readonly uri: string;
}

/**
 * Reads the picture of a pairing. In the original's form of the Html, the picture is an address
 * with the secret in it; the script then requests the same picture by POST.
 *
 * @param markup Markup of the pairing.
 * @param service Address of the service.
 * @returns undefined when the markup has no picture; a sentence when the picture cannot be loaded.
 */
export async function readPicture(
  markup: string,
  service: string,
): Promise<Picture | string | undefined> {
  const html = new DOMParser().parseFromString(markup, "text/html");
  const svg = html.querySelector("svg");
  const uri = first<HTMLAnchorElement>("a", html)?.href;
  if (svg !== null && uri !== undefined) return { svg: document.importNode(svg, true), uri };
  const source = first<HTMLImageElement>("img", html)?.src;
  const text = source && new URL(source).searchParams.get("data");
  if (!text) return undefined;
  const body = new URLSearchParams({ data: text, format: "svg" }).toString();
  const request = postRequest("qr.aspx", "application/x-www-form-urlencoded", body);
  const url = new URL("qr.aspx", service).href;
  const loaded = await loadDocument({ ...request, url }, "svg");
  if (typeof loaded === "string") return loaded;
  const drawn = one<SVGSVGElement>("svg", loaded);
  drawn.setAttribute("role", "img");
  drawn.setAttribute("aria-label", "QR code");
  return { svg: document.importNode(drawn, true), uri: text };
}

/** Least width of a module that cameras read with ease, in CSS pixels. */
const FINE_MODULE_PX = 3;

/**
 * Shows a picture.
 *
 * @returns Whether its modules are wide enough for every camera.
 */
export function showPicture(tile: HTMLElement, { svg }: Picture): boolean {
  first("svg", tile)?.remove();
  tile.append(svg);
  fitPictures();
  return svg.clientWidth / svg.viewBox.baseVal.width >= FINE_MODULE_PX;
}

/**
 * Gives each module of every picture a whole number of screen pixels: modules of uneven width look
 * like stripes to cameras and eyes. A picture of many modules gets a larger tile.
 */
export function fitPictures(): void {
  for (const svg of all<SVGSVGElement>(".tile svg")) {
    const modules = svg.viewBox.baseVal.width;
    const tile = svg.closest<HTMLElement>(".tile")!;
    const box = tile.closest(".pairing")!;
    box.classList.remove("dense");
    box.classList.toggle("dense", tile.clientWidth < FINE_MODULE_PX * modules);
    const pixels = tile.clientWidth * devicePixelRatio;
    const size = Math.max(1, Math.floor(pixels / modules)) * modules / devicePixelRatio;
    svg.setAttribute("width", String(size));
    svg.setAttribute("height", String(size));
  }
}
