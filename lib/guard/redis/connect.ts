/**
 * Clients for each kind of store, from the official client of Redis and Valkey, loaded on demand.
 *
 * @module
 */

import { randomInt } from "node:crypto";
import process from "node:process";
import tls from "node:tls";
import { ServerError } from "./reasons.ts";
import type { StoreLogin, StoreUrl } from "./store_url.ts";

/** Texts of the option files for a store: PEM texts for TLS, and the password. */
export interface StoreFiles {
  /** Certificate authorities for the store; the runtime's own unless given. */
  readonly ca?: string | undefined;
  /** The certificate of this client. */
  readonly cert?: string | undefined;
  /** The private key of this client. */
  readonly key?: string | undefined;
  /** The password of the servers that keep keys, in place of the URL's. */
  readonly password?: string | undefined;
}

/** Sends a command; resolves with its reply, rejects with an error reply. */
export type Send = (words: readonly string[]) => Promise<unknown>;

/** Client of a store of any kind. */
export interface StoreClient {
  /** Connects; called once. */
  readonly connect: () => Promise<unknown>;
  /** Sends a command to the server of a key. */
  readonly send: (key: string, words: readonly string[]) => Promise<unknown>;
  /** Returns the servers that keep keys. */
  readonly servers: () => Promise<readonly Send[]>;
  /**
   * Returns the numbers of the probe keys of each server; a healthy server answers for all of its
   * own.
   */
  readonly probeNumbers: () => readonly (readonly number[])[];
  /** Adds the server of a key to an error, unless the URL names it already. */
  readonly located: (error: unknown, key: string) => unknown;
  /** Closes the connections and rejects pending commands. */
  readonly destroy: () => void;
}

/** Options of a client. */
export interface OpenOptions {
  /** The texts of files; those for TLS are used with rediss only. */
  readonly files: StoreFiles;
  /** Timeout for connecting to one server, in milliseconds. */
  readonly timeoutMs: number;
  /** Prefix of the probe keys. */
  readonly probePrefix: string;
  /** Called with each error of a connection to a server of the store. */
  readonly onLoss?: (error: unknown) => void;
}

/** Maximum number of pending commands, so that a silent store cannot fill the memory. */
const MAX_QUEUE = 10_000;

/** Numbers of the probe keys, one in each quarter of the slots of a Cluster (the CRC is linear). */
const SPREAD_NUMBERS = [0, 1, 2, 3] as const;

/** Maximum number of attempts to find a probe key for each node of a Cluster. */
const MAX_TRIES = 16_384;

/**
 * Makes a client that never reconnects and never resends a command: the link replaces a failed
 * client.
 */
export async function openStore(url: StoreUrl, options: OpenOptions): Promise<StoreClient> {
  const redis = await import("@redis/client");
  if (url.isEncrypted && process.versions["deno"] !== undefined) handleEarlyTlsErrors();
  const context = { redis, url, options };
  if (url.kind === "sentinel") return openSentinel(context);
  return url.kind === "cluster" ? openCluster(context) : openServer(context);
}

let isPatched = false;

/**
 * Adds an error listener to every TLS socket at its creation; patches `tls.connect` once.
 *
 * The client adds its own listener one turn after the handshake, but Deno emits a following alert
 * (TLS 1.3: the store rejects the client certificate) in the same turn, and an error event without
 * a listener ends the process. tests/integration/redis/tls_test.ts fails without this.
 */
function handleEarlyTlsErrors(): void {
  if (isPatched) return;
  isPatched = true;
  const { connect } = tls;
  const patched = (...args: Parameters<typeof connect>): tls.TLSSocket =>
    connect(...args).on("error", () => {});
  Object.assign(tls, { connect: patched });
}

interface Context {
  readonly redis: typeof import("@redis/client");
  readonly url: StoreUrl;
  readonly options: OpenOptions;
}

function loginOf({ url, options: { files: { password } } }: Context): StoreLogin {
  return { ...url.login, ...(password && { password }) };
}

const PROTOCOL = { RESP: 2, commandOptions: { timeout: 0 } } as const;

// deno-lint-ignore explicit-function-return-type
function clientOptions({ url, options: { files, timeoutMs } }: Context) {
  const { ca, cert, key } = files;
  return {
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: "disabled",
    commandsQueueMaxLength: MAX_QUEUE,
    socket: {
      reconnectStrategy: false,
      connectTimeout: timeoutMs,
      // Keeps the check of certificates on where the environment disables it
      // (NODE_TLS_REJECT_UNAUTHORIZED).
      ...(url.isEncrypted
        ? {
          ...(ca && { ca }),
          ...(cert && { cert, key }),
          tls: true,
          rejectUnauthorized: true,
        } as const
        : {}),
    },
  } as const;
}

/** Redis' error for a slot without a node, for which the client has no error. */
const NO_NODE = "CLUSTERDOWN Hash slot not served";

function openServer(context: Context): StoreClient {
  const { redis, url, options: { onLoss = () => {} } } = context;
  const { socket, ...common } = clientOptions(context);
  const [address] = url.addresses;
  const client = redis.createClient({
    ...PROTOCOL,
    ...common,
    ...loginOf(context),
    database: url.database,
    socket: { ...socket, ...address! },
  });
  client.on("error", onLoss);
  const send: Send = (words) => client.sendCommand([...words]);
  return {
    connect: () => client.connect(),
    send: (_, words) => send(words),
    servers: () => Promise.resolve([send]),
    probeNumbers: () => [SPREAD_NUMBERS],
    located: (error) => error,
    destroy: () => client.destroy(),
  };
}

function openSentinel(context: Context): StoreClient {
  const { redis, url, options: { onLoss = () => {} } } = context;
  const common = clientOptions(context);
  const client = redis.createSentinel({
    ...PROTOCOL,
    name: url.primaryName,
    sentinelRootNodes: shuffled(url.addresses),
    sentinelClientOptions: { ...common, ...url.sentinelLogin },
    nodeClientOptions: { ...common, ...loginOf(context), database: url.database },
    // One connection for all commands, and no command resent.
    reserveClient: true,
    maxCommandRediscovers: 0,
    passthroughClientErrorEvents: true,
  });
  let primary: string | undefined;
  let sentinelError: unknown;
  client.on("topology-change", (event) => {
    if (event.type === "MASTER_CHANGE") primary = `${event.node.host}:${event.node.port}`;
  });
  const located = (error: unknown): unknown =>
    primary === undefined ? error : new ServerError(`its primary, ${primary},`, error);
  client.on("error", (error) => {
    if (!(error instanceof Error)) return;
    if (/^Master Client /.test(error.message)) onLoss(located(error.cause));
    else sentinelError ??= error.cause ?? error;
  });
  const send: Send = (words) => client.sendCommand(false, [...words]);
  return {
    connect: async () => {
      try {
        await client.connect();
      } catch (error) {
        if (primary !== undefined) throw located(error);
        throw new ServerError("one of its Sentinels", sentinelError ?? error);
      }
    },
    send: (_, words) => send(words),
    servers: () => Promise.resolve([send]),
    probeNumbers: () => [SPREAD_NUMBERS],
    located,
    destroy: () => void client.destroy().catch(() => {}),
  };
}

function openCluster(context: Context): StoreClient {
  const { redis, url, options: { timeoutMs, probePrefix, onLoss = () => {} } } = context;
  const { socket, ...common } = clientOptions(context);
  const client = redis.createCluster({
    ...PROTOCOL,
    // The client begins at a random node; a silent one must not delay the others.
    rootNodes: url.addresses.map((address) => ({
      socket: { ...address, socketTimeout: timeoutMs },
    })),
    defaults: { ...common, ...loginOf(context), socket },
    // Connect on demand, so that an unreachable node fails only its own keys.
    minimizeConnections: true,
  });
  let discoveryError: unknown;
  client.on("error", (error) => discoveryError = error);
  client.on("node-error", (error, { host, port }) => onLoss(nodeError(`${host}:${port}`, error)));
  const addressOf = (key: string): string | undefined => client.slots[slotOf(key)]?.master.address;
  return {
    connect: async () => {
      try {
        await client.connect();
      } catch (error) {
        throw discoveryError ?? error;
      }
      if (client.masters.length === 0) throw new Error(NO_NODE);
    },
    send: (key, words) => client.sendCommand(key, false, [...words]),
    servers: async () => {
      const nodes = await Promise.all(client.masters.map((node) => client.nodeClient(node)));
      return nodes.map((node): Send => (words) => node.sendCommand([...words]));
    },
    probeNumbers: () => {
      const numbers = new Map<string, number>();
      for (let i = 0; i < MAX_TRIES && numbers.size < client.masters.length; i++) {
        const address = addressOf(`${probePrefix}${i}`);
        if (address !== undefined && !numbers.has(address)) numbers.set(address, i);
      }
      return [...numbers.values()].map((number) => [number]);
    },
    located: (error, key) => {
      const address = addressOf(key);
      return address === undefined ? new Error(NO_NODE) : nodeError(address, error);
    },
    destroy: () => client.destroy(),
  };
}

function nodeError(address: string, error: unknown): ServerError {
  return new ServerError(`its node, ${address},`, error);
}

function shuffled<T>(all: readonly T[]): T[] {
  const rest = [...all];
  return all.map(() => rest.splice(randomInt(rest.length), 1)[0]!);
}

/**
 * Computes the Cluster slot of a key without braces: CRC-16/XMODEM modulo the number of slots.
 * https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/
 */
export function slotOf(key: string): number {
  let crc = 0;
  for (const byte of new TextEncoder().encode(key)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1;
  }
  return crc & 0x3fff;
}
