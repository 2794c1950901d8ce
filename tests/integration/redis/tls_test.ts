import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { SECRET } from "../../support/calls.ts";
import { eventually } from "../../support/eventually.ts";
import { withFolder } from "../../support/folder.ts";
import { freePort } from "../../support/free_port.ts";
import { type ChangePiece, startTcpProxy } from "../../support/tcp_proxy.ts";
import { type RunningProgram, stop } from "../../support/program.ts";
import { seededRandom } from "../../support/random.ts";
import {
  AUTHORITY,
  CLIENT_CERTIFICATE,
  CLIENT_KEY,
  STORE_CERTIFICATE,
  STORE_KEY,
} from "../../support/certificates.ts";
import { withRedis } from "../../support/redis_server.ts";
import { pinOf, wrongPinOf } from "../../support/reference_totp.ts";
import { check, readiness, startServer } from "../../support/two_servers.ts";

const FILES = {
  "ca.pem": AUTHORITY,
  "cert.pem": STORE_CERTIFICATE,
  "key.pem": STORE_KEY,
  "client_cert.pem": CLIENT_CERTIFICATE,
  "client_key.pem": CLIENT_KEY,
};

interface TlsRedis {
  /** Host and port. */
  readonly address: string;
  /** The port with TLS. */
  readonly tlsPort: number;
  /** The port without. */
  readonly plainPort: string;
  /** The path of a file of `FILES`. */
  readonly file: (name: keyof typeof FILES) => string;
}

/** Runs a test with a Redis with TLS and further options. */
async function withTlsRedis(
  more: readonly string[],
  run: (redis: TlsRedis) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const file = (name: keyof typeof FILES): string => `${folder}/${name}`;
    for (const [name, text] of Object.entries(FILES)) {
      Deno.writeTextFileSync(file(name as keyof typeof FILES), text);
    }
    const tlsPort = freePort();
    const args = [
      ...["--tls-port", String(tlsPort), "--tls-ca-cert-file", file("client_cert.pem")],
      ...["--tls-cert-file", file("cert.pem"), "--tls-key-file", file("key.pem"), ...more],
    ];
    await withRedis(args, async ({ url }) => {
      const plainPort = new URL(url).port;
      await run({ address: `127.0.0.1:${tlsPort}`, tlsPort, plainPort, file });
    });
  });
}

const NO_CLIENT_CERTIFICATE = ["--tls-auth-clients", "no"];

/** Starts a server with a store, runs a test, ends the server, and gives its log. */
async function logOf(
  url: string,
  args: readonly string[],
  run: (server: RunningProgram) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const server = await startServer(url, args, env);
  try {
    await run(server);
  } catch (error) {
    const log = server.stderr().split("\n").filter((line) => !line.includes(" info request "));
    throw new Error(`the log of the server:\n${log.join("\n")}`, { cause: error });
  } finally {
    await stop(server);
  }
  const { code, stderr } = await server.outcome;
  assertEquals(code, 0, stderr);
  return stderr;
}

async function isReady(server: RunningProgram): Promise<void> {
  await eventually(async () => await readiness(server) === 200);
}

async function refuses(server: RunningProgram, logText: string): Promise<void> {
  await server.logged(logText);
  assertEquals([await readiness(server), await check(server, pinOf(SECRET))], [503, "False"]);
}

Deno.test("a server reaches its store over TLS, with a password that URLs have to escape", async () => {
  const password = "canary:@/?#%é";
  await withTlsRedis([...NO_CLIENT_CERTIFICATE, "--requirepass", password], async (redis) => {
    const { address, file } = redis;
    const url = `rediss://default:${encodeURIComponent(password)}@${address}/1`;
    // The authority is given by our option, and as each runtime wants it.
    const ways: readonly (readonly [readonly string[], Readonly<Record<string, string>>])[] = [
      [["--guard-tls-ca", file("ca.pem")], {}],
      [[], { DENO_CERT: file("ca.pem"), NODE_EXTRA_CA_CERTS: file("ca.pem") }],
    ];
    for (const [args, env] of ways) {
      const secret = `${SECRET} ${args.length}`;
      const log = await logOf(url, ["--single-use", ...args], async (server) => {
        await isReady(server);
        const pin = pinOf(secret);
        const answers = [await check(server, pin, secret), await check(server, pin, secret)];
        assertEquals(answers, ["True", "False"]);
      }, env);
      assert(log.includes(`the store of the guard, rediss://${address}/1, answers`), log);
      assert(!log.includes("canary"), log);
    }
  });
});

Deno.test("a server refuses a store whose certificate it does not trust", async () => {
  await withTlsRedis([...NO_CLIENT_CERTIFICATE, "--requirepass", "canary"], async (redis) => {
    const { address, file } = redis;
    const untrusted = "has a certificate that is not trusted";
    for (const args of [[], ["--guard-tls-ca", file("client_cert.pem")]]) {
      const log = await logOf(
        `rediss://:canary@${address}`,
        args,
        (server) => refuses(server, untrusted),
        // It has no say.
        { NODE_TLS_REJECT_UNAUTHORIZED: "0" },
      );
      assert(!log.includes("canary"), log);
    }
  });
});

Deno.test("a server sends its store the client certificate that the store requires", async () => {
  await withTlsRedis([], async (redis) => {
    const { address, file } = redis;
    const pair = [
      "--guard-tls-cert",
      file("client_cert.pem"),
      "--guard-tls-key",
      file("client_key.pem"),
    ];
    await logOf(
      `rediss://${address}`,
      ["--guard-tls-ca", file("ca.pem"), ...pair],
      async (server) => {
        await isReady(server);
        assertEquals(await check(server, pinOf(SECRET)), "True");
      },
    );
  });
});

for (const version of ["TLSv1.2", "TLSv1.3"]) {
  Deno.test(`a server serves without the client certificate that its store requires, and logs it: ${version}`, async () => {
    await withTlsRedis(["--tls-protocols", version], async (redis) => {
      const { address, file } = redis;
      const authority = ["--guard-tls-ca", file("ca.pem")];
      const stranger = ["--guard-tls-cert", file("cert.pem"), "--guard-tls-key", file("key.pem")];
      // Without any, TLS 1.2 has no alert for it but that the handshake failed (RFC 5246 §7.2.2).
      const none = version === "TLSv1.2" ? "HANDSHAKE_FAILURE" : "CERTIFICATE_REQUIRED";
      for (const [args, code] of [[[], none], [stranger, "UNKNOWN_CA"]] as const) {
        const log = await logOf(`rediss://${address}`, [...authority, ...args], async (server) => {
          await refuses(server, code);
          // Many more attempts, each with its alert.
          for (let i = 0; i < 10; i++) {
            await new Promise((resolve) => setTimeout(resolve, 100));
            assertEquals(await readiness(server), 503);
          }
        });
        const logText = version === "TLSv1.2" && args.length === 0
          ? "breaks TLS off"
          : "requires another client certificate";
        assert(log.includes(logText), log);
      }
    });
  });
}

Deno.test("a client certificate that is renewed is used without a restart", async () => {
  await withTlsRedis([], async (redis) => {
    const { address, file } = redis;
    const pair = ["--guard-tls-cert", file("cert.pem"), "--guard-tls-key", file("key.pem")];
    await logOf(
      `rediss://${address}`,
      ["--guard-tls-ca", file("ca.pem"), ...pair],
      async (server) => {
        await refuses(server, "UNKNOWN_CA");
        // Halfway through, the two do not belong together.
        Deno.writeTextFileSync(file("cert.pem"), CLIENT_CERTIFICATE);
        await new Promise((resolve) => setTimeout(resolve, 600));
        Deno.writeTextFileSync(file("key.pem"), CLIENT_KEY);
        await isReady(server);
        assertEquals(await check(server, pinOf(SECRET)), "True");
      },
    );
  });
});

Deno.test("a server goes on when one side speaks TLS and the other does not", async () => {
  await withTlsRedis(NO_CLIENT_CERTIFICATE, async (redis) => {
    for (const url of [`rediss://127.0.0.1:${redis.plainPort}`, `redis://${redis.address}`]) {
      // One waits for the other, which is found out by silence.
      await logOf(
        `${url}?timeout=1000`,
        [],
        (server) => refuses(server, "pins that need it are refused"),
      );
    }
  });
});

const SEED = 7;
const FLIPS = 6;
// Far above what so many connections take, and the pauses of four seconds between them.
const FLIPPING_MS = 900_000;

// Bytes from one flip to the next: a flip in the version of a TLS record, which neither side reads, ends
// no connection.
const NEXT_FLIP = 997;

/** Flips one bit of the bytes that one side sends, the `at`-th, and more of them if it sends on. */
function flipBits(
  from: "server" | "store",
  at: number,
  bit: number,
  onFirst: () => void,
): ChangePiece {
  let passed = 0;
  let next = at;
  return (piece, sender) => {
    if (sender !== from) return piece;
    for (; next < passed + piece.length; next += NEXT_FLIP) {
      piece[next - passed] = piece[next - passed]! ^ 1 << bit;
      if (next === at) onFirst();
    }
    passed += piece.length;
    return piece;
  };
}

Deno.test("a server outlives flipped bits in both directions of a TLS connection to its store", async () => {
  await withTlsRedis(NO_CLIENT_CERTIFICATE, async (redis) => {
    const random = seededRandom(SEED);
    let flips = 0;
    // In the handshake, and in what comes after it, to which pins have to be checked.
    const proxy = startTcpProxy(redis.tlsPort, () => {
      if (flips >= FLIPS) return (piece) => piece;
      const at = random(4) === 0 ? random(1200) : 1500 + random(3000);
      return flipBits(random(2) ? "server" : "store", at, random(8), () => flips++);
    });
    // Not so patient that a side that waits for the rest of what was flipped is found out late.
    const url = `rediss://127.0.0.1:${proxy.port}?timeout=2000`;
    const args = ["--guard-tls-ca", redis.file("ca.pem")];
    await logOf(url, args, async (server) => {
      await eventually(
        async () => {
          const secrets = Array.from({ length: 20 }, (_, i) => `${SECRET} ${i}`);
          const wrong = secrets.map((secret) => check(server, wrongPinOf(secret), secret));
          assertEquals(new Set(await Promise.all(wrong)), new Set(["False"]));
          return flips >= FLIPS;
        },
        "the last bit is flipped",
        FLIPPING_MS,
      );
      await eventually(async () => await check(server, pinOf(SECRET)) === "True");
    });
    proxy.close();
  });
});
