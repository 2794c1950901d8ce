/**
 * Report of a comparison: its findings in lines, and advice.
 *
 * @module
 */

import { flagOf } from "../../config/option.ts";
import { type Config, optionText } from "../../config/options.ts";
import { COMMANDS } from "../args/commands.ts";
import type { Redactor } from "../redactor.ts";

/** Result of one question. */
export interface Finding {
  /** The name of the question. */
  readonly name: string;
  /**
   * `same`; `option`: options of this program make it the same; `known`: the hosted service answers
   * so, and no option restores it; `different`: everything else.
   */
  readonly kind: "same" | "known" | "option" | "different";
  /** The answer of this program with the options that the other side shows. */
  readonly here: string;
  /** The answer of the other side. */
  readonly there: string;
  /** The options that make it the same. */
  readonly options: readonly (keyof Config)[];
  /** Advice about a difference that no value of an option explains. */
  readonly advice?: string | undefined;
}

/**
 * Writes the report: a line for each option, for each pair of answers, and for known differences.
 *
 * @param theirs The options that the other side shows.
 * @param isAdvised Whether a line has advice.
 */
export function reportOf(
  findings: readonly Finding[],
  redactor: Redactor,
  ours: Config,
  theirs: Config,
  isAdvised: boolean,
): readonly string[] {
  const named = new Set(findings.flatMap((finding) => finding.options));
  const options = COMMANDS.get("compare")!.uses.filter((name) => named.has(name));
  // Writes an option with its value as on a command line.
  const setting = (option: keyof Config, config: Config): string => {
    const [flag, text] = [flagOf(option), optionText(option, config)];
    if (text === undefined) return `no ${flag}`;
    return /^(?:true|false)$/.test(text) ? `${flag}=${text}` : redactor.setting(flag, text);
  };
  const lines = options.map((option) => {
    const [first, ...others] = findings.filter((finding) => finding.options.includes(option));
    const more = others.length === 0 ? "" : ` and ${others.length} more`;
    return `Option: it has ${setting(option, theirs)}, and not ${setting(option, ours)}: ` +
      `${first!.name}${more}.`;
  });
  const { known = [], different = [] } = Object.groupBy(findings, ({ kind }) => kind);
  const answers = ({ here, there }: Finding): string =>
    `here ${redactor.text(here)}, there ${redactor.text(there)}`;
  for (const [pair, same] of Map.groupBy(different, answers)) {
    lines.push(`Different: ${same.map(({ name }) => name).join("; ")}: ${pair}.`);
  }
  if (known.length > 0) {
    lines.push(
      "Known of the hosted service, and changed by no option (docs/switching.md says why): " +
        `${known.map(({ name }) => name).join("; ")}.`,
    );
  }
  if (!isAdvised) return lines;
  const settings = options.map((option) => setting(option, theirs));
  const times = Math.round(10 * (2 * theirs.window + 1) / (2 * ours.window + 1)) / 10;
  const advice = different.flatMap((finding) => finding.advice ?? []);
  if (named.has("baseUrl")) {
    advice.unshift("Addresses come from --base-url, or behind a proxy from --trust-proxy.");
  }
  if (named.has("window")) advice.unshift(`It accepts a code ${times} times as long.`);
  if (settings.length > 0) advice.unshift(`Start Authenticator with ${settings.join(" ")}.`);
  if (different.some((finding) => finding.advice === undefined)) {
    advice.push("No option explains what is different.");
  }
  if (advice.length === 0) {
    advice.push(`All ${known.length === 0 ? "" : "other "}answers are the same.`);
  }
  return [...lines, advice.join(" ")];
}
