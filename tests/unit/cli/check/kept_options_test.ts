/**
 * Ways to write a protection so that it could be lost: each ends in an error, or the protection is in
 * force. A way has the files of a machine, and the environment that systemd makes of them.
 *
 * @module
 */

import { assertEquals } from "@std/assert/equals";
import { dirname } from "node:path";
import { parseCommand } from "../../../../lib/cli/args/parse.ts";
import { checkUnit } from "../../../../lib/cli/check/unit.ts";
import { withFolder } from "../../../support/folder.ts";

const OPTIONS = "/etc/authenticator/authenticator.conf";
const OWN = "/etc/authenticator/authenticator@1.conf";
const KEYS = "/etc/authenticator/api-keys";
const OLD = "/etc/authenticator.env";
const DROP_IN = "/etc/systemd/system/authenticator@.service.d/a.conf";

const LINE = "AUTHENTICATOR_SINGLE_USE=true";
const KEYS_LINE = `AUTHENTICATOR_API_KEYS_FILE=${KEYS}`;
const IN_DROP_IN = `[Service]\nEnvironment=${LINE}\n`;

/** Content of a file, or what is in its place. */
type Entry = string | Uint8Array | "(folder)" | "(dangling link)" | "(missing)";

/** Way to write a protection. */
interface Way {
  /** Files by path. That of options is empty unless it is given. */
  readonly files?: Readonly<Record<string, Entry>>;
  /** Mode of the file of options, and of its folder. */
  readonly modes?: readonly [file: number, folder: number];
  /** Variables that the server gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Words after `--config` and the file of options. */
  readonly args?: readonly string[];
  /** Words in place of them. */
  readonly words?: readonly string[];
}

function utf16(text: string, isBigEndian = false, mark = "\uFEFF"): Uint8Array {
  return Uint8Array.from(
    [...mark + text].flatMap((one) => {
      const pair = [one.charCodeAt(0) & 0xFF, one.charCodeAt(0) >> 8];
      return isBigEndian ? pair.reverse() : pair;
    }),
  );
}

function latin1(text: string): Uint8Array {
  return Uint8Array.from([...text].map((one) => one.charCodeAt(0)));
}

function inFile(content: Entry): Way {
  return { files: { [OPTIONS]: content } };
}

function inOldFile(content: Entry, env: Way["env"] = {}): Way {
  return { files: { [OLD]: content }, env };
}

function inDropIn(content: Entry, path = DROP_IN, env: Way["env"] = {}): Way {
  return { files: { [path]: content }, env };
}

const HAS = { AUTHENTICATOR_SINGLE_USE: "true" };

const IN_FORCE: Readonly<Record<string, Way>> = {
  "a line": inFile(`${LINE}\n`),
  "a last line without an end": inFile(`# a\n\n${LINE}`),
  "a byte order mark": inFile(`\uFEFF${LINE}\n`),
  "CR LF": inFile(`AUTHENTICATOR_WINDOW=2\r\n${LINE}\r\n`),
  "CR": inFile(`AUTHENTICATOR_WINDOW=2\r${LINE}\r`),
  "a variable": { env: HAS },
  "an empty variable beside a line": {
    ...inFile(LINE),
    env: { AUTHENTICATOR_SINGLE_USE: "" },
  },
  "the same value in both": { ...inFile(LINE), env: { AUTHENTICATOR_SINGLE_USE: "1" } },
  "a port of an instance beside it": {
    files: { [OPTIONS]: `${LINE}\nAUTHENTICATOR_PORT=1\n`, [OWN]: "AUTHENTICATOR_PORT=2\n" },
  },
  "a drop-in of an older version": inDropIn(IN_DROP_IN, DROP_IN, HAS),
  "the old file": inOldFile(`${LINE}\n`, HAS),
};

const ERRORS: Readonly<Record<string, Way>> = {
  // Texts of the file.
  "UTF-16": inFile(utf16(`${LINE}\n`)),
  "UTF-16, big-endian": inFile(utf16(`${LINE}\n`, true)),
  "UTF-16 without a mark": inFile(utf16(`${LINE}\n`, false, "")),
  "a byte order mark in line 2": inFile(`\n\uFEFF${LINE}\n`),
  "latin 1": inFile(latin1(`${LINE}\nAUTHENTICATOR_GUARD=redis://\xFC\n`)),
  "export": inFile(`export ${LINE}`),
  "set": inFile(`set "${LINE}"`),
  "a leading blank": inFile(` ${LINE}`),
  "a no-break space": inFile(`\u00A0${LINE}`),
  "a zero-width space": inFile(`\u200B${LINE}`),
  "blanks around =": inFile("AUTHENTICATOR_SINGLE_USE = true"),
  "a blank before =": inFile("AUTHENTICATOR_SINGLE_USE =true"),
  "a trailing blank": inFile(`${LINE} `),
  "a trailing comment": inFile(`${LINE} # for logins`),
  "a colon": inFile("AUTHENTICATOR_SINGLE_USE: true"),
  "no value": inFile("AUTHENTICATOR_SINGLE_USE"),
  "an empty value": inFile("AUTHENTICATOR_SINGLE_USE="),
  "quotes": inFile('AUTHENTICATOR_SINGLE_USE="true"'),
  "single quotes": inFile("AUTHENTICATOR_SINGLE_USE='true'"),
  "quotes around the line": inFile(`"${LINE}"`),
  "an escape": inFile("AUTHENTICATOR_SINGLE_USE=tr\\ue"),
  "a continuation": inFile("AUTHENTICATOR_SINGLE_USE=\\\ntrue"),
  "a comment that hides it from systemd": inFile(`# a \\\n${LINE}`),
  "another value": inFile("AUTHENTICATOR_SINGLE_USE=ture"),
  "a section": inFile(`[Service]\n${LINE}`),
  "a line of a unit": inFile(`Environment=${LINE}`),
  "a flag": inFile("--single-use"),
  "small letters": inFile(LINE.toLowerCase()),
  "hyphens": inFile("AUTHENTICATOR-SINGLE-USE=true"),
  "a letter too few": inFile("AUTHENTICATOR_SINGLE_US=true"),
  "no prefix": inFile("SINGLE_USE=true"),
  "another letter that looks the same": inFile("\u0410UTHENTICATOR_SINGLE_USE=true"),
  "a repeated line": inFile(`${LINE}\nAUTHENTICATOR_SINGLE_USE=false`),
  "a control character": inFile(`${LINE}\0`),
  "another file of options": inFile("AUTHENTICATOR_CONFIG=/etc/other.conf"),
  // The file.
  "no file": inFile("(missing)"),
  "a folder": inFile("(folder)"),
  "a dangling link": inFile("(dangling link)"),
  "a file that others may write": { ...inFile(LINE), modes: [0o602, 0o755] },
  "a folder that others may write": { ...inFile(LINE), modes: [0o600, 0o777] },
  "--config without a value": { words: ["--config"] },
  "an empty --config": { words: ["--config", ""] },
  "an empty --config=": { words: ["--config="] },
  "an empty AUTHENTICATOR_CONFIG": { words: [], env: { AUTHENTICATOR_CONFIG: "" } },
  "an AUTHENTICATOR_CONFIG without its file": {
    words: [],
    env: { AUTHENTICATOR_CONFIG: "/nonexistent/options" },
  },
  "another value for an instance": {
    files: { [OPTIONS]: LINE, [OWN]: "AUTHENTICATOR_SINGLE_USE=false" },
  },
  "a dangling link for an instance": { files: { [OPTIONS]: LINE, [OWN]: "(dangling link)" } },
  // The environment.
  "a variable that takes it back": { ...inFile(LINE), env: { AUTHENTICATOR_SINGLE_USE: "false" } },
  "a variable in small letters": { env: { authenticator_single_use: "true" } },
  "a variable with hyphens": { env: { "AUTHENTICATOR-SINGLE-USE": "true" } },
  "a variable with points": { env: { "authenticator.single.use": "true" } },
  "a variable without separators": { env: { AUTHENTICATORSINGLEUSE: "true" } },
  "a variable with a blank": { env: { " AUTHENTICATOR_SINGLE_USE": "true" } },
  "a variable with a letter too few": { env: { AUTHENTICATOR_SINGLE_US: "true" } },
  "a variable whose prefix has a letter too few": { env: { AUTHENTICTOR_SINGLE_USE: "true" } },
  // The file of versions before 0.2, of which systemd drops what it does not like.
  "the old file with a byte order mark": inOldFile(`\uFEFF${LINE}\n`),
  "the old file in UTF-16": inOldFile(utf16(`${LINE}\n`)),
  "the old file with export": inOldFile(`export ${LINE}\n`),
  "the old file with hyphens": inOldFile("AUTHENTICATOR-SINGLE-USE=true\n"),
  "the old file without =": inOldFile("AUTHENTICATOR_SINGLE_USE true\n"),
  "the old file as a folder": inOldFile("(folder)"),
  "the old file as a dangling link": inOldFile("(dangling link)"),
  // Drop-ins, of which it does the same.
  "a drop-in without its section": inDropIn(`Environment=${LINE}\n`),
  "a drop-in with another section": inDropIn(`[Servce]\nEnvironment=${LINE}\n`),
  "a drop-in with blanks around =": inDropIn(
    "[Service]\nEnvironment=AUTHENTICATOR_SINGLE_USE = true\n",
  ),
  "a drop-in with another key": inDropIn(`[Service]\nEnviroment=${LINE}\n`),
  "a drop-in in UTF-16": inDropIn(utf16(IN_DROP_IN)),
  "a drop-in without .conf": inDropIn(IN_DROP_IN, DROP_IN.replace(".conf", "")),
  "a drop-in with a suffix": inDropIn(IN_DROP_IN, `${DROP_IN}.bak`),
  "a drop-in in a folder below": inDropIn(IN_DROP_IN, DROP_IN.replace("a.conf", "a/a.conf")),
  "a drop-in that was not read again": inDropIn(IN_DROP_IN),
  "a drop-in with hyphens": inDropIn("[Service]\nEnvironment=AUTHENTICATOR-SINGLE-USE=true\n"),
  "a drop-in in small letters": inDropIn(IN_DROP_IN.toLowerCase(), DROP_IN, {
    authenticator_single_use: "true",
  }),
  "a drop-in with %d before systemd 250": inDropIn(
    "[Service]\nEnvironment=AUTHENTICATOR_API_KEYS_FILE=%d/api-keys\n",
  ),
  "a drop-in with a file of variables that is missing": inDropIn(
    "[Service]\nEnvironmentFile=/srv/options.env\n",
  ),
  // Keys.
  "keys that no line uses": { files: { [KEYS]: "web:0123456789abcdef" } },
  "keys that are missing": inFile(KEYS_LINE),
  "keys as a folder": { files: { [OPTIONS]: KEYS_LINE, [KEYS]: "(folder)" } },
  "keys as a dangling link": { files: { [OPTIONS]: KEYS_LINE, [KEYS]: "(dangling link)" } },
};

/** Returns what becomes of a way. */
function outcomeOf(way: Way, root: string): "error" | "in force" | "lost" {
  const { files = {}, modes = [0o600, 0o755], env = {}, args = [], words } = way;
  for (const [path, entry] of Object.entries({ [OPTIONS]: "", ...files })) {
    put(`${root}${path}`, entry);
  }
  const path = `${root}${OPTIONS}`;
  if (files[OPTIONS] !== "(missing)" && files[OPTIONS] !== "(dangling link)") {
    Deno.chmodSync(path, files[OPTIONS] === "(folder)" ? 0o755 : modes[0]);
  }
  Deno.chmodSync(dirname(path), modes[1]);
  const own = OWN in files ? ["--config", `${root}${OWN}`] : [];
  try {
    const command = parseCommand(
      words ?? ["--config", path, ...own, ...args],
      (name) => env[name],
      Object.keys(env),
    );
    if (command.kind !== "serve") throw new Error(`unexpected command: ${command.kind}`);
    const { problems } = checkUnit({
      unit: "authenticator@1.service",
      config: command.config,
      lines: command.files?.lines ?? new Map(),
      env: (name) => env[name],
      root,
    });
    if (problems.length > 0) return "error";
    return command.config.singleUse ? "in force" : "lost";
  } catch (error) {
    if (/^(?:Usage|OptionFile)Error$/.test((error as Error).name)) return "error";
    throw error;
  }
}

function put(path: string, entry: Entry): void {
  Deno.mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  if (entry === "(missing)") return;
  if (entry === "(folder)") Deno.mkdirSync(path);
  else if (entry === "(dangling link)") Deno.symlinkSync("/nonexistent/file", path);
  else if (typeof entry === "string") Deno.writeTextFileSync(path, entry, { mode: 0o600 });
  else Deno.writeFileSync(path, entry, { mode: 0o600 });
}

async function outcomes(ways: Readonly<Record<string, Way>>): Promise<Record<string, string>> {
  const entries = Object.entries(ways).map(async ([name, way]) => {
    let outcome = "";
    await withFolder((root) => Promise.resolve(void (outcome = outcomeOf(way, root))));
    return [name, outcome] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

Deno.test({
  name: "a protection that is written in a wrong way is an error, and never lost",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    for (const [ways, expected] of [[IN_FORCE, "in force"], [ERRORS, "error"]] as const) {
      const names = Object.keys(ways);
      assertEquals(await outcomes(ways), Object.fromEntries(names.map((name) => [name, expected])));
    }
  },
});

Deno.test({
  name: "nothing that is written is no protection, and no error",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    assertEquals(await outcomes({ none: {}, comment: inFile(`# ${LINE}\n`) }), {
      none: "lost",
      comment: "lost",
    });
  },
});
