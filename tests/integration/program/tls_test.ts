/**
 * The program over TLS, and how it takes another certificate.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import { MAX_DRAIN_MS } from "../../../lib/server/listen/drain.ts";
import { stop } from "../../support/two_servers.ts";
import { eventually, inTime } from "../../support/eventually.ts";
import { type RunningProgram, runProgram, startProgram } from "../../support/program.ts";

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

/** Files that the program is told of, and how they are written over. */
interface Place {
  readonly args: readonly string[];
  readonly put: (files: Files) => void;
}

async function withFiles(act: (place: Place) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  const put = ({ cert, key }: Files): void => {
    Deno.writeTextFileSync(`${folder}/cert.pem`, cert);
    Deno.writeTextFileSync(`${folder}/key.pem`, key);
  };
  try {
    const args = ["--tls-cert", `${folder}/cert.pem`, "--tls-key", `${folder}/key.pem`];
    await act({ args: ["--port", "0", ...args], put });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function connectTo(program: RunningProgram): Promise<TLSSocket> {
  const { hostname, port } = new URL(program.url);
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
  await once(socket, "secureConnect");
  return socket;
}

// As a pool of connections that looks at one only when it has a request: it takes no goodbye.
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

async function readiness(program: RunningProgram): Promise<string> {
  const socket = await connectTo(program);
  socket.write("GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  const reply = await nextData(socket);
  socket.destroy();
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

/** Runs something with a program that shows the first certificate, in the time that it has to end. */
async function withProgram(
  act: (program: RunningProgram, put: Place["put"]) => Promise<void>,
): Promise<void> {
  await inTime(MAX_DRAIN_MS, () =>
    withFiles(async ({ args, put }) => {
      put(FIRST);
      const program = await startProgram(args);
      try {
        await act(program, put);
      } finally {
        await stop(program);
      }
    }));
}

// The server before goes on accepting for a while, and refuses who connects while it stops.
async function isShown(program: RunningProgram, name: string, times = 1): Promise<void> {
  let inARow = 0;
  await eventually(async () => {
    inARow = await nameShown(program).catch(() => "") === name ? inARow + 1 : 0;
    return inARow === times;
  }, `${name} is shown`);
}

Deno.test("the program serves over TLS", async () => {
  await withFiles(async ({ args, put }) => {
    put(FIRST);
    const program = await startProgram(args);
    assert(/^https:\/\/127\.0\.0\.1:\d+$/.test(program.url), program.url);
    assertEquals(await nameShown(program), "first");
    const { port } = new URL(program.url);
    const second = await runProgram(args.with(1, port));
    assertEquals([second.code, second.stdout], [1, ""]);
    assert(
      second.stderr.endsWith(
        "it is in use by another program (stop it, or choose another)\n",
      ),
      second.stderr,
    );
    program.signal("SIGTERM");
    assertEquals((await program.outcome).code, 0);
  });
});

Deno.test("the program ends although callers keep connections without a request", async () => {
  await withFiles(async ({ args, put }) => {
    put(FIRST);
    const program = await startProgram(args);
    const idle = await idleCaller(program);
    const silent = (await connectTo(program)).pause();
    program.signal("SIGTERM");
    const { code, stderr } = await program.outcome;
    for (const socket of [idle, silent]) socket.destroy();
    assertEquals(code, 0);
    assert(stderr.endsWith(" info stopped\n"), stderr);
  });
});

Deno.test("another certificate closes the connections that carry no request", async () => {
  await withProgram(async (program, put) => {
    const silent = await connectTo(program);
    const slow = await connectTo(program);
    slow.write("GET /readyz HT");
    for (const socket of [silent, slow]) socket.resume();
    put(SECOND);
    program.signal("SIGHUP");
    await eventually(() => silent.destroyed && slow.destroyed, "both are closed", 60_000);
  });
});

Deno.test("however often SIGHUP comes, the log has lines of the log alone", async () => {
  await withProgram(async (program, put) => {
    const counts = Array.from({ length: 12 }, (_, i) => i + 1);
    for (const count of counts) {
      put(count % 2 === 0 ? FIRST : SECOND);
      program.signal("SIGHUP");
      await eventually(() =>
        program.stderr().split("the certificate was read again").length > count
      );
    }
    program.signal("SIGTERM");
    const { code, stderr } = await program.outcome;
    const others = stderr.trimEnd().split("\n")
      .filter((line) => !/^20\S+Z (?:info|warn) /.test(line));
    assertEquals([code, others], [0, []]);
  });
});

Deno.test("SIGHUP shows another certificate, and a request under way is finished", async () => {
  await withProgram(async (program, put) => {
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
    program.signal("SIGTERM");
    assertEquals((await program.outcome).code, 0);
  });
});

Deno.test("SIGHUP serves another certificate beside a caller that sends nothing", async () => {
  await withFiles(async ({ args, put }) => {
    put(FIRST);
    const program = await startProgram(args);
    const { hostname, port } = new URL(program.url);
    const silent = await Deno.connect({ hostname, port: Number(port) });
    // Connections are accepted in their order.
    assertEquals(await nameShown(program), "first");
    for (const [files, name] of [[SECOND, "second"], [FIRST, "first"]] as const) {
      put(files);
      program.signal("SIGHUP");
      await isShown(program, name, 50);
    }
    silent.close();
    program.signal("SIGTERM");
    assertEquals((await program.outcome).code, 0);
  });
});

Deno.test("SIGHUP does not open a server again that is ending", async () => {
  await withProgram(async (program, put) => {
    // A request that is not all there keeps it from ending until it was seen to.
    const late = await connectTo(program);
    late.write(
      "POST /api.asmx/ValidatePin HTTP/1.1\r\nHost: localhost\r\nContent-Length: 18\r\n" +
        "Content-Type: application/x-www-form-urlencoded\r\n\r\n",
    );
    assert((await readiness(program)).startsWith("HTTP/1.1 200"));
    program.signal("SIGTERM");
    while (!(await readiness(program)).startsWith("HTTP/1.1 503"));
    put(SECOND);
    program.signal("SIGHUP");
    late.write("pin=1&secretCode=x");
    assert((await nextData(late)).startsWith("HTTP/1.1 200"));
    late.destroy();
    const { code, stderr } = await program.outcome;
    assertEquals(code, 0);
    assert(!stderr.includes("certificate"), stderr);
  });
});

Deno.test("a key that the runtime cannot use is reported, at the start and by SIGHUP", async () => {
  const said =
    "the certificate of --tls-cert cannot be used with the key of --tls-key: it must be " +
    "of X.509 version 3, and the key of RSA with 2048 bits or more, P-256, P-384, P-521 or Ed25519";
  await withFiles(async ({ args, put }) => {
    put(UNUSABLE);
    const checked = await runProgram(["check", ...args]);
    const served = await runProgram(args);
    // In the last line; before it, who else may read the key.
    const ended = [checked, served].map((
      { code, stderr },
    ) => [code, stderr.split("\n").at(-2)!.replace(/^\S+Z /, "")]);
    assertEquals(ended, [
      [2, `authenticator: error: the server cannot start: ${said}.`],
      [2, `error ${said}`],
    ]);
    put(FIRST);
    const program = await startProgram(args);
    put(UNUSABLE);
    program.signal("SIGHUP");
    await program.logged(
      ` warn the old certificate, which is valid until 2126-10-27, is kept: ${said}\n`,
    );
    assertEquals(await nameShown(program), "first");
    program.signal("SIGTERM");
    assertEquals((await program.outcome).code, 0);
  });
});

Deno.test("the program serves over TLS although it may open no connection", async () => {
  await withFiles(async ({ args, put }) => {
    put(FIRST);
    const program = await startProgram(args, { env: { DENO_CERT: "/nowhere/at/all" } });
    assertEquals(await nameShown(program), "first");
    program.signal("SIGTERM");
    assertEquals((await program.outcome).code, 0);
  });
});
