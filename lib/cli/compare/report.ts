/**
 * Report of a comparison: its findings in lines, and what to do.
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
  /** What to do, where a file of keys is the option. */
  readonly advice?: string | undefined;
}

/** Counts the findings of each kind, for a line. */
export function countsOf(findings: readonly Finding[]): string {
  const counts = (["same", "known", "option", "different"] as const)
    .map((kind) => `${findings.filter((each) => each.kind === kind).length} ${kind}`);
  return counts.filter((count) => !count.startsWith("0")).join(", ");
}

/** Report of findings, and of the options of both sides. */
export class Report {
  readonly #findings: readonly Finding[];
  readonly #redactor: Redactor;
  readonly #ours: Config;
  readonly #theirs: Config;
  readonly #options: readonly (keyof Config)[];

  /** Makes a report. */
  constructor(findings: readonly Finding[], redactor: Redactor, ours: Config, theirs: Config) {
    this.#findings = findings;
    this.#redactor = redactor;
    this.#ours = ours;
    this.#theirs = theirs;
    const named = new Set(findings.flatMap(({ options }) => options));
    this.#options = COMMANDS.get("compare")!.uses.filter((name) => named.has(name));
  }

  /** Lines of the findings: one for each option, for each pair of answers, and for what is known. */
  get lines(): readonly string[] {
    const redacted = (text: string): string => this.#redactor.text(text);
    const optionLines = this.#options.map((option) => {
      const [first, ...others] = this.#findings.filter(({ options }) => options.includes(option));
      const { name, here, there, advice } = first!;
      const setting = advice === undefined
        ? `it has ${this.#setting(option, this.#theirs)}, and not ${
          this.#setting(option, this.#ours)
        }`
        : `${flagOf(option)}: here ${redacted(here)}, there ${redacted(there)}`;
      return `Option: ${setting}: ${name}${
        others.length === 0 ? "" : ` and ${others.length} more`
      }.`;
    });
    const names = new Map<string, string[]>();
    for (const { kind, name, here, there } of this.#findings) {
      const pair = `here ${redacted(here)}, there ${redacted(there)}`;
      if (kind === "different") names.set(pair, [...names.get(pair) ?? [], name]);
    }
    const known = this.#findings.filter(({ kind }) => kind === "known").map(({ name }) => name);
    return [
      ...optionLines,
      ...[...names].map(([pair, same]) => `Different: ${same.join("; ")}: ${pair}.`),
      ...(known.length === 0 ? [] : [
        "Known of the hosted service, and changed by no option (docs/switching.md says why): " +
        `${known.join("; ")}.`,
      ]),
    ];
  }

  /** What to do, in sentences. */
  get advice(): string {
    const flags = { base: flagOf("baseUrl"), proxy: flagOf("trustProxy") };
    const times = (2 * this.#theirs.window + 1) / (2 * this.#ours.window + 1);
    const ofOptions = new Map<keyof Config, string>([
      ["window", `It accepts a code ${Math.round(10 * times) / 10} times as long.`],
      ["baseUrl", `Addresses come from ${flags.base}, or behind a proxy from ${flags.proxy}.`],
    ]);
    const settings = this.#options.filter((option) => !option.endsWith("KeysFile"))
      .map((option) => this.#setting(option, this.#theirs));
    const isUnexplained = this.#findings.some(({ kind, advice }) =>
      kind === "different" && advice === undefined
    );
    const sentences = [
      ...(settings.length === 0 ? [] : [`Start Authenticator with ${settings.join(" ")}.`]),
      ...this.#options.flatMap((option) => ofOptions.get(option) ?? []),
      ...this.#findings.flatMap(({ advice }) => advice ?? []),
      ...(isUnexplained ? ["No option explains what is different."] : []),
    ];
    if (sentences.length > 0) return sentences.join(" ");
    const isAll = this.#findings.every(({ kind }) => kind === "same");
    return `All ${isAll ? "" : "other "}answers are the same.`;
  }

  /** Writes an option with its value as on a command line. */
  #setting(option: keyof Config, config: Config): string {
    const text = optionText(option, config);
    if (text === undefined) return `no ${flagOf(option)}`;
    return /^(?:true|false)$/.test(text)
      ? `${flagOf(option)}=${text}`
      : this.#redactor.setting(flagOf(option), text);
  }
}
