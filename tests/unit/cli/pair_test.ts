import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import saxes from "saxes";
import { OPERATIONS } from "../../../lib/operations/operations.ts";
import { decode, readPng, readSvg, readTerminal } from "../../support/pictures.ts";
import type { Outcome } from "../../support/program.ts";
import { callCommand, configOf, runCommand, type Surroundings } from "../../support/command.ts";
import { withFolder } from "../../support/folder.ts";

const NAMES = ["--app-name", "Example: Corp", "--app-info", "jané@example.com"];
const SECRET = "correct horse battery";

function pair(args: readonly string[], surroundings: Surroundings = {}): Promise<Outcome> {
  return runCommand(["pair", ...NAMES, ...args], surroundings);
}

/** The reply of the server to the same: the setup code, and the Key URI out of the Html. */
async function served(
  secretCode: string,
  args: readonly string[] = [],
): Promise<{ readonly code: string; readonly uri: string; readonly svg: string }> {
  const config = configOf(args);
  const [, appName, , appInfo] = NAMES as [string, string, string, string];
  const parameters = new Map(Object.entries({ appName, appInfo, secretCode }));
  const { result } = await OPERATIONS.get("Pair")!.invoke(parameters, {
    ...config,
    secretEncoding: config.secretEncoding,
    html: "svg",
    now: () => 0,
    base: () => "",
  });
  const { ManualSetupCode: code, Html: html } = result as Record<string, string>;
  assert(code !== undefined && html !== undefined);
  const [, uri, svg] = /href='([^']+)'[^>]*>(.*)<\/a>$/.exec(html.replaceAll('"', "'")) ?? [];
  assert(uri !== undefined && svg !== undefined);
  return { code, uri: uri.replaceAll("&amp;", "&"), svg };
}

interface Printed {
  readonly facts: ReadonlyMap<string, string>;
  readonly picture: string;
}

function read({ code, stdout }: Outcome): Printed {
  assertEquals(code, 0);
  const [facts, picture] = stdout.split("\n\n") as [string, string];
  const pairs = facts.split("\n").map((line) => /^([A-Z][A-Za-z ]+): +(.*)$/.exec(line) ?? []);
  return { facts: new Map(pairs.map(([, name = "", value = ""]) => [name, value])), picture };
}

const OPTIONS: readonly (readonly string[])[] = [
  [],
  ["--algorithm", "SHA256", "--digits", "8", "--period", "60"],
  // The form of the Html is nothing to a terminal.
  ["--html", "image"],
];

for (const options of OPTIONS) {
  Deno.test(`pair ${options.join(" ")} prints what the server returns`, async () => {
    const { code, uri } = await served(SECRET, options);
    const { facts, picture } = read(await pair(options, { stdin: `${SECRET}\n` }));
    assertEquals(facts.get("Setup key"), code.replace(/.{4}(?=.)/g, "$& "));
    assertEquals(facts.get("Issuer"), "Example Corp");
    assertEquals(facts.get("Account"), "jané@example.com");
    assertEquals(facts.get("Key URI"), uri);
    assertEquals(decode(readTerminal(picture.trimEnd()), 3), uri);
  });
}

Deno.test("pair prints the setup code and names, line by line, and warns of settings that many apps ignore", async () => {
  const options = ["--algorithm", "SHA256", "--digits", "8", "--period", "60"];
  const { stdout, stderr } = await pair(options, { stdin: SECRET });
  assertEquals(stdout.split("\n\n")[0]!.split("\n"), [
    "Setup key:   MNXX E4TF MN2C A2DP OJZW KIDC MF2H IZLS PE",
    "Issuer:      Example Corp",
    "Account:     jané@example.com",
    "Codes:       time-based, 8 digits, every 60 seconds, SHA256",
    "Key URI:     otpauth://totp/Example%20Corp:jan%C3%A9%40example.com" +
    "?secret=MNXXE4TFMN2CA2DPOJZWKIDCMF2HIZLSPE&issuer=Example%20Corp" +
    "&algorithm=SHA256&digits=8&period=60",
  ]);
  assertEquals(
    stderr,
    "authenticator: warning: many apps ignore --algorithm, --digits, --period and then show other " +
      "codes; try one before you pair many.\n",
  );
});

Deno.test("pair colours the picture when it may, and never against NO_COLOR", async () => {
  const { uri } = await served(SECRET);
  const coloured = read(await pair([], { stdin: SECRET, env: { NO_COLOR: "", FORCE_COLOR: "1" } }));
  assert(coloured.picture.startsWith("\x1b[38;5;16;48;5;231m"));
  assertEquals(decode(readTerminal(coloured.picture.trimEnd()), 3), uri);
  for (const env of [{ NO_COLOR: "1", FORCE_COLOR: "1" }, { NO_COLOR: "" }]) {
    assert(!(await pair([], { stdin: SECRET, env })).stdout.includes("\x1b"));
  }
});

Deno.test("pair draws the QR code in a wide terminal, with colours unless it is dumb", async () => {
  const { uri } = await served(SECRET);
  const draw = (columns: number, env: Record<string, string>): Promise<Outcome> =>
    callCommand(["pair", ...NAMES], { stdin: SECRET, columns, env: { NO_COLOR: "", ...env } });
  const plain = read(await draw(200, { TERM: "dumb" })).picture.trimEnd();
  assertEquals(decode(readTerminal(plain), 3), uri);
  const needed = Math.max(...plain.split("\n").map((line) => [...line].length));
  const coloured = read(await draw(needed, { TERM: "xterm" })).picture;
  assert(coloured.startsWith("\x1b[38;5;16;48;5;231m"), coloured);
  assertEquals(
    read(await draw(needed - 1, {})).picture,
    `(The QR code takes ${needed} columns; this terminal has ${needed - 1}. Make it wider,\n` +
      " or use --svg or --png.)\n",
  );
  // Some terminals do not know how wide they are.
  assertEquals(read(await draw(0, { TERM: "dumb" })).picture.trimEnd(), plain);
});

Deno.test("pair writes pictures that only the user can read", async () => {
  await withFolder(async (folder) => {
    const [svg, png] = [`${folder}/a.svg`, `${folder}/a.png`];
    const outcome = await pair(["--svg", svg, "--png", png], { stdin: SECRET });
    const { uri, svg: expected } = await served(SECRET);
    assertEquals([outcome.code, outcome.stderr], [0, ""]);
    const picture = readPng(await Deno.readFile(png));
    assertEquals(decode(picture), uri);
    // A module is so many pixels wide, the four of the quiet zone on each side too.
    assertEquals(picture.width, 8 * readSvg(expected).width);
    const text = await Deno.readTextFile(svg);
    assertEquals(text.replaceAll('"', "'"), `${expected}\n`);
    const parser = new saxes.SaxesParser({});
    parser.on("error", (error) => {
      throw error;
    });
    parser.write(text).close();
    if (Deno.build.os === "windows") return;
    for (const file of [svg, png]) assertEquals((await Deno.stat(file)).mode! & 0o777, 0o600);
  });
});

Deno.test("pair overwrites nothing, and shows no new secret that it could not draw", async () => {
  await withFolder(async (folder) => {
    const file = `${folder}/a.png`;
    await Deno.writeTextFile(file, "kept");
    assertEquals(await pair(["--new-secret", "--png", file]), {
      code: 1,
      stdout: "",
      stderr: `authenticator: error: cannot write ${file}: the file exists, and is never ` +
        "overwritten.\n",
    });
    assertEquals(await Deno.readTextFile(file), "kept");
  });
});

for (const encoding of ["text", "base32"] as const) {
  Deno.test(`pair --new-secret makes a secret for --secret-encoding ${encoding}`, async () => {
    const options = ["--secret-encoding", encoding];
    const outcome = await pair(["--new-secret", ...options]);
    const { facts } = read(outcome);
    const { uri } = await served(facts.get("Secret code")!, options);
    assertEquals([facts.get("Key URI"), outcome.stderr], [uri, ""]);
    const [first, second, third] = outcome.stdout.split("\n");
    assertEquals(
      [first!.slice(0, 13), second, third!.slice(0, 13)],
      [
        "Secret code: ",
        "             (what the calling application sends; keep it, it is shown only here)",
        "Setup key:   ",
      ],
    );
  });
}

Deno.test("pair prints names unchanged, except control characters", async () => {
  const { stdout } = await runCommand(
    ["pair", "--app-name", "A\u009b31mB", "--app-info", "x\ty"],
    { stdin: SECRET },
  );
  assert(stdout.includes("Issuer:      A 31mB\nAccount:     x y\n"), stdout);
});

// The input, the exit code, and the output.
const FAILURES: readonly (readonly [string[], string | Uint8Array<ArrayBuffer>, number, string])[] =
  [
    [["--app-info", "x"], SECRET, 2, "pair needs --app-name. Try --help."],
    [["--app-name", "x"], SECRET, 2, "pair needs --app-info. Try --help."],
    [
      [...NAMES, "--new-secret", "--secret-file", "x"],
      "",
      2,
      "--new-secret and --secret-file cannot be used together. Try --help.",
    ],
    [NAMES, "", 2, "the secret must not be empty. Try --help."],
    [NAMES, "\n", 2, "the secret must not be empty. Try --help."],
    [NAMES, "x".repeat(1025), 2, "the secret is longer than 1024 bytes. Try --help."],
    [NAMES, Uint8Array.of(0x66, 0xff), 1, "standard input is not UTF-8 text."],
    [
      [...NAMES, "--secret-encoding", "base32"],
      "hunter2 is my secret!",
      2,
      "the secret is not Base32: character 21 is no letter A to Z and no digit 2 to 7. Try --help.",
    ],
    [
      ["--app-name", "\u{1F511}".repeat(256), "--app-info", "x"],
      "x".repeat(1024),
      2,
      "--app-name, --app-info and the secret are together too long for a QR code. Try --help.",
    ],
    [
      [...NAMES, "--secret-file", "/nowhere/secret"],
      "",
      1,
      "cannot read /nowhere/secret: there is no such file or folder.",
    ],
    [
      [...NAMES, "--svg", "/nowhere/a.svg"],
      SECRET,
      1,
      "cannot write /nowhere/a.svg: there is no such file or folder.",
    ],
  ];

for (const [args, stdin, code, message] of FAILURES) {
  Deno.test(`pair is refused: ${message}`, async () => {
    const stderr = `authenticator: error: ${message}\n`;
    assertEquals(await runCommand(["pair", ...args], { stdin }), { code, stdout: "", stderr });
  });
}

Deno.test("pair warns of a short secret", async () => {
  const short = await pair([], { stdin: "x".repeat(15) });
  assertEquals(
    short.stderr,
    "authenticator: warning: this secret has fewer than 16 bytes: it can be guessed from a few codes, " +
      "and some apps refuse it. Use 20 random characters or more.\n",
  );
  assertEquals((await pair([], { stdin: "x".repeat(16) })).stderr, "");
  assertEquals((await pair([], { stdin: "x".repeat(64) })).stderr, "");
  assertEquals(
    (await pair([], { stdin: "x".repeat(65) })).stderr,
    "authenticator: warning: this secret has more than 64 bytes: hardware tokens and some libraries " +
      "refuse it.\n",
  );
});
