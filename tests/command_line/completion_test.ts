import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { CODE_OPTIONS, COMMANDS, PAIR_OPTIONS } from "../../lib/command_line/commands.ts";
import { completion } from "../../lib/command_line/completion.ts";
import { flagOf, namesOf } from "../../lib/config/option.ts";
import { OPTIONS } from "../../lib/config/options.ts";

const MAN = COMMANDS.get("man")!.summary;
const SECRET_FILE = CODE_OPTIONS.secretFile.description;
const AT = CODE_OPTIONS.at.description;

const FIRST_WORDS = [...new Set([...COMMANDS.keys()].map((name) => name.split(" ")[0]!))];

/** The flags of a command, in the order of its help. */
function flagsOf(name: string): readonly string[] {
  const { options, uses } = COMMANDS.get(name)!;
  return [...[...namesOf(options), ...uses].map(flagOf), "--help"];
}

// What stands behind the first words that have something there, a shell's operands included.
const BEHIND: readonly (readonly [string, readonly string[]])[] = [
  ["guard", ["status", "unlock", "name"]],
  ["completion", ["bash", "zsh", "fish"]],
  ["help", FIRST_WORDS],
  ["help guard", ["status", "unlock", "name"]],
];

Deno.test("completion() for bash has words for each place", () => {
  const lines = completion("bash").split("\n").map((line) => line.trim());
  const cases = new Map(lines.flatMap((line) => {
    const [, place, words] = /^(.+)\) words='(.*)' ;;$/.exec(line) ?? [];
    return place === undefined ? [] : [[place, words!.split(" ")] as const];
  }));
  for (const name of COMMANDS.keys()) assertEquals(cases.get(`'${name} '*`), flagsOf(name), name);
  assertEquals([cases.get("-*"), cases.get(":-*")], [flagsOf("serve"), flagsOf("serve")]);
  assertEquals(
    [...cases].filter(([place]) => place.endsWith(":'*")),
    [["", FIRST_WORDS] as const, ...BEHIND].map(([before, words]) => [`'${before}:'*`, words]),
  );
  // Behind an option: its few values, files, or nothing that is known.
  const known = [...cases].filter(([place]) => place.startsWith("--"));
  assertEquals(
    known,
    namesOf(OPTIONS).flatMap((name) => {
      const { values } = OPTIONS[name];
      return values === undefined ? [] : [[flagOf(name), [...values]]];
    }),
  );
  const alternatives = lines.filter((line) => /^--[^ ]+\|/.test(line));
  const [files, free] = alternatives.map((line) => line.split(")")[0]!.split("|"));
  assertEquals([alternatives.length, alternatives[1]!.endsWith(") return ;;")], [2, true]);
  for (const flag of ["--socket", "--tls-cert", "--secret-file", "--svg", "--png"]) {
    assert(files!.includes(flag) && !free!.includes(flag), flag);
  }
  for (const flag of ["--host", "--port", "--at", "--app-name", "--guard"]) {
    assert(free!.includes(flag) && !files!.includes(flag), flag);
  }
  for (const flag of ["--metrics", "--new-secret", "--help", "--algorithm"]) {
    assert(![...files!, ...free!].includes(flag), flag);
  }
});

Deno.test("completion() for zsh has arguments for each command, with what they are", () => {
  const script = completion("zsh");
  // Behind 'NAME '*), or *) where no command is named, one a line.
  const blocks = script.matchAll(/^ {4}(?:'(.*) ')?\*\) _arguments \\\n([^]*?) ;;$/gm);
  const ofCommand = new Map(
    [...blocks].map(([, name = "*", text]) =>
      [name, text!.split(" \\\n").map((line) => line.trim())] as const
    ),
  );
  for (const name of COMMANDS.keys()) {
    const flags = ofCommand.get(name)!.map((line) => /^'(--[a-z0-9-]+)/.exec(line)![1]!);
    assertEquals(flags, flagsOf(name), name);
  }
  assertEquals(ofCommand.get("*"), ofCommand.get("serve"));
  const lines = new Set([...ofCommand.values()].flat());
  for (
    const line of [
      `'--at=[${AT}]:TIME: '`,
      `'--secret-file=[${SECRET_FILE}]:FILE:_files'`,
      `'--new-secret[${PAIR_OPTIONS.newSecret.description}]'`,
      "'--help[Show help]'",
    ]
  ) assert(lines.has(line), line);
  const all = [...lines].join("\n");
  assert(all.includes("]:PATH:_files'") && all.includes("]:NAME:(SHA1 SHA256 SHA512)'"));
  // What would begin something else in a description is escaped, and what would end a word.
  assert(all.includes("Hash of the codes\\: SHA1") && all.includes("not the system'\\''s"));
  assertEquals(script.match(/ compadd -- /g)?.length, BEHIND.length);
  for (const [first, words] of BEHIND) {
    const quoted = words.map((word) => `'${word}'`).join(" ");
    assert(script.includes(`\n    '${first}') compadd -- ${quoted}; return ;;\n`), first);
  }
  const described = /commands=\(\n([^]*?)\n {2}\)/.exec(script)![1]!.split("\n")
    .map((line) => line.trim());
  assertEquals(described.map((line) => /^'([a-z]+):\S.*'$/.exec(line)?.[1]), FIRST_WORDS);
  assert(described.includes(`'man:${MAN}'`));
});

Deno.test("completion() for fish has a line for each command and option", () => {
  const lines = completion("fish").split("\n");
  const has = (line: string): void =>
    assert(lines.includes(`complete -c authenticator ${line}`), line);
  has("-f");
  const words = FIRST_WORDS.join(" ");
  const first = `-n 'not __fish_seen_subcommand_from ${words}'`;
  has(`${first} -a man -d '${MAN}'`);
  const firsts = lines.filter((line) => line.includes(first));
  assertEquals(firsts.map((line) => / -a ([a-z]+) -d '\S/.exec(line)?.[1]), FIRST_WORDS);
  const seconds = lines.filter((line) => /-n '__fish_seen_subcommand_from [a-z]+' -a /.test(line));
  assertEquals(seconds.length, 3);
  has("-n '__fish_seen_subcommand_from guard' -a 'status unlock name'");
  has("-n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'");
  has(`-n '__fish_seen_subcommand_from help' -a '${words}'`);
  const code = "-n '__fish_seen_subcommand_from code'";
  has(`${code} -l secret-file -r -F -d '${SECRET_FILE}'`);
  has(`${code} -l at -x -d '${AT}'`);
  has(`${code} -l help -d 'Show help'`);
  assert(lines.some((line) => line.includes("-l algorithm -x -a 'SHA1 SHA256 SHA512' -d ")));
  assert(lines.some((line) => line.includes("-l socket -r -F -d ")));
  assert(lines.some((line) => line.endsWith("(PEM), not the system\\'s'")));
  for (const name of COMMANDS.keys()) {
    const seen = name.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`);
    const when = name === "serve"
      ? `__fish_seen_subcommand_from serve; or not __fish_seen_subcommand_from ${words}`
      : seen.join("; and ");
    const flags = lines.filter((line) => line.includes(`-n '${when}' -l `))
      .map((line) => `--${/ -l ([a-z0-9-]+)/.exec(line)![1]}`);
    assertEquals(flags, flagsOf(name), name);
  }
});
