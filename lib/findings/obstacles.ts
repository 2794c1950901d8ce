/**
 * What is in the way of a server here and now: at its address, and in the store of its guard. Nothing
 * of what is there is changed by looking.
 *
 * @module
 */

import { mkdtempSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { ADMIN_SOCKET } from "../app/admin.ts";
import { readStoreTls } from "../app/tls_files.ts";
import type { Config } from "../config/config.ts";
import { refusesNothing } from "../guard/guard.ts";
import { currentRuntime } from "../runtime/current.ts";
import { explained, ListenError, systemErrorCode } from "../runtime/listen_error.ts";
import type { Server, TcpAddress } from "../runtime/runtime.ts";
import { claimSocket } from "../runtime/unix_socket.ts";
import { tryStore } from "../store/connect.ts";
import { probe, PROBE_PREFIX } from "../store/redis_store.ts";
import { storeFailure } from "../connection/store_failure.ts";

/** How long the store may take to answer, in milliseconds; longer where its URL says so. */
const STORE_PATIENCE_MS = 2_000;

/** Why a server could not listen where the options say, as clauses. */
export async function addressObstacles(config: Config): Promise<readonly string[]> {
  const { host, port, sharePort, socket, adminSocket, metricsHost, metricsPort } = config;
  const attempts = [
    socket === undefined ? tryPort({ hostname: host, port }, sharePort) : trySocket(socket),
    metricsPort === undefined ? undefined : tryPort({ hostname: metricsHost, port: metricsPort }),
    adminSocket === undefined ? undefined : trySocket(adminSocket, ADMIN_SOCKET),
  ];
  return (await Promise.allSettled(attempts)).flatMap((attempt) => {
    if (attempt.status === "fulfilled") return [];
    if (!(attempt.reason instanceof ListenError)) throw attempt.reason;
    return [attempt.reason.message];
  });
}

// As the server itself would, so that what is in the way is called the same.
async function tryPort(address: TcpAddress, mayBeShared = false): Promise<void> {
  const unused = (): Response => new Response(null, { status: 503 });
  const options = { address, tls: undefined, shared: false, onError: unused };
  let server: Server;
  try {
    server = currentRuntime().serve(options, () => Promise.resolve(unused()));
  } catch (error) {
    const code = systemErrorCode(error);
    // Those who are there may share it. To listen beside them would take callers away from them.
    if (mayBeShared && code === "EADDRINUSE") return;
    throw await explained(address, new ListenError(address, code));
  }
  await server.shutdown();
}

// A socket that nobody listens on any more would be replaced. The server makes a folder beside it.
async function trySocket(path: string, title = "the socket"): Promise<void> {
  try {
    await claimSocket(path, 0o600);
    rmdirSync(mkdtempSync(join(dirname(path), ".s")));
  } catch (error) {
    throw new ListenError({ path, title }, systemErrorCode(error));
  }
}

/** Why the store of the guard could not be used, as clauses. */
export async function storeObstacles(config: Config): Promise<readonly string[]> {
  const { guard: url } = config;
  if (url === "memory" || refusesNothing(config)) return [];
  try {
    const patienceMs = Math.max(STORE_PATIENCE_MS, url.patienceMs);
    const options = { tls: readStoreTls(config), patienceMs };
    await tryStore(url, options, { probe, probePrefix: PROBE_PREFIX });
    return [];
  } catch (error) {
    return [`the store of the guard, ${url}, ${storeFailure(error).saying}`];
  }
}
