/** What the completion of each shell offers, asked of the shell itself. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { COMMANDS, SHELLS } from "../../lib/command_line/commands.ts";
import { flagOf, namesOf } from "../../lib/config/option.ts";
import { OPTIONS } from "../../lib/config/options.ts";
import { run } from "../interop/command.ts";
import { runProgram } from "../support/program.ts";

type Shell = typeof SHELLS[number];

/** What a shell offers behind words; the last one is being typed. */
type Offer = (script: string, words: readonly string[]) => Promise<string>;

const quoted = (words: readonly string[]): string =>
  words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");

const OFFERS: Readonly<Record<Shell, Offer>> = {
  bash: async (script, words) => {
    const line = `source '${script}'; COMP_WORDS=(authenticator ${quoted(words)}); ` +
      `COMP_CWORD=${words.length}; _authenticator; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return (await run("bash", ["--norc", "-c", line])).text;
  },
  // Completion wants a terminal there; what it calls to offer something is shown instead.
  zsh: async (script, words) => {
    const stub =
      '_describe() { print -rl -- "${(@P)2}" }; compadd() { shift; print -rl -- "$@" }; ' +
      '_arguments() { print -rl -- "$@" }; compdef() {}; ';
    const line = `${stub} source '${script}'; words=(authenticator ${quoted(words)}); ` +
      `CURRENT=${words.length + 1}; _authenticator`;
    return (await run("zsh", ["-f", "-c", line])).text;
  },
  fish: async (script, words) => {
    const line = `source '${script}'; complete -C 'authenticator ${words.join(" ")}'`;
    return (await run("fish", ["--no-config", "-c", line])).text;
  },
};

for (const shell of SHELLS) {
  const offered = async (...words: readonly string[]): Promise<ReadonlySet<string>> => {
    const folder = await Deno.makeTempDir();
    try {
      const { code, stdout } = await runProgram(["completion", shell]);
      assertEquals(code, 0);
      await Deno.writeTextFile(`${folder}/script`, stdout);
      await Deno.writeTextFile(`${folder}/some.pem`, "");
      const lines = (await OFFERS[shell](
        `${folder}/script`,
        words.map((word) => word.replace("FOLDER", folder)),
      )).split("\n");
      return new Set(lines.map((line) => line.split(/[\t:=[]/)[0]!.replace(folder, "FOLDER")));
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  };

  Deno.test(`${shell} completes every command`, async () => {
    const words = await offered("");
    for (const name of COMMANDS.keys()) assert(words.has(name.split(" ")[0]!), name);
  });

  Deno.test(`${shell} completes the options of a command, and no others`, async () => {
    for (const [name, { options, uses }] of COMMANDS) {
      const words = await offered(...name.split(" "), "--");
      const expected = [...namesOf(options), ...uses].map(flagOf);
      for (const flag of expected) assert(words.has(flag), `${name} ${flag}`);
      const flags = [...words].filter((word) => word.startsWith("--") && word !== "--help");
      assertEquals(new Set(flags), new Set(expected), name);
    }
  });

  Deno.test(`${shell} completes the options of serve without a command`, async () => {
    const words = await offered("--");
    for (const name of namesOf(OPTIONS)) assert(words.has(flagOf(name)), name);
  });

  Deno.test(`${shell} completes operands`, async () => {
    const shells = await offered("completion", "");
    for (const name of SHELLS) assert(shells.has(name), name);
    const helped = await offered("help", "");
    assert(helped.has("doctor") && helped.has("guard") && !helped.has("status"));
    assert((await offered("help", "guard", "")).has("status"));
    assert((await offered("guard", "")).has("status"));
  });
}

Deno.test("bash and fish complete values and files", async () => {
  for (const shell of ["bash", "fish"] as const) {
    const folder = await Deno.makeTempDir();
    const { stdout } = await runProgram(["completion", shell]);
    await Deno.writeTextFile(`${folder}/script`, stdout);
    await Deno.writeTextFile(`${folder}/some.pem`, "");
    const offer = async (...words: readonly string[]): Promise<string> =>
      await OFFERS[shell](`${folder}/script`, words);
    assertEquals(/^json/m.test(await offer("--log-format", "")), true);
    assertEquals(/^json/m.test(await offer("serve", "--log-format", "j")), true);
    assert((await offer("--tls-cert", `${folder}/so`)).includes(`${folder}/some.pem`));
    await Deno.remove(folder, { recursive: true });
  }
});
