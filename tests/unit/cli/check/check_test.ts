import { generateKeyPairSync } from "node:crypto";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { parseCommand } from "../../../../lib/cli/args/parse.ts";
import { check as showOptions } from "../../../../lib/cli/check/check.ts";
import { flagOf, namesOf } from "../../../../lib/config/option.ts";
import { OPTIONS } from "../../../../lib/config/options.ts";
import project from "../../../../deno.json" with { type: "json" };
import { CERTIFICATE, PRIVATE_KEY } from "../../../support/certificates.ts";
import { freePort } from "../../../support/free_port.ts";
import { runToEnd } from "../../../support/child.ts";
import { type Outcome, programWords, startProgram } from "../../../support/program.ts";
import { certificateRisks } from "../../../../lib/cli/check/warnings.ts";
import { callCommand, configOf, runCommand, type Surroundings } from "../../../support/command.ts";
import { withFolder } from "../../../support/folder.ts";
import { startRaw } from "../../../support/raw_server.ts";
import { SEAL_KEY_LINES } from "../../../support/seal_keys.ts";

function check(args: readonly string[], surroundings: Surroundings = {}): Promise<Outcome> {
  const env = { ...FREE_PORT, ...surroundings.env };
  return runCommand(["check", ...args], { ...surroundings, env });
}

/** The rows of the table: option, value, where it is from. */
function rowsOf({ stdout }: Outcome): readonly string[][] {
  const [head, ...rows] = stdout.trimEnd().split("\n").map((line) => line.split(/ {2,}/));
  assertEquals(head, ["OPTION", "VALUE", "FROM"]);
  return rows;
}

// The default port may be in use by another program.
const FREE_PORT = { AUTHENTICATOR_PORT: "0" };

Deno.test("check shows every option with its default, and warns of nothing", async () => {
  const outcome = await check([]);
  assertEquals([outcome.code, outcome.stderr], [0, ""]);
  assertEquals(
    rowsOf(outcome),
    namesOf(OPTIONS).map((name) =>
      name === "port"
        ? ["--port", "0", "environment"]
        : [flagOf(name), OPTIONS[name].defaultText || "-", "default"]
    ),
  );
});

Deno.test("check prints the origin of a value", async () => {
  const env = { AUTHENTICATOR_PORT: "1", AUTHENTICATOR_DIGITS: "7", AUTHENTICATOR_METRICS: "1" };
  const unset = { AUTHENTICATOR_HOST: "" };
  const outcome = await check(["--port", "0", "--socket-mode", "600"], {
    env: { ...env, ...unset },
  });
  const rows = new Map(rowsOf(outcome).map(([option, ...rest]) => [option, rest]));
  assertEquals(rows.get("--port"), ["0", "flag"]);
  assertEquals(rows.get("--socket-mode"), ["0600", "flag"]);
  assertEquals(rows.get("--digits"), ["7", "environment"]);
  assertEquals(rows.get("--metrics"), ["true", "environment"]);
  assertEquals(rows.get("--host"), ["127.0.0.1", "default"]);
});

Deno.test("check reads the file of --config, and ends with 2 at a wrong line", () =>
  withFolder(async (folder) => {
    const path = `${folder}/options`;
    await Deno.writeTextFile(path, "AUTHENTICATOR_DIGITS=7\nAUTHENTICATOR_API_KEYS_FILE=keys\n");
    await Deno.writeTextFile(`${folder}/keys`, `${"k".repeat(9)}${"l".repeat(9)}\n`, {
      mode: 0o600,
    });
    const outcome = await check(["--config", path]);
    assertEquals([outcome.code, outcome.stderr], [0, ""]);
    const rows = new Map(rowsOf(outcome).map(([option, ...rest]) => [option, rest]));
    assertEquals(rows.get("--digits"), ["7", "file"]);
    assertEquals(rows.get("--api-keys-file"), [`${folder}/keys (1 key)`, "file"]);
    await Deno.writeTextFile(path, "AUTHENTICATOR_DIGITS=7\nexport AUTHENTICATOR_GUARD=canary\n");
    for (const command of ["check", "serve", "status", "healthcheck"]) {
      const { code, stdout, stderr } = await callCommand([command, "--config", path]);
      assertEquals([code, stdout], [2, ""]);
      const clause = "line 2 of the file of --config begins with export";
      assert(stderr.includes(clause) && !stderr.includes("canary"), stderr);
    }
  }));

Deno.test("check prints the number of keys, and never the content of a file", async () => {
  await withFolder(async (folder) => {
    const file = (name: string): string => `${folder}/${name}`;
    const keys = ["canary-of-the-first-key", "canary-of-the-second-key"];
    await Deno.writeTextFile(file("keys"), `# canary\n${keys.join("\n")}\n`, { mode: 0o600 });
    await Deno.writeTextFile(file("one"), `${keys[0]}\n`, { mode: 0o644 });
    await Deno.chmod(file("one"), 0o644);
    await Deno.writeTextFile(file("c.pem"), CERTIFICATE);
    await Deno.writeTextFile(file("k.pem"), PRIVATE_KEY, { mode: 0o600 });
    const tls = ["--tls-cert", file("c.pem"), "--tls-key", file("k.pem")];
    const two = await check([...tls, "--api-keys-file", file("keys")]);
    assertEquals([two.code, two.stderr], [0, ""]);
    assert(two.stdout.includes(`${file("keys")} (2 keys)  flag\n`), two.stdout);
    assert(!/canary|BEGIN/.test(two.stdout));
    const named = `billing:${keys[0]}\nweb:${keys[1]}\nbilling:${"k".repeat(16)}\n`;
    await Deno.writeTextFile(file("named"), named, { mode: 0o600 });
    const { stdout } = await check(["--api-keys-file", file("named")]);
    assert(stdout.includes(`${file("named")} (3 keys: billing (2), web)  flag\n`), stdout);
    assert(!stdout.includes("canary"), stdout);
    const one = await check(["--api-keys-file", file("one")]);
    assert(one.stdout.includes(`${file("one")} (1 key)  flag\n`), one.stdout);
    await Deno.writeTextFile(file("seal"), SEAL_KEY_LINES.join("\n"), { mode: 0o600 });
    const seal = await check(["--seal-keys-file", file("seal")]);
    assert(seal.stdout.includes(`${file("seal")} (2 keys: new, old)  flag\n`), seal.stdout);
    await Deno.writeTextFile(file("both"), `web:${SEAL_KEY_LINES[1].slice(4)}`, { mode: 0o600 });
    const both = await check([
      ...["--seal-keys-file", file("seal"), "--api-keys-file", file("both")],
    ]);
    assertEquals(both.code, 2);
    assert(both.stderr.includes("the key old of --seal-keys-file is a key of --api-keys-file too"));
    if (Deno.build.os === "windows") return;
    assertEquals(
      one.stderr,
      "authenticator: warning: everybody on this machine can read the file that --api-keys-file names.\n",
    );
  });
});

Deno.test("check exits with 2 when the server could not start", async () => {
  await withFolder(async (folder) => {
    const file = `${folder}/file`;
    await Deno.writeTextFile(file, "canary-key", { mode: 0o600 });
    const keys = ["--api-keys-file", file, "--guard-key-file", `${folder}/none`];
    const { code, stderr } = await check(keys);
    assertEquals([code, stderr], [
      2,
      "authenticator: warning: --guard-key-file without --guard: it keeps the names of secrets in " +
      "the log, and wrong pins are remembered by this process alone.\n" +
      "authenticator: error: the server cannot start: the file of --api-keys-file cannot be used: " +
      "line 1 must be a key of 16 to 256 printable ASCII characters, no spaces; the file of " +
      "--guard-key-file cannot be read: there is no such file or folder.\n",
    ]);
    assertEquals((await check(["--window", "x"])).code, 2);
  });
});

Deno.test("check refuses the files that serve refuses", async () => {
  await withFolder(async (folder) => {
    const file = async (name: string, content: string): Promise<string> => {
      await Deno.writeTextFile(`${folder}/${name}`, content, { mode: 0o600 });
      return `${folder}/${name}`;
    };
    const cert = await file("c.pem", CERTIFICATE);
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const short = await file("short", "canary");
    const refused = [
      ["--tls-cert", cert, "--tls-key", await file("other.pem", pem)],
      ["--tls-cert", cert, "--tls-key", await file("no.pem", "-----BEGIN canary")],
      ["--tls-cert", `${folder}/none`, "--tls-key", await file("k.pem", PRIVATE_KEY)],
      ["--api-keys-file", short],
      ["--guard-key-file", short, "--max-failures", "0"],
      ["--guard-key-file", await file("blank", `${"k".repeat(31)}`)],
      ["--guard", "rediss://127.0.0.1", "--guard-tls-ca", `${folder}/none`],
    ];
    for (const args of refused) {
      const [checked, served] = await Promise.all([
        check(args),
        runCommand(["serve", "--port", "0", ...args]),
      ]);
      assertEquals([checked.code, served.code], [2, 2], args.join(" "));
      const [, clause] = /^\S+ error (.*)\n$/.exec(served.stderr)!;
      const error = `authenticator: error: the server cannot start: ${clause}.\n`;
      assert(checked.stderr.endsWith(error), `${checked.stderr}${served.stderr}`);
      assert(!/canary/.test(checked.stderr));
    }
  });
});

Deno.test("check warns of risks, and exits with 0", async () => {
  const outcome = await check(["--host", "0.0.0.0", "--window", "3"], {
    env: { OTEL_DENO: "true", OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" },
  });
  assertEquals(outcome.code, 0);
  const warnings = outcome.stderr.split("\n").filter((line) => line !== "");
  assertEquals(warnings.length, 4);
  assertEquals(warnings.filter((line) => !line.startsWith("authenticator: warning: ")), []);
  assert(warnings.at(-1)!.includes("OTEL_DENO is set in the environment"), outcome.stderr);
});

Deno.test("check does without foreign variables that it may not read", async () => {
  const { code, stderr } = await check([], {
    permissions: ["--allow-net=127.0.0.1", "--allow-env=AUTHENTICATOR_*"],
  });
  assertEquals([code, stderr], [0, ""]);
});

Deno.test("check shows no password of a store", async () => {
  const { stdout, stderr } = await check(["--guard", "rediss://pin:canary@127.0.0.1:1/0"]);
  assert(stdout.includes("rediss://127.0.0.1:1/0"), stdout);
  assert(!/canary/.test(stdout + stderr));
  assert(stderr.includes("--guard has a password"), stderr);
});

Deno.test("check does not warn of a password in the environment", async () => {
  const env = { AUTHENTICATOR_GUARD: "rediss://pin:canary@127.0.0.1:1/0" };
  assert(!(await check([], { env })).stderr.includes("password"));
});

Deno.test("the tasks and the executable may read every variable, and so list them", () => {
  const script = Deno.readTextFileSync(new URL("../../../../compile.sh", import.meta.url));
  const { cli, start } = project.tasks;
  assertEquals(cli.command, start.command);
  for (const text of [start.command, script]) assert(/--allow-env\s/.test(text), text);
});

function notWell({ code, stderr }: Outcome): string {
  assertEquals(code, 1, stderr);
  return stderr.split("\n").at(-2)!.replace("authenticator: error: ", "");
}

Deno.test("check reports a store that cannot be reached", async () => {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/key`, "k".repeat(32), { mode: 0o600 });
    const port = freePort();
    const env = { AUTHENTICATOR_GUARD: `redis://127.0.0.1:${port}` };
    assertEquals(
      notWell(await check(["--guard-key-file", `${folder}/key`], { env })),
      `the store of the guard, redis://127.0.0.1:${port}, cannot be reached (ECONNREFUSED).`,
    );
  });
});

Deno.test("certificateRisks() names certificates that end soon, and that have ended", async () => {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/c.pem`, CERTIFICATE);
    const config = configOf(["--tls-cert", `${folder}/c.pem`, "--tls-key", "k.pem"]);
    const at = (time: string): readonly string[] => certificateRisks(config, Date.parse(time));
    const subject = "the certificate of --tls-cert";
    assertEquals(at("2030-01-01T00:00:00Z"), []);
    assertEquals(at("2126-10-27T10:23:29Z"), [`${subject} expired on 2126-10-27.`]);
    assertEquals(at("2126-10-26T10:23:27Z"), [`${subject} expires on 2126-10-27, in 1 day.`]);
    assertEquals(at("2126-10-06T10:23:29Z"), [`${subject} expires on 2126-10-27, in 20 days.`]);
    assertEquals(at("2126-10-06T10:23:28Z"), []);
    assertEquals(at("2026-11-20T10:23:27Z"), [`${subject} is not valid before 2026-11-20.`]);
  });
});

Deno.test("check warns of a certificate that will end, and of one that has ended", async () => {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/c.pem`, CERTIFICATE);
    await Deno.writeTextFile(`${folder}/k.pem`, PRIVATE_KEY, { mode: 0o600 });
    const tls = ["check", "--tls-cert", `${folder}/c.pem`, "--tls-key", `${folder}/k.pem`];
    const { now } = Date;
    const at = async (time: string): Promise<readonly [number, string]> => {
      Date.now = () => Date.parse(time);
      const { code, stderr } = await callCommand([...tls, "--port", "0"]);
      return [code, stderr];
    };
    try {
      const ends = "the certificate of --tls-cert";
      assertEquals(await at("2126-10-26T10:23:27Z"), [
        0,
        `authenticator: warning: ${ends} expires on 2126-10-27, in 1 day.\n`,
      ]);
      assertEquals(await at("2126-10-27T10:23:29Z"), [
        0,
        `authenticator: warning: ${ends} expired on 2126-10-27.\n`,
      ]);
    } finally {
      Date.now = now;
    }
  });
});

Deno.test("check writes its table in columns", async () => {
  const tables: string[] = [];
  const command = parseCommand(["check", "--port", "0"], () => undefined);
  assert(command.kind === "check");
  assertEquals(
    await showOptions({ ...command, sources: new Map() }, (text) => void tables.push(text)),
    0,
  );
  const lines = tables.join("\n").split("\n");
  const starts = lines.map((line) =>
    [...line.matchAll(/ {2,}(?=\S)/g)].map((gap) => gap.index + gap[0].length)
  );
  assertEquals(new Set(starts.map(String)).size, 1, lines.join("\n"));
  assertEquals(lines[0]!.split(/ +/), ["OPTION", "VALUE", "FROM"]);
  assertEquals(new Set(lines.map((line) => line.split(/ +/)[2])), new Set(["FROM", "default"]));
});

Deno.test("check fails where the address cannot be used, unless a server of ours has it", async () => {
  await using other = startRaw((write) => write("220 mail.example ESMTP\r\n"));
  const port = ["--port", String(other.port)];
  const taken = await check(port);
  assertEquals([taken.code, taken.stderr], [
    2,
    `authenticator: error: the server cannot start: cannot listen on 127.0.0.1, port ${other.port}: it is in use by ` +
    "another program (stop it, or choose another).\n",
  ]);
  const foreign = await check(["--host", "192.0.2.1"]);
  assert(foreign.stderr.includes("this machine does not have this address"), foreign.stderr);
  const elsewhere = await check(["--metrics-port", String(other.port)]);
  assertEquals([elsewhere.code, elsewhere.stderr], [2, taken.stderr]);
  const program = await startProgram(["--port", "0"]);
  try {
    const ours = await check(["--port", new URL(program.url).port]);
    assertEquals([ours.code, ours.stderr], [
      0,
      "authenticator: warning: a server of Authenticator answers at 127.0.0.1, port " +
      `${new URL(program.url).port} already.\n`,
    ]);
  } finally {
    program.signal("SIGTERM");
    await program.outcome;
  }
});

Deno.test("check reads a pipe once", async () => {
  await withFolder(async (folder) => {
    const pipe = `${folder}/keys`;
    assertEquals((await runToEnd(["mkfifo", "-m", "600", pipe])).code, 0);
    const writing = runToEnd(["sh", "-c", `echo 1st:${"k".repeat(32)} >'${pipe}'`]);
    const words = [...programWords(), "check", "--port", "0", "--api-keys-file", pipe];
    const { code, stdout, stderr } = await runToEnd(words);
    assertEquals([code, stdout.includes("(1 key)")], [0, true], stderr);
    assert(stderr.includes("line 1 of the file of --api-keys-file has a colon"), stderr);
    await writing;
  });
});
