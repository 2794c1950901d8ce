import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { encodeQr, isDark } from "../../../lib/qr/encode.ts";
import { terminalColumns, terminalPicture } from "../../../lib/qr/terminal.ts";
import { KEY_URIS } from "./accounts.ts";
import { decode, readTerminal } from "../../support/pictures.ts";

for (const [colours, name] of [[true, "in colours"], [false, "without colours"]] as const) {
  Deno.test(`terminalPicture() ${name} is read back`, () => {
    for (const uri of KEY_URIS) {
      const picture = readTerminal(terminalPicture(encodeQr(uri, "M")!, colours));
      assertEquals(decode(picture, 3), uri);
    }
  });

  Deno.test(`terminalPicture() ${name} shows every module and a quiet zone of four`, () => {
    const code = encodeQr(KEY_URIS[0]!, "M")!;
    const { width, height, isWhite } = readTerminal(terminalPicture(code, colours));
    assertEquals(width, terminalColumns(code));
    assertEquals(width, code.size + 8);
    // Sizes are odd, and a line of text holds two rows.
    assertEquals(height, code.size + 9);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        assertEquals(isWhite(x, y), !isDark(code, x - 4, y - 4), `${x}, ${y}`);
      }
    }
  });
}

Deno.test("terminalPicture() commands the terminal only when it may use colours", () => {
  const code = encodeQr("1", "M")!;
  assert(!terminalPicture(code, false).includes("\x1b"));
  const lines = terminalPicture(code, true).split("\n");
  assertEquals(lines.filter((line) => !line.startsWith("\x1b[")), []);
  // Nothing after a line is coloured too.
  assertEquals(lines.filter((line) => !line.endsWith("\x1b[0m")), []);
});
