/**
 * The program over TLS, and a new certificate while it runs.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import { MAX_DRAIN_MS } from "../../../lib/server/listen/drain.ts";
import { need, runToEnd } from "../../support/child.ts";
import { eventually, inTime } from "../../support/eventually.ts";
import { read } from "../../support/pages.ts";
import {
  PROGRAM,
  type RunningProgram,
  runProgram,
  type StartOptions,
  withProgram,
} from "../../support/program.ts";
import { withFolder } from "../../support/folder.ts";

// Made once with `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes
// -days 36500`, for tests alone.
const FIRST = certificate("first");
const SECOND = certificate("second");

// The same with secp224r1, a curve that no runtime serves TLS with.
const UNUSABLE = certificate("p224");

interface Files {
  readonly cert: string;
  readonly key: string;
}

function certificate(name: string): Files {
  const read = (kind: string): string =>
    Deno.readTextFileSync(
      new URL(`../../support/certificates/${name}_${kind}.pem`, import.meta.url),
    );
  return { cert: read("cert"), key: read("key") };
}

/** Options that name a certificate and a key, and a function that overwrites the files. */
interface Place {
  readonly args: readonly string[];
  readonly put: (files: Files) => void;
}

async function withFiles(act: (place: Place) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const put = ({ cert, key }: Files): void => {
      Deno.writeTextFileSync(`${folder}/cert.pem`, cert);
      Deno.writeTextFileSync(`${folder}/key.pem`, key);
    };
    const args = ["--tls-cert", `${folder}/cert.pem`, "--tls-key", `${folder}/key.pem`];
    await act({ args: ["--port", "0", ...args], put });
  });
}

/** Runs something with a program that shows the first certificate; gives the log. */
async function withFirst(
  act: (program: RunningProgram, put: Place["put"]) => Promise<void>,
  options: StartOptions = {},
): Promise<string> {
  let log = "";
  await withFiles(async ({ args, put }) => {
    put(FIRST);
    log = (await withProgram(args, (program) => act(program, put), options)).stderr;
  });
  return log;
}

/** The same within the time that the program has to end; tried again on a busy machine. */
async function inDrainTime(
  act: (program: RunningProgram, put: Place["put"]) => Promise<void>,
): Promise<string> {
  return await inTime(MAX_DRAIN_MS, () => withFirst(act));
}

async function connectTo(program: RunningProgram): Promise<TLSSocket> {
  const { hostname, port } = new URL(program.url);
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
  await once(socket, "secureConnect");
  return socket;
}

// As a connection pool, which reads a connection only when it has a request for it.
async function idleCaller(program: RunningProgram): Promise<TLSSocket> {
  const socket = await connectTo(program);
  socket.write("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await nextData(socket);
  return socket.pause();
}

async function nameShown(program: RunningProgram): Promise<string> {
  const socket = await connectTo(program);
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

async function get(program: RunningProgram, path: string): Promise<string> {
  const socket = await connectTo(program);
  const { host } = new URL(program.url);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  let reply = "";
  for await (const chunk of socket) reply += chunk;
  return reply;
}

/** What comes next on a connection; rejects when that ends instead. */
async function nextData(socket: TLSSocket): Promise<string> {
  const ended = once(socket, "close").then(() => {
    throw new Error("The connection ended");
  });
  // It may still end later.
  ended.catch(() => {});
  const [chunk] = await Promise.race([once(socket, "data"), ended]);
  return Buffer.from(chunk).toString();
}

// The old server accepts for a while, and refuses connections while it stops.
async function isShown(program: RunningProgram, name: string, times = 1): Promise<void> {
  let inARow = 0;
  await eventually(async () => {
    inARow = await nameShown(program).catch(() => "") === name ? inARow + 1 : 0;
    return inARow === times;
  }, `${name} is shown`);
}

Deno.test("the program serves over TLS, and reports that its port is taken", async () => {
  await withFiles(async ({ args, put }) => {
    put(FIRST);
    await withProgram(args, async (program) => {
      assert(/^https:\/\/127\.0\.0\.1:\d+$/.test(program.url), program.url);
      assertEquals(await nameShown(program), "first");
      assert((await get(program, "/api.asmx?disco")).includes(`"${program.url}/api.asmx?wsdl"`));
      const { port } = new URL(program.url);
      const { code, stdout, stderr } = await runProgram(args.with(1, port));
      assertEquals([code, stdout], [1, ""]);
      const reason = "it is in use by another program (stop it, or choose another)\n";
      assert(stderr.endsWith(reason), stderr);
    });
  });
});

Deno.test("the program ends although callers keep connections without a request", async () => {
  const sockets: TLSSocket[] = [];
  const log = await withFirst(async (program) => {
    sockets.push(await idleCaller(program), (await connectTo(program)).pause());
  });
  for (const socket of sockets) socket.destroy();
  assert(log.endsWith(" info stopped\n"), log);
});

Deno.test("a new certificate closes the connections that carry no request", async () => {
  await inDrainTime(async (program, put) => {
    const silent = await connectTo(program);
    const slow = await connectTo(program);
    slow.write("GET /readyz HT");
    for (const socket of [silent, slow]) socket.resume();
    put(SECOND);
    program.signal("SIGHUP");
    await eventually(() => silent.destroyed && slow.destroyed, "both are closed", 60_000);
  });
});

Deno.test("twelve signals SIGHUP leave nothing but log lines on standard error", async () => {
  const log = await inDrainTime(async (program, put) => {
    const counts = Array.from({ length: 12 }, (_, i) => i + 1);
    for (const count of counts) {
      put(count % 2 === 0 ? FIRST : SECOND);
      program.signal("SIGHUP");
      await eventually(() =>
        program.stderr().split("the certificate was read again").length > count
      );
    }
  });
  const others = log.trimEnd().split("\n").filter((line) => !/^20\S+Z (?:info|warn) /.test(line));
  assertEquals(others, []);
});

Deno.test("SIGHUP shows a new certificate, and a request under way is finished", async () => {
  await inDrainTime(async (program, put) => {
    const socket = await connectTo(program);
    const body = "pin=1&secretCode=x";
    let received = "";
    socket.on("data", (chunk) => received += Buffer.from(chunk).toString());
    socket.write(
      "POST /api.asmx/ValidatePin HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n" +
        "Content-Type: application/x-www-form-urlencoded\r\n" +
        `Content-Length: ${body.length}\r\n\r\n`,
    );
    while (!received.includes("100 Continue")) await nextData(socket);
    put(SECOND);
    program.signal("SIGHUP");
    await isShown(program, "second");
    socket.write(body);
    while (!received.endsWith("</boolean>")) await nextData(socket);
    socket.destroy();
  });
});

Deno.test("a new certificate is shown after a minute without a signal", async () => {
  await withFirst(async (program, put) => {
    put(SECOND);
    await program.logged("the certificate was read again");
    await isShown(program, "second");
  });
});

Deno.test("SIGHUP shows a new certificate beside a caller that sends nothing", async () => {
  await withFirst(async (program, put) => {
    const { hostname, port } = new URL(program.url);
    using _silent = await Deno.connect({ hostname, port: Number(port) });
    // Connections are accepted in their order.
    assertEquals(await nameShown(program), "first");
    for (const [files, name] of [[SECOND, "second"], [FIRST, "first"]] as const) {
      put(files);
      program.signal("SIGHUP");
      await isShown(program, name, 50);
    }
  });
});

Deno.test("SIGHUP does not reopen a server that is ending", async () => {
  const log = await inDrainTime(async (program, put) => {
    // An incomplete request keeps the server from ending.
    const late = await connectTo(program);
    late.write(
      "POST /api.asmx/ValidatePin HTTP/1.1\r\nHost: localhost\r\nContent-Length: 18\r\n" +
        "Content-Type: application/x-www-form-urlencoded\r\n\r\n",
    );
    assert((await get(program, "/readyz")).startsWith("HTTP/1.1 200"));
    program.signal("SIGTERM");
    while (!(await get(program, "/readyz")).startsWith("HTTP/1.1 503"));
    put(SECOND);
    program.signal("SIGHUP");
    late.write("pin=1&secretCode=x");
    assert((await nextData(late)).startsWith("HTTP/1.1 200"));
    late.destroy();
    await program.outcome;
  });
  assert(!log.includes("certificate"), log);
});

Deno.test("a key that the runtime cannot use is reported, at the start and on SIGHUP", async () => {
  const reason =
    "the certificate of --tls-cert cannot be used with the key of --tls-key: it must be " +
    "of X.509 version 3, and the key of RSA with 2048 bits or more, P-256, P-384, P-521 or Ed25519";
  await withFiles(async ({ args, put }) => {
    put(UNUSABLE);
    const checked = await runProgram(["check", ...args]);
    const served = await runProgram(args);
    // The last line; the one before warns that other users may read the key.
    const ended = [checked, served].map(({ code, stderr }) => [
      code,
      stderr.split("\n").at(-2)!.replace(/^\S+Z /, ""),
    ]);
    assertEquals(ended, [
      [2, `authenticator: error: the server cannot start: ${reason}.`],
      [2, `error ${reason}`],
    ]);
  });
  await withFirst(async (program, put) => {
    put(UNUSABLE);
    program.signal("SIGHUP");
    await program.logged(
      ` warn the old certificate, which is valid until 2126-10-27, is kept: ${reason}\n`,
    );
    assertEquals(await nameShown(program), "first");
  });
});

Deno.test("the program serves over TLS although it may open no connection", async () => {
  await withFirst(async (program) => {
    assertEquals(await nameShown(program), "first");
  }, { env: { DENO_CERT: "/nowhere/at/all" } });
});

const KEYS = { RSA: "rsa:2048", ECDSA: "ec -pkeyopt ec_paramgen_curve:P-256" };

/** Makes a certificate with a key of a kind. */
async function certificateOf(kind: keyof typeof KEYS): Promise<Files> {
  let files: Files | undefined;
  await withFolder(async (cwd) => {
    const made = await runToEnd([
      ..."openssl req -x509 -nodes -subj /CN=localhost -keyout key.pem -out cert.pem".split(" "),
      ...`-newkey ${KEYS[kind]}`.split(" "),
    ], { cwd });
    assertEquals(made.code, 0, made.stderr);
    const [cert, key] = ["cert.pem", "key.pem"].map((name) =>
      Deno.readTextFileSync(`${cwd}/${name}`)
    );
    files = { cert: cert!, key: key! };
  });
  return files!;
}

/** The cipher that a program chooses among those offered; undefined where it accepts none. */
async function chosen(
  program: RunningProgram,
  offer: readonly string[],
): Promise<string | undefined> {
  const { host } = new URL(program.url);
  const { stdout } = await runToEnd(["openssl", "s_client", "-connect", host, ...offer]);
  const [, name] = /\bCipher is (\S+)/.exec(stdout)!;
  return name === "(NONE)" ? undefined : name;
}

/** All ciphers that a program accepts, found by excluding each one that it chose. */
async function acceptedCiphers(program: RunningProgram): Promise<readonly string[]> {
  const accepted: string[] = [];
  const take = async (offer: () => readonly string[]): Promise<void> => {
    for (let name = await chosen(program, offer()); name !== undefined;) {
      accepted.push(name);
      name = await chosen(program, offer());
    }
  };
  const all = ["ALL:COMPLEMENTOFALL:@SECLEVEL=0"];
  await take(
    () => ["-tls1_2", "-cipher", [...all, ...accepted.map((name) => `!${name}`)].join(":")],
  );
  for (const suite of TLS_1_3) {
    const name = await chosen(program, ["-tls1_3", "-ciphersuites", suite]);
    if (name !== undefined) accepted.push(name);
  }
  return accepted.toSorted();
}

// RFC 8446 §B.4.
const TLS_1_3 = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "TLS_AES_128_CCM_SHA256",
  "TLS_AES_128_CCM_8_SHA256",
];

/** The ciphers that docs/runtimes.md lists for what runs here, with a key of a kind. */
function listedCiphers(kind: keyof typeof KEYS): readonly string[] {
  const table = read("docs/runtimes.md").split(/<!-- \/?ciphers -->/)[1]!;
  const column = PROGRAM === "deno" ? 2 : 3;
  return table.split("\n").map((line) => line.split("|").map((cell) => cell.trim()))
    .filter((cells) => cells[column] === "yes")
    .map((cells) => cells[1]!.replaceAll("`", "").replace("RSA", kind)).toSorted();
}

for (const kind of ["RSA", "ECDSA"] as const) {
  Deno.test(`docs/runtimes.md lists every cipher for an ${kind} certificate, each with forward secrecy`, async () => {
    await need(["openssl", "version"]);
    const files = await certificateOf(kind);
    await withFiles(async ({ args, put }) => {
      put(files);
      await withProgram(args, async (program) => {
        const accepted = await acceptedCiphers(program);
        assertEquals(accepted, listedCiphers(kind));
        assertEquals(accepted.filter((name) => !/^(?:ECDHE-|TLS_)/.test(name)), []);
        for (const version of ["-tls1", "-tls1_1"]) {
          const offer = [version, "-cipher", "ALL:@SECLEVEL=0"];
          assertEquals(await chosen(program, offer), undefined, version);
        }
      });
    });
  });
}
