/**
 * QR Code symbol as text for a terminal, with two modules, one above the other, in each character.
 *
 * @module
 */

import { isDark, type QrCode } from "./symbol.ts";
import { QUIET_ZONE_MODULES } from "./tables.ts";

/** Cells by their inked halves: bit 0 for the upper, bit 1 for the lower. */
const CELLS = [" ", "▀", "▄", "█"] as const;

// Colours 16 and 231 of the 256 are black and white on every terminal; the first 16 depend on the
// user's theme.
const BLACK_ON_WHITE = "\x1b[38;5;16;48;5;231m";
const RESET = "\x1b[0m";

/** Returns the number of columns of the picture of `code`: one per module, with the quiet zone. */
export function terminalColumns(code: QrCode): number {
  return code.size + 2 * QUIET_ZONE_MODULES;
}

/**
 * Draws `code` with its whole quiet zone, as lines without a line end after the last one.
 *
 * With colours it is black on white on any terminal. Without them it is unknown whether ink or
 * paper is brighter: the light modules are inked, which is right on a dark terminal. On a light
 * terminal the picture is inverted, and most apps but not all can read it.
 */
export function terminalPicture(code: QrCode, colours: boolean): string {
  const end = code.size + QUIET_ZONE_MODULES;
  const lines: string[] = [];
  for (let y = -QUIET_ZONE_MODULES; y < end; y += 2) {
    let line = "";
    for (let x = -QUIET_ZONE_MODULES; x < end; x++) {
      const upper = isDark(code, x, y) === colours ? 1 : 0;
      const lower = isDark(code, x, y + 1) === colours ? 2 : 0;
      line += CELLS[upper | lower]!;
    }
    lines.push(colours ? BLACK_ON_WHITE + line + RESET : line);
  }
  return lines.join("\n");
}
