/**
 * Preflight checks of the system, of the addresses and of the guard's store.
 *
 * @module
 */

import { once } from "node:events";
import { createServer } from "node:net";
import process from "node:process";
import type { Config } from "../../config/options.ts";
import { flagOf, UsageError } from "../../config/option.ts";
import { guardKeyId } from "../../guard/fingerprint.ts";
import { refusesNothing } from "../../guard/guard.ts";
import { countOtherKeys, KEY_IDS } from "../../guard/redis/monitor.ts";
import { OTHER_KEYS } from "../../guard/redis/findings.ts";
import { readGuardKey } from "../../server/keyed_guard.ts";
import { warn } from "../io/io.ts";
import { ListenError } from "../../server/listen/error.ts";
import { systemErrorCode } from "../../system/system_error.ts";
import type { TcpAddress } from "../../server/runtime/runtime.ts";
import { atStore } from "../guard_commands.ts";
import { isAuthenticator } from "../healthcheck.ts";

/**
 * Checks that the system supports the options.
 *
 * @throws {UsageError} When an option needs a Unix system, and this is Windows.
 */
export function checkSystem(config: Config, platform: string = process.platform): void {
  if (platform !== "win32") return;
  const needsUnix = config.socket !== undefined ? "socket" : config.sharePort && "sharePort";
  if (needsUnix) throw new UsageError(`${flagOf(needsUnix)} needs a Unix system`);
}

/**
 * Listens at the addresses of the options for a moment. A socket is left alone, since its folder may
 * be made only for the service, and so is a shared port, since other servers start there.
 *
 * @returns The reasons that prevent a server from listening, as clauses, and the addresses with a
 * running server of this program, as sentences.
 */
export async function tryAddresses(config: Config): Promise<{
  readonly obstacles: readonly string[];
  readonly servers: readonly string[];
}> {
  const { host, port, sharePort, socket, metricsHost, metricsPort } = config;
  const addresses = [
    ...(socket === undefined && !sharePort ? [{ hostname: host, port }] : []),
    ...(metricsPort === undefined ? [] : [{ hostname: metricsHost, port: metricsPort }]),
  ];
  const obstacles: string[] = [];
  const servers: string[] = [];
  for (const address of addresses) {
    const { message, code } = await tryAddress(address) ?? {};
    if (message === undefined) continue;
    const { hostname, port } = address;
    const at = { ...config, host: hostname, port, socket: undefined };
    if (code === "EADDRINUSE" && await isAuthenticator(at)) {
      servers.push(`a server of Authenticator answers at ${hostname}, port ${port} already.`);
    } else obstacles.push(message);
  }
  return { obstacles, servers };
}

// Listens without HTTP: a caller who connects at this moment gets no reply, instead of one that could
// pass for a right pin.
async function tryAddress(address: TcpAddress): Promise<ListenError | undefined> {
  const server = createServer((socket) => socket.destroy());
  try {
    await once(server.listen(address.port, address.hostname), "listening");
    await once(server.close(), "close");
    return undefined;
  } catch (error) {
    return new ListenError(address, systemErrorCode(error));
  }
}

/**
 * Checks the guard's store.
 *
 * @throws {CommandError} When a server could not use it.
 */
export async function checkStore(config: Config): Promise<void> {
  const { guard: url } = config;
  if (url === "memory" || refusesNothing(config)) return;
  await atStore(url, config, async (store) => {
    const [error] = await store.probe();
    if (error !== undefined) throw error;
    const { guardKeyFile } = config;
    if (guardKeyFile === undefined) return;
    const keyId = guardKeyId(readGuardKey(guardKeyFile));
    const others = await store.run(KEY_IDS, (send) => countOtherKeys(send, keyId, false));
    if (others > 0) warn(`the store of the guard, ${url}, ${OTHER_KEYS}.`);
  });
}
