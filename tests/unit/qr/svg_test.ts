import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { encodeQr, isDark, type QrCode } from "../../../lib/qr/encode.ts";
import { type SvgElement, svgElement } from "../../../lib/qr/svg.ts";
import { KEY_URIS } from "./accounts.ts";
import { symbol } from "./symbol.ts";

/** The bytes of `element` as markup; none of the attribute values in these tests needs escaping. */
function markupBytes({ name, attributes, children }: SvgElement): number {
  let bytes = `<${name}/>`.length;
  for (const [key, value] of Object.entries(attributes)) {
    bytes += ` ${key}=''`.length + value.length;
  }
  if (children.length > 0) bytes += `></${name}`.length;
  return children.reduce((sum, child) => sum + markupBytes(child), bytes);
}

function pathData(code: QrCode): string {
  return svgElement(code, "").children[1]!.attributes["d"]!;
}

/** The cells, as "x,y", over which the strokes of `data` lie, one unit wide, and each only once. */
function strokedCells(data: string): Set<string> {
  assertMatch(data, /^(m-?\d+ \d+(\.5)?h\d+)+$/);
  const cells = new Set<string>();
  let x = 0;
  let y = 0;
  for (const [, dx, dy, length] of data.matchAll(/m(-?[\d.]+) ([\d.]+)h(\d+)/g)) {
    x += Number(dx);
    y += Number(dy);
    for (const end = x + Number(length); x < end; x++) {
      // A stroke of width 1 covers half a unit above and below its line.
      const cell = `${x},${y - 0.5}`;
      assert(!cells.has(cell), `${cell} is stroked twice`);
      cells.add(cell);
    }
  }
  return cells;
}

Deno.test("svgElement() returns an opaque background over the whole picture and one path", () => {
  const code = encodeQr("HELLO", "M")!;
  const { name, attributes, children } = svgElement(code, "QR code for <Anna> & Söhne");
  assertEquals(name, "svg");
  assertEquals(Object.entries(attributes), [
    ["xmlns", "http://www.w3.org/2000/svg"],
    ["viewBox", "0 0 29 29"],
    ["width", "300"],
    ["height", "300"],
    ["role", "img"],
    ["aria-label", "QR code for <Anna> & Söhne"],
  ]);
  const [rect, path] = children;
  assertEquals(children.length, 2);
  assertEquals(rect, {
    name: "rect",
    attributes: {
      "width": "29",
      "height": "29",
      "fill": "#fff",
      "fill-opacity": "1",
      "stroke": "none",
    },
    children: [],
  });
  assertEquals([path?.name, path?.children.length], ["path", 0]);
  assertEquals({ ...path?.attributes, d: "" }, {
    "fill": "none",
    "stroke": "#000",
    "stroke-width": "1",
    "stroke-opacity": "1",
    "stroke-linecap": "butt",
    "stroke-linejoin": "miter",
    "stroke-miterlimit": "4",
    "stroke-dasharray": "none",
    "stroke-dashoffset": "0",
    "marker-start": "none",
    "marker-mid": "none",
    "marker-end": "none",
    "shape-rendering": "crispEdges",
    "d": "",
  });
});

Deno.test("svgElement() is 300 pixels wide and high, and more where a module would have less than 3", () => {
  const sides = [1, 18, 19, 20, 40].map((version) => {
    const { width, height } = svgElement(symbol("x", "L", { version })!, "").attributes;
    assertEquals(width, height);
    return Number(width);
  });
  // With the quiet zone, version 18 has 97 modules on a side, 19 has 101.
  assertEquals(sides, [300, 300, 303, 315, 555]);
  const asked = svgElement(symbol("x", "L", { version: 40 })!, "", { width: 21, height: 99 });
  assertEquals([asked.attributes["width"], asked.attributes["height"]], ["21", "99"]);
});

Deno.test("svgElement() strokes the dark modules and nothing else, in every version", () => {
  for (let version = 1; version <= 40; version++) {
    const code = symbol(KEY_URIS[version - 1]!.slice(0, 17), "L", { version })!;
    const expected = new Set<string>();
    for (let y = 0; y < code.size; y++) {
      for (let x = 0; x < code.size; x++) {
        if (isDark(code, x, y)) expected.add(`${x + 4},${y + 4}`);
      }
    }
    const cells = strokedCells(pathData(code));
    assertEquals(cells.size, expected.size, `version ${version}`);
    assert([...cells].every((cell) => expected.has(cell)), `version ${version}`);
  }
});

Deno.test("svgElement() has a quiet zone of four modules on every side", () => {
  for (const uri of KEY_URIS) {
    const code = encodeQr(uri, "M")!;
    const { viewBox } = svgElement(code, "").attributes;
    assertEquals(viewBox, `0 0 ${code.size + 8} ${code.size + 8}`);
    const coordinates = [...strokedCells(pathData(code))].flatMap((cell) => cell.split(","));
    assertEquals(Math.min(...coordinates.map(Number)), 4);
    assertEquals(Math.max(...coordinates.map(Number)), code.size + 3);
  }
});

Deno.test("svgElement() moves on over rows without a dark module, and draws long runs", () => {
  const size = 21;
  const rows = new Int32Array(size);
  rows[0] = 0x1fffff;
  rows[3] = 1 << 20;
  const code: QrCode = { version: 1, level: "L", mask: 0, size, rows };
  assertEquals(pathData(code), "m4 4.5h21m-1 3h1");
});

Deno.test("svgElement() stays under 4 KB of markup when the account is an ordinary one", () => {
  const ordinary = KEY_URIS.filter((uri) => uri.length <= 120);
  assert(ordinary.length >= 10);
  for (const uri of ordinary) {
    const bytes = markupBytes(svgElement(encodeQr(uri, "M")!, "QR code"));
    assert(bytes < 4096, `${bytes} bytes for ${uri}`);
  }
});
