/**
 * A QR Code symbol as text for a terminal: two modules in each character, one above the other.
 *
 * @module
 */

import { isDark, type QrCode } from "./encode.ts";
import { QUIET_ZONE_MODULES } from "./tables.ts";

/** A cell by which of its halves are inked: bit 0 the upper one, bit 1 the lower one. */
const CELLS = [" ", "▀", "▄", "█"] as const;

// Colours 16 and 231 of the 256 are black and white on every terminal; the first 16 are whatever
// the user's theme makes of them.
const BLACK_ON_WHITE = "\x1b[38;5;16;48;5;231m";
const RESET = "\x1b[0m";

/** The columns that the picture of `code` takes: a module each, with the quiet zone. */
export function terminalColumns(code: QrCode): number {
  return code.size + 2 * QUIET_ZONE_MODULES;
}

/**
 * The picture of `code` with its whole quiet zone, as lines without a line end after the last one.
 *
 * With colours it is black on white on a terminal of any theme. Without, nobody can know which of
 * ink and paper is the brighter one: the light modules are inked, so it is right on a dark
 * terminal, and inverted on a light one, which most apps read too but not all.
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
