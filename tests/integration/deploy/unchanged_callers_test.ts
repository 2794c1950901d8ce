/**
 * Callers that cannot be changed, as in `docs/callers.md`: their old names on an internal DNS, port
 * 80 for a process that is not root, and TLS by an internal authority. All of it in a network and
 * mount namespace of its own, so that neither the machine's DNS nor its trust store is touched.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { type Ended, need, runToEnd } from "../../support/child.ts";
import { eventually } from "../../support/eventually.ts";
import { ROOT } from "../../support/pages.ts";
import { executable } from "../../support/program.ts";
import {
  BUILT_IN_NAMES,
  deployFile,
  makeCaAsShown,
  shownBlock,
  startDaemon,
} from "../../support/deploy.ts";
import { withFolder } from "../../support/folder.ts";

const SERVER = /^address=\/authenticatorapi\.com\/(\S+)$/m.exec(
  deployFile("internal-dns.conf"),
)![1]!;
const DNS = "192.0.2.53";

/** Runs a command in the namespace. */
type Inside = (...words: readonly string[]) => readonly string[];

async function succeed(words: readonly string[]): Promise<Ended> {
  const ended = await runToEnd(words);
  assertEquals(ended.code, 0, `${words.join(" ")}: ${ended.stderr}`);
  return ended;
}

/** Runs something with a namespace whose DNS and trusted authorities are those of a folder. */
async function withNamespace(
  folder: string,
  act: (inside: Inside) => Promise<void>,
): Promise<void> {
  const space = startDaemon(["unshare", "--net", "--mount", "sleep", "600"], `${folder}/unshare`);
  const inside: Inside = (
    ...words
  ) => ["nsenter", `--target=${space.pid}`, "--net", "--mount", ...words];
  try {
    // Its own network, and not the machine's.
    const own = (pid: string): string => Deno.readLinkSync(`/proc/${pid}/ns/net`);
    await eventually(() => own(String(space.pid)) !== own("self"));
    await succeed(inside("ip", "link", "set", "lo", "up"));
    for (const address of [SERVER, DNS]) {
      await succeed(inside("ip", "address", "add", `${address}/32`, "dev", "lo"));
    }
    await Deno.writeTextFile(`${folder}/resolv.conf`, `nameserver ${DNS}\n`);
    await succeed(inside("mount", "--bind", `${folder}/resolv.conf`, "/etc/resolv.conf"));
    await act(inside);
  } finally {
    await space.stop("SIGKILL");
  }
}

// What the drop-in for port 80 leaves of root: nothing but ports below 1024.
const AS_NOBODY = [
  "setpriv",
  "--reuid=65532",
  "--regid=65532",
  "--clear-groups",
  "--bounding-set=-all,+net_bind_service",
  "--inh-caps=-all,+net_bind_service",
  "--ambient-caps=-all,+net_bind_service",
  "--no-new-privs",
];

const CALL = "/api.asmx/ValidatePin?pin=1&secretCode=abcdefghij";

Deno.test("callers that cannot be changed reach the server by name, on port 80 and by TLS", () =>
  withFolder(async (folder) => {
    await need(["unshare", "--net", "--mount", "true"]);
    await need(["ip", "-V"]);
    await need(["dnsmasq", "--version"], "dnsmasq-base");
    await succeed(["chmod", "755", folder]);
    const program = `${folder}/authenticator`;
    await Deno.copyFile(executable(), program);
    assertEquals((await makeCaAsShown(folder)).code, 0);
    const ca = `${folder}/ca`;
    // LoadCredential of the drop-in gives the service a copy that it can read.
    await succeed(["chown", "65532", ca, `${ca}/key.pem`]);
    await withNamespace(folder, async (inside) => {
      const daemons = [
        startDaemon(
          inside("dnsmasq", "--no-daemon", "--no-hosts", "--no-resolv", `--listen-address=${DNS}`)
            .concat(
              "--bind-interfaces",
              `--conf-file=${fileURLToPath(new URL("deploy/internal-dns.conf", ROOT))}`,
            ),
          `${folder}/dnsmasq`,
        ),
        startDaemon(
          inside(...AS_NOBODY, program, "--host", "0.0.0.0", "--port", "80"),
          `${folder}/http`,
        ),
        startDaemon(
          inside(...AS_NOBODY, program, "--host", "0.0.0.0", "--port", "443")
            .concat("--tls-cert", `${ca}/cert.pem`, "--tls-key", `${ca}/key.pem`),
          `${folder}/https`,
        ),
      ];
      try {
        await checkCallers(inside, folder);
      } finally {
        for (const daemon of daemons) await daemon.stop();
      }
    });
  }));

/** Calls as unchanged callers do, then by the commands of the page. */
async function checkCallers(inside: Inside, folder: string): Promise<void> {
  const call = (url: string): Promise<Ended> =>
    runToEnd(inside("curl", "--silent", "--show-error", "--max-time", "60", "--noproxy", "*", url));
  const checkCalls = async (origin: string): Promise<void> => {
    await eventually(async () => (await call(`${origin}/healthz`)).stdout === "ok", origin);
    assert((await call(`${origin}${CALL}`)).stdout.includes(">false</boolean>"));
    const { stdout } = await call(`${origin}/api.asmx?wsdl`);
    assert(stdout.includes(`location="${origin}/api.asmx"`), stdout.slice(-600));
  };
  for (const name of BUILT_IN_NAMES) await checkCalls(`http://${name}`);

  // No caller trusts the server until the authority is in its trust store.
  for (const name of BUILT_IN_NAMES) {
    await eventually(async () => (await call(`https://${name}/healthz`)).code === 60, name);
  }
  const store = "/etc/ssl/certs/ca-certificates.crt";
  const trusted = await Deno.readTextFile(store) + await Deno.readTextFile(`${folder}/ca/ca.pem`);
  await Deno.writeTextFile(`${folder}/trusted.pem`, trusted);
  await succeed(inside("mount", "--bind", `${folder}/trusted.pem`, store));
  for (const name of BUILT_IN_NAMES) await checkCalls(`https://${name}`);

  const shown = shownBlock("docs/callers.md", `https://${BUILT_IN_NAMES[0]}/healthz`);
  const { stdout } = await succeed(inside("env", "no_proxy=*", "bash", "-e", "-c", shown));
  assertEquals(stdout, "ok".repeat(2));

  // Neither name is looked up outside: it has no other address.
  for (const name of BUILT_IN_NAMES) {
    const { stdout: addresses } = await runToEnd(inside("getent", "ahosts", name));
    assertEquals(
      new Set(addresses.trim().split("\n").map((line) => line.split(" ")[0])),
      new Set([SERVER]),
    );
  }
}
