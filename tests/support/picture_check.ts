/**
 * What holds for every picture in a reply, whatever its exchange is about: a reader of QR codes reads
 * in it the text that it is for.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { SaxesParser } from "saxes";
import { decode, type Picture, readPng, readSvg, symbolOf } from "./pictures.ts";
import type { RawReply, RawRequest } from "./http.ts";

// Pixels that a reader sees for each of a picture that is as small as it can be.
const SCALE = 4;
// Pixels around one that has none to spare.
const MARGIN = 4;

/**
 * Checks the picture in a reply, if there is one.
 *
 * @param symbol Version and level of its QR code, as `40-L`; any when undefined.
 */
export function checkPicture(reply: RawReply, request: RawRequest, symbol?: string): void {
  const picture = pictureIn(reply, request);
  assert(picture !== undefined || symbol === undefined, "There is no picture");
  if (picture === undefined) return;
  const { image, scale, text } = picture;
  assertEquals(decode(image, scale), text, "what a reader reads in the picture");
  if (symbol !== undefined) assertEquals(symbolOf(image), symbol);
}

interface Shown {
  readonly image: Picture;
  readonly scale: number;
  readonly text: string;
}

function pictureIn({ status, headers, body }: RawReply, request: RawRequest): Shown | undefined {
  if (status !== 200 || body.length === 0) return undefined;
  const utf8 = Buffer.from(body).toString("utf8");
  switch (headers.get("content-type")) {
    case "image/png": {
      const picture = readPng(body);
      assertEquals(`${picture.width}x${picture.height}`, sizeOf(request));
      return { ...legible(picture), text: dataOf(request) };
    }
    case "image/svg+xml": {
      const [, width, height] = / width="(\d+)" height="(\d+)" /.exec(utf8)!;
      assertEquals(`${width}x${height}`, sizeOf(request));
      return { image: readSvg(utf8), scale: SCALE, text: dataOf(request) };
    }
    case "text/xml; charset=utf-8":
    case "application/soap+xml; charset=utf-8":
      return ofHtml(/<Html>([^<]*)<\/Html>/.exec(utf8)?.[1], unescapeXml);
    case "application/json; charset=utf-8":
      return ofHtml(/"Html":("[^"]*")/.exec(utf8)?.[1], (json) => JSON.parse(json) as string);
  }
  return undefined;
}

// The picture in a pairing is for the address around it.
function ofHtml(escaped: string | undefined, read: (text: string) => string): Shown | undefined {
  if (escaped === undefined) return undefined;
  const html = read(escaped);
  if (!html.includes("<svg")) return undefined;
  const text = unescapeXml(/ href='([^']*)'/.exec(html)![1]!);
  return { image: readSvg(html), scale: SCALE, text };
}

function unescapeXml(text: string): string {
  let read = "";
  const parser = new SaxesParser();
  parser.on("text", (piece) => read += piece);
  parser.write(`<x>${text}</x>`).close();
  return read;
}

function dataOf(request: RawRequest): string {
  return parameterOf(request, "data", "chl")!;
}

// wire.md §6: 300 pixels without a size.
function sizeOf(request: RawRequest): string {
  return (parameterOf(request, "size", "chs") || "300x300").toLowerCase().replace(/(^|x)0+/g, "$1");
}

// As a browser reads the query, or a form where there is none.
function parameterOf(
  { head: [requestLine], body }: RawRequest,
  ...names: readonly string[]
): string | undefined {
  const { search } = new URL(requestLine!.split(" ")[1]!, "http://localhost");
  // Behind a second question mark, the first is the name's.
  const fields = new URLSearchParams(search.replace(/^\?+/, "") || Buffer.from(body).toString());
  return [...fields].find(([name]) => names.includes(name.toLowerCase()))?.[1];
}

// A picture of a pixel a module is too small for a reader, and has no room for a quiet zone.
function legible({ width, height, isWhite }: Picture): Omit<Shown, "text"> {
  if (width >= 100) return { image: { width, height, isWhite }, scale: 1 };
  const image = {
    width: width + 2 * MARGIN,
    height: height + 2 * MARGIN,
    isWhite: (x: number, y: number): boolean => {
      const [column, row] = [x - MARGIN, y - MARGIN];
      const isInside = column >= 0 && row >= 0 && column < width && row < height;
      return !isInside || isWhite(column, row);
    },
  };
  return { image, scale: SCALE };
}
