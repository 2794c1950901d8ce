/** Reads QR codes off pictures, as a phone does. */

import { run } from "./client_program.ts";

/** The text of the code in an SVG, at the size in pixels of the picture. */
export async function scanSvg(svg: string): Promise<string> {
  return await withFile(async (file) => {
    await run("rsvg-convert", ["--output", file], svg);
    return await scanFile(file);
  });
}

/** The text of the code in a PNG. */
export async function scanPng(png: Uint8Array): Promise<string> {
  return await withFile(async (file) => {
    await Deno.writeFile(file, png);
    return await scanFile(file);
  });
}

/** The text of the code in a PNG at an address. */
export async function scanAddress(address: string): Promise<string> {
  const response = await fetch(address);
  const type = response.headers.get("content-type");
  if (response.status === 200 && type === "image/png") return await scanPng(await response.bytes());
  throw new Error(`Status ${response.status}, ${type}: ${await response.text()}`);
}

async function scanFile(file: string): Promise<string> {
  const { text } = await run("zbarimg", ["--nodbus", "--raw", "-q", file]);
  return text.replace(/\n$/, "");
}

async function withFile(read: (file: string) => Promise<string>): Promise<string> {
  const file = await Deno.makeTempFile({ suffix: ".png" });
  try {
    return await read(file);
  } finally {
    await Deno.remove(file);
  }
}
