import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { AUTHORITY, CERTIFICATE, PRIVATE_KEY } from "./certificates.ts";
import { eventually, freePort, withRedis } from "./server.ts";
import {
  check,
  earlyInTimeStep,
  pinOf,
  readiness,
  SECRET,
  startServer,
  stop,
} from "./two_servers.ts";

// The authority of a store is made known as each runtime wants it.
function trusting(file: string): Readonly<Record<string, string>> {
  return { DENO_CERT: file, NODE_EXTRA_CA_CERTS: file };
}

async function withTlsRedis(
  password: string,
  run: (url: string, folder: string) => Promise<void>,
): Promise<void> {
  const folder = Deno.makeTempDirSync();
  const files = { "ca.pem": AUTHORITY, "cert.pem": CERTIFICATE, "key.pem": PRIVATE_KEY };
  for (const [name, text] of Object.entries(files)) {
    Deno.writeTextFileSync(`${folder}/${name}`, text);
  }
  Deno.writeTextFileSync(`${folder}/guard`, "k".repeat(43));
  const tlsPort = freePort();
  const args = [
    ...["--tls-port", String(tlsPort), "--tls-auth-clients", "no", "--requirepass", password],
    ...["--tls-cert-file", `${folder}/cert.pem`, "--tls-key-file", `${folder}/key.pem`],
  ];
  try {
    await withRedis(args, () => run(`127.0.0.1:${tlsPort}`, folder));
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

Deno.test("a server reaches its store over TLS, with a password that URLs have to escape", async () => {
  const password = "canary:@/?#%é";
  await withTlsRedis(password, async (address, folder) => {
    await earlyInTimeStep();
    const url = `rediss://default:${encodeURIComponent(password)}@${address}/1`;
    const args = ["--single-use"];
    const env = trusting(`${folder}/ca.pem`);
    const server = await startServer(url, `${folder}/guard`, args, env);
    await eventually(async () => await readiness(server) === 200);
    const pin = pinOf(SECRET);
    assertEquals([await check(server, pin), await check(server, pin)], ["True", "False"]);
    await stop(server);
    const { stderr } = await server.outcome;
    assert(stderr.includes(`the store of the guard, rediss://${address}/1, is there`), stderr);
    assert(!stderr.includes("canary"), stderr);
  });
});

Deno.test("a server takes no store whose certificate it does not trust", async () => {
  await withTlsRedis("canary", async (address, folder) => {
    const server = await startServer(`rediss://:canary@${address}`, `${folder}/guard`);
    await server.logged("all pins are refused");
    assertEquals([await readiness(server), await check(server, pinOf(SECRET))], [503, "False"]);
    await stop(server);
    const { stderr } = await server.outcome;
    assert(stderr.includes("has a certificate that is not trusted"), stderr);
    assert(!stderr.includes("canary"), stderr);
  });
});
