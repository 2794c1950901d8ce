/**
 * Executables for the machines of users, driven from outside: commands, the golden exchanges of the
 * contract, TLS, API keys, files as Windows writes them, Ctrl-C; on Windows the batch file of
 * `deploy/windows/install.ps1`, on Linux an old processor.
 *
 * @module
 */

import { readFileSync } from "node:fs";
import { once } from "node:events";
import https from "node:https";
import { connect, type TLSSocket } from "node:tls";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import jsQR from "jsqr";
import { PNG } from "pngjs";
import { CERTIFICATE, PRIVATE_KEY } from "../../support/certificates.ts";
import { withFolder } from "../../support/folder.ts";
import { type Ended, limitLife, need, runToEnd } from "../../support/child.ts";
import { eventually } from "../../support/eventually.ts";
import { readExchangeFiles } from "../../support/exchanges.ts";
import { freePort } from "../../support/free_port.ts";
import { read } from "../../support/pages.ts";
import { sleep } from "../../../lib/server/runtime/timeout.ts";
import { startProgram } from "../../support/program.ts";
import { referenceHotp } from "../../support/reference_totp.ts";
import { replay } from "../../support/replay.ts";
import { SEAL_KEY_LINES } from "../../support/seal_keys.ts";
import { programServer } from "../../support/servers.ts";
import { compileFor, type Machine, MACHINES, type Words } from "./machines.ts";

const EXCHANGES = readExchangeFiles(new URL("../../exchanges/", import.meta.url));

/** Exchange files that show each binding. */
const FILES = ["contract.md", "soap11.md", "json.md"];

const SECRET = "correct horse battery staple";

/** Executable on a machine, in a folder whose name has spaces. */
interface Setup extends Words {
  readonly machine: Machine;
  readonly folder: string;
  readonly run: (args: readonly string[]) => Promise<Ended>;
}

/** A pin and a secret on standard input; on Windows by a pipe of cmd, since Wine refuses one of Unix. */
async function checkPipe({ command, env, folder, machine }: Setup): Promise<void> {
  await Deno.writeTextFile(`${folder}/input.txt`, `12345\r\n${SECRET}\r\n`);
  const pipe = machine.target.startsWith("win32")
    ? ["wine", "cmd", "/d", "/c", `type input.txt | ${command.at(-1)!.replace(/^.*\//, "")} doctor`]
    : ["sh", "-c", 'cat input.txt | "$@" doctor', "sh", ...command];
  const { code, stdout, stderr } = await runToEnd(pipe, { cwd: folder, env });
  assertEquals([code, stdout.startsWith("The pin is wrong")], [1, true], stdout + stderr);
}

/** A table that is sealed, and a secret that is opened again by a pipe, with line ends of Windows. */
async function checkSealing({ command, env, folder, machine }: Setup): Promise<void> {
  await Deno.writeTextFile(`${folder}/seal.txt`, `${SEAL_KEY_LINES.join("\r\n")}\r\n`);
  await Deno.writeTextFile(`${folder}/table.txt`, `1,${SECRET}\r\n2,plain\r\nend\r\n`);
  await Deno.writeTextFile(`${folder}/one.txt`, `${SECRET}\r\n`);
  const isWindows = machine.target.startsWith("win32");
  const program = isWindows ? command.at(-1)!.replace(/^.*\//, "") : '"$@"';
  const [seal, unseal] = ["seal", "unseal"].map((name) =>
    `${program} ${name} --seal-keys-file seal.txt`
  );
  const words = (file: string, pipe: string): readonly string[] =>
    isWindows
      ? ["wine", "cmd", "/d", "/c", `type ${file} | ${pipe}`]
      : ["sh", "-c", `cat ${file} | ${pipe}`, "sh", ...command];
  const sealed = await runToEnd(words("table.txt", `${seal} --csv`), { cwd: folder, env });
  assert(
    /^"eyJ\S+\.\.\S+","1","\w{64}"\n"eyJ\S+\.\.\S+","2","\w{64}"\n"","","end"\n$/.test(
      sealed.stdout,
    ),
    sealed.stdout + sealed.stderr,
  );
  const opened = await runToEnd(words("one.txt", `${seal} | ${unseal}`), { cwd: folder, env });
  assertEquals([opened.code, opened.stdout], [0, `${SECRET}\n`], opened.stderr);
}

async function checkCommands(setup: Setup): Promise<void> {
  const { run, folder, machine } = setup;
  assert((await run(["version"])).stdout.includes(`, ${machine.target})`));
  const wrong = await run(["--port", "x"]);
  assertEquals([wrong.code, wrong.stderr.includes("--port must be a whole number")], [2, true]);
  assertEquals((await run(["check"])).code, 0);
  // As an editor on Windows saves it.
  await Deno.writeTextFile(`${folder}/secret.txt`, `\uFEFF${SECRET}\r\n`);
  const now = Math.floor(Date.now() / 30_000);
  const { stdout: code } = await run(["code", "--secret-file", "secret.txt"]);
  const expected = [now, now + 1].map((step) => referenceHotp(SECRET, step));
  assert(expected.some((right) => code.includes(right)), code);
  const names = ["--app-name", "Example Corp", "--app-info", "jane"];
  const picture = ["--secret-file", "secret.txt", "--png", "a code.png"];
  const paired = await run(["pair", ...names, ...picture]);
  assertEquals(paired.code, 0, paired.stderr);
  const { data, width, height } = PNG.sync.read(
    readFileSync(`${folder}/a code.png`),
  );
  const read = jsQR.default(new Uint8ClampedArray(data), width, height)?.data;
  assert(read?.startsWith("otpauth://totp/Example%20Corp:jane?secret="), read);
  await Deno.writeFile(`${folder}/keys.txt`, Uint8Array.of(0xFF, 0xFE, 0x61, 0x00));
  const utf16 = await run(["check", "--api-keys-file", "keys.txt"]);
  assert(utf16.stderr.includes("--api-keys-file is UTF-16"), utf16.stderr);
  await checkPipe(setup);
  await checkSealing(setup);
  if (!machine.target.startsWith("win32")) return;
  for (const args of [["--socket", "a.sock"], ["--share-port"]]) {
    const { code, stderr } = await run(args);
    assertEquals([code, stderr.includes(`${args[0]} needs a Unix system`)], [2, true], stderr);
  }
}

async function checkServer({ command, env, folder }: Setup): Promise<void> {
  const key = "k".repeat(32);
  await Deno.writeTextFile(`${folder}/keys.txt`, `shop:${key}\r\n`);
  await Deno.writeTextFile(`${folder}/cert.pem`, CERTIFICATE.replaceAll("\n", "\r\n"));
  await Deno.writeTextFile(`${folder}/key.pem`, PRIVATE_KEY.replaceAll("\n", "\r\n"), {
    mode: 0o600,
  });
  const surroundings = { command, env, shell: `cd '${folder}'` };
  const tls = ["--tls-cert", "cert.pem", "--tls-key", "key.pem"];
  const args = ["--port", "0", "--api-keys-file", "keys.txt", "--log-format", "json"];
  const program = await startProgram([...args, ...tls], surroundings);
  try {
    const ask = (headers: Record<string, string>): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const url = `${program.url}/api.asmx/ValidatePin?pin=1&secretCode=x`;
        // The certificate is its own authority, which no client trusts.
        const options = { headers, rejectUnauthorized: false, agent: false };
        https.get(url, options, (reply) => {
          reply.resume();
          resolve(reply.statusCode);
        }).on("error", reject);
      });
    assertEquals([await ask({}), await ask({ "X-Api-Key": key })], [401, 200]);
  } finally {
    program.signal("SIGINT");
  }
  const { code, stderr } = await program.outcome;
  assertEquals(code, 0, stderr);
  assert(/"message":"stopped"\}\n$/.test(stderr), stderr);
}

/** A certificate of the tests, whose name it has, and its key. */
function certificate(name: "first" | "second"): Readonly<Record<"cert" | "key", string>> {
  const file = (kind: string): string => read(`tests/support/certificates/${name}_${kind}.pem`);
  return { cert: file("cert"), key: file("key") };
}

function connectTo(port: number): TLSSocket {
  return connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
}

async function nameShown(port: number): Promise<string> {
  const socket = connectTo(port);
  await once(socket, "secureConnect");
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

/** Time in which a server has a request, since the look at the files may come at any time. */
const UNDERWAY_MS = 300;

/**
 * Sends a request whose body comes in two pieces.
 *
 * @returns The certificate's name and the reply; undefined when the server closed before it had the
 * request.
 */
async function slowRequest(port: number): Promise<readonly [string, string] | undefined> {
  const socket = connectTo(port);
  let reply = "";
  const closed = new Promise<"closed">((resolve) => {
    socket.on("error", () => {}).on("close", () => resolve("closed"));
  });
  socket.on("data", (bytes: Uint8Array) => void (reply += new TextDecoder().decode(bytes)));
  const connected = new Promise<"connected">((resolve) => {
    socket.once("secureConnect", () => resolve("connected"));
  });
  if (await Promise.race([connected, closed]) === "closed") return undefined;
  const { subject } = socket.getPeerCertificate();
  const body = "pin=1&secretCode=abcdefghij";
  const head = "POST /api.asmx/ValidatePin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
    `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n`;
  socket.write(head + body.slice(0, 5));
  if (await Promise.race([sleep(UNDERWAY_MS), closed]) === "closed") return undefined;
  await sleep(5 * UNDERWAY_MS);
  socket.write(body.slice(5));
  await closed;
  return [String(subject.CN), reply];
}

/** The files of the certificate are replaced, and requests that are under way are answered. */
async function checkRenewal({ command, env, folder }: Setup): Promise<void> {
  const write = async (name: "first" | "second"): Promise<void> => {
    const { cert, key } = certificate(name);
    await Deno.writeTextFile(`${folder}/renewed_key.pem`, key, { mode: 0o600 });
    await Deno.writeTextFile(`${folder}/renewed.pem`, cert);
  };
  await write("first");
  const surroundings = { command, env, shell: `cd '${folder}'` };
  const tls = ["--tls-cert", "renewed.pem", "--tls-key", "renewed_key.pem"];
  const program = await startProgram(["--port", "0", ...tls], surroundings);
  try {
    const port = Number(new URL(program.url).port);
    assertEquals(await nameShown(port), "first");
    let isRenewed = false;
    const replies: (readonly [string, string])[] = [];
    const call = async (): Promise<void> => {
      while (!isRenewed) {
        const reply = await slowRequest(port);
        if (reply !== undefined) replies.push(reply);
      }
    };
    const callers = [call(), sleep(2 * UNDERWAY_MS).then(call), sleep(4 * UNDERWAY_MS).then(call)];
    await write("second");
    try {
      await program.logged("the certificate was read again: it is valid until ");
    } finally {
      isRenewed = true;
    }
    await Promise.all(callers);
    assertEquals(await nameShown(port), "second");
    assertEquals(replies.filter(([, reply]) => !reply.startsWith("HTTP/1.1 200 OK\r\n")), []);
    // The last replies came after the renewal.
    assert(replies.length >= callers.length && replies.at(-1)![0] !== "", `${replies}`);
    assert(!/Error|stack=/.test(program.stderr()), program.stderr());
  } finally {
    program.signal("SIGINT");
  }
  assertEquals((await program.outcome).code, 0);
}

async function checkExchanges({ command, env }: Setup): Promise<void> {
  for (const { name, args, exchanges } of EXCHANGES) {
    if (!FILES.includes(name)) continue;
    const program = await startProgram(["--port", "0", ...args], { command, env });
    const server = programServer(program, args);
    for (const exchange of exchanges) {
      if (!exchange.wireOnly) await replay(exchange, server);
    }
    program.signal("SIGINT");
    assertEquals((await program.outcome).code, 0);
  }
}

/** A text between `@'` and `'@` of the script that installs on Windows, as PowerShell writes it. */
function hereString(name: string): string {
  const script = read("deploy/windows/install.ps1");
  const [, text] = new RegExp(`\\$${name} = @'\n(.*?)\n'@`, "s").exec(script)!;
  return `${text!.replaceAll("\n", "\r\n")}\r\n`;
}

/** The server as the scheduled task runs it: with its options, a log, and again when it has ended. */
async function checkBatchFile({ command: [wine, program], env, folder }: Setup): Promise<void> {
  const port = freePort();
  const log = `${folder}/log/authenticator.log`;
  await Deno.mkdir(`${folder}/log`);
  await Deno.copyFile(program!, `${folder}/authenticator.exe`);
  await Deno.writeTextFile(`${folder}/run.cmd`, hereString("run"));
  await Deno.writeTextFile(`${folder}/authenticator-as-service.cmd`, hereString("asService"));
  const metricsPort = freePort();
  const options = hereString("options").replace(/# (.*_PORT=)\d+/, `$1${port}`)
    .replace("METRICS_PORT=9101", `METRICS_PORT=${metricsPort}`);
  await Deno.writeTextFile(`${folder}/authenticator.conf`, options);
  // Options of a version before 0.2, with the line that it refuses.
  const old = `set "AUTHENTICATOR_WINDOW=2"\r\n${hereString("marker")}`;
  await Deno.writeTextFile(`${folder}/options.cmd`, old);
  await Deno.writeTextFile(log, "x".repeat(10_000_001));
  await Deno.writeTextFile(`${log}.1`, "older");
  const batch = new Deno.Command(wine!, {
    args: ["cmd", "/d", "/c", "run.cmd"],
    cwd: folder,
    env: { ...env },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  limitLife(batch);
  const end = async (name: string): Promise<number> =>
    (await runToEnd([wine!, "taskkill", "/F", "/IM", name], { env })).code;
  const starts = (count: number): Promise<void> =>
    eventually(() => {
      const text = Deno.readTextFileSync(log);
      return text.split(`started: authenticator`).length === count + 1 &&
        text.split(`--port ${port}`).length === count + 1;
    }, `it starts: ${count}`);
  try {
    await starts(1);
    for (const one of [port, metricsPort]) {
      assertEquals(await fetch(`http://127.0.0.1:${one}/healthz`).then((r) => r.text()), "ok");
    }
    // A command as the service runs, with the port of its metrics.
    const asService = async (command: string): Promise<Ended> =>
      await runToEnd([wine!, "cmd", "/d", "/c", `authenticator-as-service.cmd ${command}`], {
        cwd: folder,
        env: { ...env, NO_COLOR: "1" },
      });
    const checked = await asService("check");
    assertEquals(checked.code, 0, checked.stderr);
    assert(new RegExp(`^--metrics-port +${metricsPort} +file`, "m").test(checked.stdout));
    assert(/^--window +2 +environment/m.test(checked.stdout), checked.stdout);
    assert((await asService("version")).stdout.includes(", win32-x64)"));
    // The check of a new version before an update, as install.ps1 writes it.
    await Deno.mkdir(`${folder}/new`);
    for (const name of ["authenticator.exe", "bcryptprimitives.dll"]) {
      await Deno.symlink(`../${name}`, `${folder}/new/${name}`);
    }
    const check = hereString("asService").replace("%~dp0", "%~dp0..")
      .replace("authenticator.exe", "new\\authenticator.exe");
    await Deno.writeTextFile(`${folder}/new/check.cmd`, check);
    const words = [wine!, "cmd", "/d", "/c", "new\\check.cmd", "check"];
    const checkedNew = await runToEnd(words, { cwd: folder, env: { ...env, NO_COLOR: "1" } });
    assertEquals([checkedNew.code, checkedNew.stdout], [0, checked.stdout], checkedNew.stderr);
    const status = await asService("status");
    assertEquals(
      [status.code, status.stdout.startsWith("server: healthy\n")],
      [0, true],
      status.stdout,
    );
    assertEquals(Deno.statSync(`${log}.1`).size, 10_000_001);
    assertEquals(Deno.readTextFileSync(`${log}.2`), "older");
    assertEquals(await end("authenticator.exe"), 0);
    await starts(2);
  } finally {
    await end("cmd.exe");
    await end("authenticator.exe");
    await batch.status;
  }
}

/** The server as WinSW starts it from its file: with the options, in the folder, ended by Ctrl-C. */
async function checkServiceFile({ command, env, folder }: Setup): Promise<void> {
  const file = read("deploy/windows/authenticator-service.xml");
  const element = (name: string): string => new RegExp(`<${name}>(.*)</${name}>`).exec(file)![1]!;
  assertEquals(element("executable"), "%BASE%\\authenticator.exe");
  assertEquals(element("arguments"), 'serve --config "%BASE%\\authenticator.conf"');
  const metricsPort = String(freePort());
  const keys = "AUTHENTICATOR_API_KEYS_FILE=.\\keys.txt\r\n";
  await Deno.writeTextFile(
    `${folder}/authenticator.conf`,
    `\uFEFFAUTHENTICATOR_PORT=0\r\nAUTHENTICATOR_METRICS_PORT=${metricsPort}\r\n${keys}`,
  );
  await Deno.writeTextFile(`${folder}/keys.txt`, "0123456789abcdef\r\n");
  const program = await startProgram(["serve", "--config", ".\\authenticator.conf"], {
    command,
    env,
    shell: `cd '${folder}'`,
  });
  assertEquals(await fetch(`http://127.0.0.1:${metricsPort}/readyz`).then((r) => r.text()), "ok");
  program.signal("SIGINT");
  const { code, stderr } = await program.outcome;
  assertEquals([code, stderr.includes("info stopped")], [0, true], stderr);
}

/** Processors without AVX run the executable; those without SSE 4.2 stop it. */
async function checkProcessors({ command: [program] }: Setup): Promise<void> {
  const run = (cpu: string): Promise<Ended> =>
    runToEnd(["qemu-x86_64-static", "-cpu", cpu, program!, "version"]);
  assert((await run("Nehalem")).stdout.includes(", linux-x64)"));
  const { signal, code, stderr } = await run("Penryn");
  assert(signal === "SIGILL" || code !== 0, stderr);
}

for (const machine of MACHINES) {
  Deno.test(`the executable for ${machine.target} does what it should`, async (t) => {
    const [packages, ...command] = machine.needs;
    await need(command, packages);
    await withFolder(async (root) => {
      const folder = `${root}/a folder`;
      await Deno.mkdir(folder);
      const words = await machine.run(await compileFor(machine, folder), root);
      const run = (args: readonly string[]): Promise<Ended> =>
        runToEnd([...words.command, ...args], {
          cwd: folder,
          env: { ...words.env, NO_COLOR: "1" },
        });
      const setup = { ...words, machine, folder, run };
      await t.step("commands", () => checkCommands(setup));
      await t.step("server with TLS and keys, ended by Ctrl-C", () => checkServer(setup));
      await t.step("golden exchanges", () => checkExchanges(setup));
      if (machine.target === "win32-x64") {
        await t.step("a renewed certificate is taken", () => checkRenewal(setup));
      }
      if (machine.target === "linux-x64") {
        await t.step("processors of 2008", () => checkProcessors(setup));
      }
      if (machine.target === "win32-x64") {
        await t.step("file of the service", () => checkServiceFile(setup));
        await t.step("batch file of the scheduled task", () => checkBatchFile(setup));
        // Wine's server writes into its folder for a while after the last program.
        await runToEnd(["wineserver", "--wait"], { env: words.env });
      }
    });
  });
}

/** Flags of the code directory in the signature of a Mach-O file; undefined without a signature. */
function signatureFlags(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer);
  const [LC_CODE_SIGNATURE, CODE_DIRECTORY] = [0x1d, 0xfade0c02];
  let at = 32;
  for (let left = view.getUint32(16, true); left > 0; left--) {
    if (view.getUint32(at, true) === LC_CODE_SIGNATURE) {
      const signature = view.getUint32(at + 8, true);
      const directory = signature + view.getUint32(signature + 16);
      return view.getUint32(directory) === CODE_DIRECTORY
        ? view.getUint32(directory + 12)
        : undefined;
    }
    at += view.getUint32(at + 4, true);
  }
  return undefined;
}

Deno.test("the executable for macOS on ARM, which runs no unsigned code, has an ad-hoc signature", async () => {
  await withFolder(async (folder) => {
    const path = await compileFor({ name: "macos-arm64" }, folder);
    const CS_ADHOC = 0x2;
    assertEquals((signatureFlags(await Deno.readFile(path)) ?? 0) & CS_ADHOC, CS_ADHOC);
  });
});
