/**
 * What makes shells complete command lines, written from the tables of commands and options.
 *
 * @module
 */

import { flagOf, namesOf, type Option } from "../config/option.ts";
import { OPTIONS } from "../config/options.ts";
import { type CommandFacts, COMMANDS, type Shell } from "./commands.ts";

/** Writes what makes a shell complete command lines. */
export function completion(shell: Shell): string {
  return WRITERS[shell]();
}

const WRITERS: Readonly<Record<Shell, () => string>> = { bash, zsh, fish };

/** An option of a command as shells see it. */
interface ShellOption {
  /** With its hyphens. */
  readonly flag: string;
  readonly description: string;
  /** What stands for its value; undefined for a switch. */
  readonly placeholder: string | undefined;
  /** Its values, where they are few. */
  readonly values: readonly string[];
  /** Whether its value is the path of a file. */
  readonly isPath: boolean;
}

/** Its own options, and those of the service that change what it does. */
function optionsFor({ options, uses }: CommandFacts): readonly ShellOption[] {
  const help = { placeholder: undefined, values: [], isPath: false };
  return [
    ...namesOf(options).map((name) => shellOption(name, options[name]!)),
    ...uses.map((name) => shellOption(name, OPTIONS[name])),
    { flag: "--help", description: "Show help", ...help },
  ];
}

function shellOption(
  name: string,
  { description, placeholder, values = [] }: Option<unknown>,
): ShellOption {
  const isPath = placeholder === "FILE" || placeholder === "PATH";
  return { flag: flagOf(name), description, placeholder, values, isPath };
}

/** What may stand behind words: those of commands and their operands, by what goes before them. */
function nextWords(): ReadonlyMap<string, readonly string[]> {
  const next = new Map<string, string[]>();
  for (const [name, { operand }] of COMMANDS) {
    for (const line of [name, ...(operand?.values ?? []).map((value) => `${name} ${value}`)]) {
      const words = line.split(" ");
      for (const [i, word] of words.entries()) {
        const before = words.slice(0, i).join(" ");
        next.set(before, [...new Set(next.get(before)).add(word)]);
      }
    }
  }
  return next;
}

/** The first words of commands. */
function firstWords(): readonly string[] {
  return nextWords().get("")!;
}

/** What may stand behind the first words. */
function wordsBehind(): readonly (readonly [before: string, words: readonly string[]])[] {
  return [...nextWords()].filter(([before]) => before !== "");
}

/** All options, each once. */
function allOptions(): readonly ShellOption[] {
  const all = [...COMMANDS.values()].flatMap(optionsFor);
  return [...new Map(all.map((option) => [option.flag, option])).values()];
}

const alternatives = (options: readonly ShellOption[]): string =>
  options.map(({ flag }) => flag).join("|");

function bash(): string {
  const all = allOptions();
  const valued = all.filter(({ values }) => values.length > 0);
  const free = all.filter(({ placeholder, values, isPath }) =>
    placeholder !== undefined && values.length === 0 && !isPath
  );
  return `# Completion of authenticator for bash: source <(authenticator completion bash)
_authenticator() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} words=
  COMPREPLY=()
  # An equals sign is a word of its own.
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  case $before in
${valued.map(({ flag, values }) => `    ${flag}) words='${values.join(" ")}' ;;`).join("\n")}
    ${alternatives(all.filter(({ isPath }) => isPath))})
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
      return
      ;;
    ${alternatives(free)}) return ;;
  esac
  if [[ -z $words ]]; then
    case "\${COMP_WORDS[*]:1:COMP_CWORD-1}:$word" in
      :-*) words='${alternatives(optionsFor(COMMANDS.get("serve")!)).replaceAll("|", " ")}' ;;
${
    [...nextWords()].map(([before, words]) => `      '${before}:'*) words='${words.join(" ")}' ;;`)
      .join("\n")
  }
      *)
        case "\${COMP_WORDS[1]} \${COMP_WORDS[2]} " in
${
    [...COMMANDS].map(([name, facts]) =>
      `          '${name} '*) words='${alternatives(optionsFor(facts)).replaceAll("|", " ")}' ;;`
    ).join("\n")
  }
          -*) words='${alternatives(optionsFor(COMMANDS.get("serve")!)).replaceAll("|", " ")}' ;;
        esac
        ;;
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -F _authenticator authenticator
`;
}

function zsh(): string {
  const commands = firstWords().map((first) => {
    const { summary } = COMMANDS.get(first) ?? { summary: first };
    return `    ${shellWord(`${first}:${summary.replaceAll(":", "\\:")}`)}`;
  });
  const argumentsOf = (facts: CommandFacts): string =>
    optionsFor(facts).map((option) => `      ${shellWord(zshOption(option))}`).join(" \\\n");
  return `#compdef authenticator
# Completion of authenticator for zsh: put it into a folder of $fpath as _authenticator.
_authenticator() {
  local -a commands
  commands=(
${commands.join("\n")}
  )
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _describe command commands
    return
  fi
  case "\${words[2,CURRENT-1]}" in
${
    wordsBehind().map(([before, words]) =>
      `    ${shellWord(before)}) compadd -- ${words.map(shellWord).join(" ")}; return ;;`
    ).join("\n")
  }
  esac
  case "$words[2] $words[3] " in
${
    [...COMMANDS].map(([name, facts]) =>
      `    ${shellWord(`${name} `)}*) _arguments \\\n${argumentsOf(facts)} ;;`
    ).join("\n")
  }
    *) _arguments \\\n${argumentsOf(COMMANDS.get("serve")!)} ;;
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _authenticator "$@"
else
  compdef _authenticator authenticator
fi
`;
}

function zshOption({ flag, description, placeholder, values, isPath }: ShellOption): string {
  const shown = description.replace(/[[\]:\\]/g, "\\$&");
  if (placeholder === undefined) return `${flag}[${shown}]`;
  const action = isPath ? "_files" : values.length === 0 ? " " : `(${values.join(" ")})`;
  return `${flag}=[${shown}]:${placeholder}:${action}`;
}

function fish(): string {
  const names = firstWords();
  const isFirst = `not __fish_seen_subcommand_from ${names.join(" ")}`;
  const lines = names.map((first) => {
    const { summary } = COMMANDS.get(first) ?? { summary: first };
    return `complete -c authenticator -n '${isFirst}' -a ${first} -d ${fishWord(summary)}`;
  });
  const behind = wordsBehind().map(([before, words]) =>
    `complete -c authenticator -n '${fishHasSeen(before)}' -a ${fishWord(words.join(" "))}`
  );
  return `# Completion of authenticator for fish: put it into ~/.config/fish/completions.
complete -c authenticator -f
${[...lines, ...behind, ...[...COMMANDS].flatMap(fishOptions)].join("\n")}
`;
}

function fishOptions([name, facts]: readonly [string, CommandFacts]): readonly string[] {
  const others = firstWords().join(" ");
  // Without a command, the options are those of serve.
  const when = name === "serve"
    ? `__fish_seen_subcommand_from serve; or not __fish_seen_subcommand_from ${others}`
    : fishHasSeen(name);
  return optionsFor(facts).map(({ flag, description, placeholder, values, isPath }) => {
    const value = placeholder === undefined
      ? ""
      : isPath
      ? " -r -F"
      : ` -x${values.length === 0 ? "" : ` -a ${fishWord(values.join(" "))}`}`;
    return `complete -c authenticator -n '${when}' -l ${flag.slice(2)}${value} -d ${
      fishWord(description)
    }`;
  });
}

function fishHasSeen(words: string): string {
  return words.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`).join("; and ");
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function fishWord(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
