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

// The picture's geometry is in tests/unit/qr/png_test.ts.
const SIZES: readonly (readonly [query: string, width: number, height: number])[] = [
  ["", 300, 300],
  ["size=&", 300, 300],
  ["chs=128x128&cht=qr&", 128, 128],
  ["SIZE=0250X0100&", 250, 100],
  ["size=97x1000&", 97, 1000],
];

Deno.test("/qr.aspx draws a picture of the requested size", async () => {
  for (const [query, width, height] of SIZES) {
    const picture = await pictureOf(`${query}data=${encodeURIComponent(URI)}`);
    assertEquals([picture.width, picture.height, decode(picture)], [width, height, URI], query);
  }
});

Deno.test("/qr.aspx draws the text as it is, under either name", async () => {
  for (const text of ["zażółć 鍵 🔑 + & = % # ?", " blanks around "]) {
    for (const name of ["data", "chl"]) {
      assertEquals(decode(await pictureOf(`${new URLSearchParams({ [name]: text })}`)), text);
    }
  }
});

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
