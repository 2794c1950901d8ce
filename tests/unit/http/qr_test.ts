import { assertEquals } from "@std/assert/equals";
import { handlerWith } from "../../support/handler.ts";
import { decode, type Picture, readPng } from "../../support/pictures.ts";

const URI = "otpauth://totp/Contoso:anna?secret=GEZDGNBVGY3TQQSYLFKA&issuer=Contoso";

async function replyTo(query: string, type: string): Promise<Response> {
  const reply = await handlerWith()(new Request(`http://localhost/qr.aspx?${query}`));
  assertEquals([reply.status, reply.headers.get("content-type")], [200, type]);
  return reply;
}

async function pictureOf(query: string): Promise<Picture> {
  return readPng(await (await replyTo(query, "image/png")).bytes());
}

async function svgOf(query: string): Promise<string> {
  return await (await replyTo(query, "image/svg+xml")).text();
}

// Each with what callers ask for, and sizes that are not square, not even, and at the limits. A
// version 6 symbol has 41 modules, and 49 with its quiet zone.
const SIZES: readonly (readonly [query: string, width: number, height: number])[] = [
  ["", 300, 300],
  ["size=&", 300, 300],
  ["size=300x300&", 300, 300],
  ["chs=300x300&cht=qr&", 300, 300],
  ["size=128x128&", 128, 128],
  ["size=180x180&", 180, 180],
  ["SIZE=1000X1000&", 1000, 1000],
  ["size=0250x0250&", 250, 250],
  ["size=101x99&", 101, 99],
  ["size=1000x100&", 1000, 100],
  ["size=97x613&", 97, 613],
  ["size=90x90&", 90, 90],
];

for (const [query, width, height] of SIZES) {
  Deno.test(`/qr.aspx draws ${query || "without a size"} as ${width} by ${height}`, async () => {
    const picture = await pictureOf(`${query}data=${encodeURIComponent(URI)}`);
    assertEquals([picture.width, picture.height], [width, height]);
    assertEquals(decode(picture), URI);
  });
}

/** The smallest rectangle that holds all dark pixels: its left, top, width and height. */
function darkPart({ width, height, isWhite }: Picture): readonly number[] {
  const columns = Array.from({ length: width }, (_, x) => x);
  const rows = Array.from({ length: height }, (_, y) => y);
  const xs = columns.filter((x) => rows.some((y) => !isWhite(x, y)));
  const ys = rows.filter((y) => columns.some((x) => !isWhite(x, y)));
  return [xs[0]!, ys[0]!, xs.at(-1)! - xs[0]! + 1, ys.at(-1)! - ys[0]! + 1];
}

// A version 1 symbol has 21 modules. What is left over is white, half of it on each side.
const SQUARES: readonly (readonly [size: string, square: readonly number[]])[] = [
  ["21x21", [0, 0, 21, 21]],
  ["28x28", [3, 3, 21, 21]],
  ["29x29", [4, 4, 21, 21]],
  ["57x57", [18, 18, 21, 21]],
  ["58x58", [8, 8, 42, 42]],
  ["290x290", [40, 40, 210, 210]],
  ["290x60", [124, 9, 42, 42]],
  ["60x290", [9, 124, 42, 42]],
];

for (const [size, square] of SQUARES) {
  Deno.test(`/qr.aspx puts a symbol of 21 modules into the middle of ${size}`, async () => {
    assertEquals(darkPart(await pictureOf(`data=hello&size=${size}`)), square);
  });
}

const TEXTS: readonly string[] = [
  "a",
  "0123456789",
  "HTTPS://EXAMPLE.COM/",
  "zażółć gęślą jaźń",
  "🔑 鍵 + & = % # ?",
  " blanks around ",
  "x".repeat(1_000),
];

for (const text of TEXTS) {
  Deno.test(`/qr.aspx draws ${JSON.stringify(text.slice(0, 20))} as it is`, async () => {
    const query = new URLSearchParams({ data: text, size: "1000x1000" });
    assertEquals(decode(await pictureOf(`${query}`)), text);
    query.delete("data");
    query.set("chl", text);
    assertEquals(decode(await pictureOf(`${query}`)), text);
  });
}

Deno.test("/qr.aspx draws an SVG for format=svg", async () => {
  for (const format of ["svg", "SVG"]) {
    const svg = await svgOf(`data=hello&format=${format}`);
    assertEquals(/<svg [^>]*viewBox="0 0 29 29"/.test(svg), true);
    assertEquals(/script|style|href|hello/.test(svg), false);
  }
});

Deno.test("/qr.aspx returns an SVG of the requested size, however small", async () => {
  const rows: readonly (readonly [query: string, width: number, height: number])[] = [
    ["", 300, 300],
    ["size=128x64&", 128, 64],
    ["chs=21x1000&", 21, 1000],
  ];
  for (const [query, width, height] of rows) {
    const svg = await svgOf(`${query}format=svg&data=${"x".repeat(1_000)}`);
    assertEquals(svg.includes(` width="${width}" height="${height}" `), true, query);
  }
});
