/**
 * Manual page in the macros of man(7), derived from the tables of commands and options.
 *
 * @module
 */

import { flagOf, namesOf, type Option, variableOf } from "../lib/config/option.ts";
import { OPTIONS } from "../lib/config/options.ts";
import { type CommandRow, COMMANDS, CONFIG_OPTION, CONFIG_ROW } from "../lib/cli/args/commands.ts";
import { EXIT_CODES, factsOf, PURPOSE, synopsisOf } from "../lib/cli/args/help.ts";

/**
 * Writes the manual page.
 *
 * @param version The version of the program.
 */
export function manPage(version: string): string {
  return [
    `.TH AUTHENTICATOR 1 "" ${quoted(`authenticator ${version}`)}`,
    ".SH NAME",
    "authenticator \\- pairs authenticator apps and checks their pins",
    ".SH SYNOPSIS",
    ...[...COMMANDS].flatMap(([name, command]) => [".br", escaped(synopsisOf(name, command))])
      .slice(1),
    ".SH DESCRIPTION",
    ...sentences(PURPOSE),
    "Without a command it serves.",
    ".SH COMMANDS",
    ...[...COMMANDS].flatMap(([name, command]) => commandSection(name, command)),
    ".SH OPTIONS",
    "These are the options of the service.",
    "Each can be set in the environment and in a file too; a flag wins over both.",
    `One without a value is switched on with true: ${variableOf("metrics")}=true.`,
    ...optionLines(CONFIG_OPTION, CONFIG_ROW, variableOf(CONFIG_OPTION)),
    ...namesOf(OPTIONS).flatMap((name) => optionLines(name, OPTIONS[name], variableOf(name))),
    ".SH EXIT STATUS",
    ...EXIT_CODES.flatMap(([code, meaning]) => [".TP", `.B ${code}`, escaped(sentence(meaning))]),
    "",
  ].join("\n");
}

function commandSection(name: string, command: CommandRow): readonly string[] {
  const { summary, details, options, uses, examples } = command;
  const used = uses.length === 0 || uses.length === namesOf(OPTIONS).length
    ? []
    : [".PP", escaped(`Options of the service that matter here: ${uses.map(flagOf).join(", ")}.`)];
  return [
    `.SS ${quoted(name)}`,
    ...sentences(`${summary}. ${details}`),
    ...namesOf(options).flatMap((option) => optionLines(option, options[option]!, undefined)),
    ...used,
    ".PP",
    ".EX",
    ...examples.map(escaped),
    ".EE",
  ];
}

function optionLines(
  name: string,
  option: Option<unknown>,
  variable: string | undefined,
): readonly string[] {
  const { placeholder, description } = option;
  const value = placeholder === undefined ? "" : ` \\fI${placeholder}\\fR`;
  const facts = factsOf(option, variable);
  return [
    ".TP",
    `\\fB${escaped(flagOf(name))}\\fR${value}`,
    escaped(`${description}.`),
    ...(facts === "" ? [] : [escaped(`${facts}.`)]),
  ];
}

function sentence(clause: string): string {
  return `${clause[0]?.toUpperCase()}${clause.slice(1)}.`;
}

// Puts each sentence on its own line, so that roff recognizes its end.
function sentences(text: string): readonly string[] {
  return text.split(/(?<=\.) /).map(escaped);
}

// Escapes text for roff, which prints a bare hyphen as another character, and reads a line with a
// leading dot as a macro.
function escaped(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^(?=[.'])/, "\\&");
}

function quoted(text: string): string {
  return `"${escaped(text).replaceAll('"', "\\(dq")}"`;
}
