/**
 * Help, derived from the tables of commands and options.
 *
 * @module
 */

import { flagOf, namesOf, type Option, variableOf } from "../../config/option.ts";
import { OPTIONS } from "../../config/options.ts";
import {
  type CommandRow,
  COMMANDS,
  commandsOf,
  CONFIG_OPTION,
  CONFIG_ROW,
  optionsOf,
} from "./commands.ts";

/** Purpose of the program, in one sentence. */
export const PURPOSE: string =
  "Pairs authenticator apps and checks their pins, over SOAP 1.1, SOAP 1.2, HTTP GET, HTTP POST " +
  "and JSON.";

/** Exit codes with their meanings. */
export const EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [0, "success"],
  [1, "failure"],
  [2, "wrong usage or settings"],
];

/**
 * Writes the help of one command, of the commands with this first word, or of all commands on one
 * screen.
 */
export function help(about: string | undefined): string {
  if (about === undefined) return usage();
  const command = COMMANDS.get(about);
  return command === undefined ? groupHelp(about) : commandHelp(about, command);
}

function usage(): string {
  return [
    PURPOSE,
    "",
    "Usage: authenticator [command] [options]",
    "",
    ...commandRows([...COMMANDS.keys()]),
    "authenticator help serve shows those of the server.",
    "",
    exitCodes(),
  ].join("\n");
}

function groupHelp(first: string): string {
  return [
    `Usage: authenticator ${first} COMMAND [options]`,
    "",
    ...commandRows(commandsOf(first)),
  ].join("\n");
}

function commandRows(names: readonly string[]): readonly string[] {
  return [
    "Commands:",
    ...names.map((name) => row(name, COMMANDS.get(name)!.summary)),
    "",
    "authenticator help COMMAND shows the options of a command, with examples.",
  ];
}

/** Writes the synopsis of a command, as in its usage line. */
export function synopsisOf(name: string, command: CommandRow): string {
  const { operands = [] } = command;
  const hasOptions = namesOf(optionsOf(command)).length > 0;
  return ["authenticator", name, ...operands, ...(hasOptions ? ["[options]"] : [])].join(" ");
}

function commandHelp(name: string, command: CommandRow): string {
  const { summary, details, options, uses, examples } = command;
  const own = namesOf(options).flatMap((option) =>
    detailedRows(option, options[option]!, undefined)
  );
  const ofService = uses.length === 0 ? [] : [
    ...detailedRows(CONFIG_OPTION, CONFIG_ROW, variableOf(CONFIG_OPTION)),
    ...uses.flatMap((option) => detailedRows(option, OPTIONS[option], variableOf(option))),
  ];
  return [
    `${summary}.`,
    "",
    `Usage: ${synopsisOf(name, command)}`,
    "",
    ...wrapped(details, 100),
    ...headed("Options", own),
    ...headed(own.length > 0 ? "Options of the service" : "Options", ofService),
    ...headed("Examples", examples.map((example) => `  ${example}`)),
    "",
    exitCodes(),
  ].join("\n");
}

function headed(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `${heading}:`, ...lines];
}

function detailedRows(
  name: string,
  option: Option<unknown>,
  variable: string | undefined,
): readonly string[] {
  return [
    row(`${flagOf(name)} ${option.placeholder ?? ""}`, option.description),
    ...wrapped(factsOf(option, variable), 82).map((line) => row("", line)),
  ];
}

/** Lists the facts about an option's value: the requirement, the default, and the variable. */
export function factsOf(
  { placeholder, expected, values, defaultText }: Option<unknown>,
  variable: string | undefined,
): string {
  const facts = [
    ...(placeholder === undefined || expected === "a text" ? [] : [expected]),
    ...(placeholder === undefined || defaultText === "" ? [] : [`${defaultText} unless given`]),
    ...(variable === undefined ? [] : [variable]),
  ].join("; ");
  // Values keep their case.
  return values === undefined ? facts.replace(/^[a-z]/, (letter) => letter.toUpperCase()) : facts;
}

function row(left: string, right: string): string {
  return `  ${left.padEnd(24)} ${right}`;
}

function wrapped(text: string, width: number): readonly string[] {
  return text.match(new RegExp(`.{1,${width}}(?:\\s|$)`, "g"))?.map((line) => line.trimEnd()) ?? [];
}

function exitCodes(): string {
  return `Exit codes: ${EXIT_CODES.map(([code, meaning]) => `${code} ${meaning}`).join("; ")}.`;
}
