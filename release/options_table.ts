/**
 * Table of docs/options.md, derived from the table of options. Run, it writes the table into the page:
 * `deno task generate`.
 *
 * @module
 */

import { CONFIG_OPTION, CONFIG_ROW } from "../lib/cli/args/commands.ts";
import { flagOf, namesOf } from "../lib/config/option.ts";
import { OPTIONS } from "../lib/config/options.ts";

/** Cells of a row: flag, default, meaning. The variable follows from the flag. */
export type OptionRow = readonly [string, string, string];

/** Returns the rows, without the head. */
export function optionRows(): readonly OptionRow[] {
  const ofService = namesOf(OPTIONS).map((name) => [name, OPTIONS[name]] as const);
  return [[CONFIG_OPTION, CONFIG_ROW] as const, ...ofService].map(([name, option]) => {
    const { placeholder, defaultText, description } = option;
    const flag = `\`${flagOf(name)}${placeholder === undefined ? "" : ` ${placeholder}`}\``;
    const shown = defaultText === "" ? "" : `\`${defaultText}\``;
    return [flag, shown, description];
  });
}

if (import.meta.main) {
  const page = new URL("../docs/options.md", import.meta.url);
  const head: readonly OptionRow[] = [
    ["Option", "Default", "Meaning"],
    ["---", "---", "---"],
  ];
  const table = [...head, ...optionRows()].map((row) => `| ${row.join(" | ")} |`).join("\n");
  const [before, , after] = Deno.readTextFileSync(page).split(/<!-- \/?options -->/);
  const marked = `<!-- options -->\n\n${table}\n\n<!-- /options -->`;
  Deno.writeTextFileSync(page, `${before}${marked}${after}`);
}
