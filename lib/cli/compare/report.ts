/**
 * Report of a comparison: its findings in lines, and what to do.
 *
 * @module
 */

import { flagOf } from "../../config/option.ts";
import { type Config, optionText } from "../../config/options.ts";
import { COMMANDS } from "../args/commands.ts";
import { shown } from "./remote.ts";

/** Kinds of findings, from the best to the worst. */
export const KINDS = ["same", "known", "option", "different"] as const;

/** Result of one question. */
export interface Finding {
  /** The name of the question. */
  readonly name: string;
  /**
   * `same`; `option`: options of this program make it the same; `known`: the hosted service answers
   * so, and no option restores it; `different`: everything else.
   */
  readonly kind: typeof KINDS[number];
  /** The answer of this program with the options that the other side shows. */
  readonly here: string;
  /** The answer of the other side. */
  readonly there: string;
  /** The options that make it the same. */
  readonly options: readonly (keyof Config)[];
}

/** What a report is made from. */
export interface Compared {
  /** The findings, in the order of the questions. */
  readonly findings: readonly Finding[];
  /** The options given. */
  readonly ours: Config;
  /** The options that the other side shows. */
  readonly theirs: Config;
  /** How far the other side's clock is ahead, in milliseconds. */
  readonly aheadMs: number;
  /** The other side. */
  readonly remote: { readonly requests: number };
}

/** Difference of clocks that no user notices, in milliseconds: a third of a time step. */
const TOLERANCE_MS = 10_000;

/** Makes the finding of the clock. */
export function clockFinding(aheadMs: number): Finding {
  const kind = Math.abs(aheadMs) < TOLERANCE_MS ? "same" : "different";
  const [here, there] = ["this machine's time", clockClause(aheadMs)];
  return { name: "the clock", kind, here, there, options: [] };
}

function clockClause(aheadMs: number): string {
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  return `${seconds} ${seconds === 1 ? "second" : "seconds"} ${aheadMs < 0 ? "behind" : "ahead"}`;
}

/** Counts the findings of each kind, for a line. */
export function countsOf(findings: readonly Finding[]): string {
  return KINDS.map((kind) => [findings.filter((each) => each.kind === kind).length, kind] as const)
    .filter(([count]) => count > 0).map((pair) => pair.join(" ")).join(", ");
}

/** Writes the report. */
export function reportOf(compared: Compared): readonly string[] {
  const { findings, remote: { requests } } = compared;
  const known = findings.filter(({ kind }) => kind === "known");
  return [
    ...optionLines(compared),
    ...differenceLines(findings),
    ...(known.length === 0 ? [] : [
      "Known of the hosted service, and changed by no option (docs/switching.md says why): " +
      `${namesOf(known)}.`,
    ]),
    adviceOf(compared),
    `${requests} requests. Not asked: throttling, the store, the guard key, the operator port.`,
  ];
}

function namesOf(findings: readonly Finding[]): string {
  return findings.map(({ name }) => name).join("; ");
}

/** Lists the options that explain findings, in the order of the command's help. */
function optionsIn(findings: readonly Finding[]): readonly (keyof Config)[] {
  const named = new Set(findings.flatMap(({ options }) => options));
  return COMMANDS.get("compare")!.uses.filter((name) => named.has(name));
}

// One line for each option, however many answers it explains.
function optionLines({ findings, ours, theirs }: Compared): readonly string[] {
  return optionsIn(findings).map((option) => {
    const [first, ...others] = findings.filter(({ options }) => options.includes(option));
    const more = others.length === 0 ? "" : ` and ${others.length} more`;
    const settings = `it has ${settingOf(option, theirs)}, and not ${settingOf(option, ours)}`;
    return `Option: ${settings}: ${first!.name}${more}.`;
  });
}

// One line for each pair of answers.
function differenceLines(findings: readonly Finding[]): readonly string[] {
  const pairs = new Map<string, Finding[]>();
  for (const finding of findings.filter(({ kind }) => kind === "different")) {
    const pair = `here ${shown(finding.here)}, there ${shown(finding.there)}`;
    pairs.set(pair, [...pairs.get(pair) ?? [], finding]);
  }
  return [...pairs].map(([pair, same]) => `Different: ${namesOf(same)}: ${pair}.`);
}

function adviceOf({ findings, ours, theirs, aheadMs }: Compared): string {
  const options = optionsIn(findings);
  // Nobody should be told to give up API keys.
  const settings = options.filter((option) => option !== "apiKeysFile")
    .map((option) => settingOf(option, theirs));
  const isClockRight = clockFinding(aheadMs).kind === "same";
  const differs = findings.some(({ kind }) => kind === "different");
  const sentences: readonly (readonly [when: boolean, sentence: string])[] = [
    [settings.length > 0, `Start Authenticator with ${settings.join(" ")}.`],
    [options.includes("window"), windowSentence(ours, theirs)],
    [options.includes("apiKeysFile"), "It answers callers without an API key."],
    [
      options.includes("baseUrl"),
      `Addresses come from ${flagOf("baseUrl")}, or behind a proxy from ${flagOf("trustProxy")}.`,
    ],
    [!isClockRight, `Its clock is ${clockClause(aheadMs)}: synchronize both.`],
    [differs && isClockRight, "No option explains what is different."],
    [
      options.length === 0 && !differs,
      `All ${findings.every(({ kind }) => kind === "same") ? "" : "other "}answers are the same.`,
    ],
  ];
  return sentences.filter(([when]) => when).map(([, sentence]) => sentence).join(" ");
}

function windowSentence(ours: Config, theirs: Config): string {
  const [codesThere, codesHere] = [theirs, ours].map(({ window }) => 2 * window + 1);
  const times = Math.round(10 * codesThere! / codesHere!) / 10;
  return `It accepts a code ${times} times as long.`;
}

/** Writes an option with its value as on a command line. */
function settingOf(option: keyof Config, config: Config): string {
  const text = optionText(option, config);
  const flag = flagOf(option);
  if (text === undefined) return `no ${flag}`;
  return option === "apiKeysFile"
    ? flag
    : `${flag}${text === "true" || text === "false" ? "=" : " "}${shown(text)}`;
}
