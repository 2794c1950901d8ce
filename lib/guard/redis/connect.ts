/**
 * Clients for each kind of store, from the official client of Redis and Valkey, loaded on demand.
 *
 * @module
 */

import { randomInt } from "node:crypto";
import process from "node:process";
import tls from "node:tls";
import { Timeouts } from "../../system/timeouts.ts";
import { NO_REPLY, ServerError, serverName } from "./reasons.ts";
import { probe, PROBE_PREFIX, type Send } from "./script.ts";
import { CHANNELS, type SentinelConnection, SentinelWatch } from "./sentinel_watch.ts";
import type { StoreAddress, StoreLogin, StoreUrl } from "./store_url.ts";

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

/** Options of a client. */
export interface ClientOptions {
  /** Reads the texts of files, for each connection; those for TLS are used with rediss only. */
  readonly readFiles: () => StoreFiles;
  /**
   * Timeout of each command, and of connecting to one server, in milliseconds. Connecting to the
   * store has twice as long.
   */
  readonly timeoutMs: number;
  /** Called with each error of a connection to a server of the store. */
  readonly onLoss?: (error: unknown) => void;
  /** A monotonic clock in milliseconds, for a client that stays. */
  readonly monotonicMs?: () => number;
  /** Called with the primary that Sentinels name, once it is connected. */
  readonly onPrimary?: (host: string, port: number) => void;
  /** Called when no Sentinel answers, and with undefined when one does again. */
  readonly onWatchOutage?: (error: unknown) => void;
}

/** Connections of the official client to a store of any kind. */
export interface Connections {
  /** Connects; called once. */
  readonly connect: () => Promise<unknown>;
  /** Sends a command to the server of a key. */
  readonly send: (key: string, words: readonly string[]) => Promise<unknown>;
  /** Returns probe keys for each server; a healthy server answers for all of its own. */
  readonly probeKeys: () => readonly (readonly string[])[];
  /** Returns the server of a key as the subject of a clause; empty for the one that the URL names. */
  readonly serverOf: (key: string) => string;
  /** Closes the connections and rejects pending commands. */
  readonly destroy: () => void;
}

/** Client of a store of any kind; the errors of its commands name the server, for `storeClause`. */
export class StoreClient {
  readonly #connections: Connections;
  readonly #replies: Timeouts;
  readonly #connecting: Timeouts;
  #pending = 0;
  #isRetired = false;
  #isDestroyed = false;

  /** Makes a client with a timeout for each command; connecting has twice as long. */
  constructor(connections: Connections, timeoutMs: number) {
    this.#connections = connections;
    this.#replies = new Timeouts(timeoutMs, () => new Error(NO_REPLY));
    this.#connecting = new Timeouts(2 * timeoutMs, () => new Error(NO_REPLY));
  }

  /** Connects; called once. */
  async connect(): Promise<void> {
    await this.#connecting.within(async () => {
      await this.#connections.connect();
      // The client keeps a socket that connects only after `destroy` (@redis/client 6.3.1).
      if (this.#isDestroyed) this.#connections.destroy();
    });
  }

  /** Runs commands about a key, which its server answers. */
  async run<T>(key: string, commands: (send: Send) => Promise<T>): Promise<T> {
    this.#pending++;
    try {
      return await commands((words) =>
        this.#replies.within(() => this.#connections.send(key, words))
      );
    } catch (error) {
      const server = this.#connections.serverOf(key);
      throw server === "" || error instanceof ServerError ? error : new ServerError(server, error);
    } finally {
      this.#pending--;
      if (this.#isRetired) this.retire();
    }
  }

  /**
   * Probes every server.
   *
   * @returns The errors of the servers that fail.
   * @throws {Error} When all servers fail.
   */
  async probe(): Promise<readonly unknown[]> {
    const { results, errors } = await this.each((send, _servers, keys) =>
      Promise.all(keys.map((key) => probe(send, key)))
    );
    // A Cluster may have no slot that a key was found for.
    if (results.length === 0) throw errors[0] ?? new Error(NO_NODE);
    return errors;
  }

  /** Runs commands at every server, and returns their results and the errors of those that fail. */
  async each<T>(
    commands: (send: Send, servers: number, keys: readonly string[]) => Promise<T>,
  ): Promise<{
    readonly results: readonly (readonly [server: string, result: T])[];
    readonly errors: readonly unknown[];
  }> {
    const servers = this.#connections.probeKeys();
    const settled = await Promise.allSettled(servers.map(async (keys) => {
      const [key = ""] = keys;
      const server = this.#connections.serverOf(key);
      return [server, await this.run(key, (send) => commands(send, servers.length, keys))] as const;
    }));
    const answered = settled.filter((result) => result.status === "fulfilled");
    const failed = settled.filter((result) => result.status === "rejected");
    return {
      results: answered.map(({ value }) => value),
      errors: failed.map(({ reason }) => reason),
    };
  }

  /** Whether the client was destroyed. */
  get isDestroyed(): boolean {
    return this.#isDestroyed;
  }

  /** Destroys the client once it has no pending commands. */
  retire(): void {
    this.#isRetired = true;
    if (this.#pending === 0) this.destroy();
  }

  /** Closes the connections and rejects pending commands. */
  destroy(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    this.#replies.close();
    this.#connecting.close();
    this.#connections.destroy();
  }
}

/** Maximum number of pending commands, so that a silent store cannot fill the memory. */
const MAX_QUEUE = 10_000;

/**
 * Probe keys of a store that is no Cluster, one in each quarter of the slots of a Cluster (the CRC is
 * linear): a node of a Cluster at its address refuses some of them.
 */
export const SPREAD_KEYS: readonly string[] = [0, 1, 2, 3].map((number) =>
  `${PROBE_PREFIX}${number}`
);

/** Maximum number of attempts to find a probe key for each node of a Cluster. */
const MAX_TRIES = 16_384;

/**
 * Makes a client that never reconnects and never resends a command: the link replaces a failed
 * client.
 */
export async function openStore(url: StoreUrl, options: ClientOptions): Promise<StoreClient> {
  const redis = await import("@redis/client");
  if (url.isEncrypted && process.versions["deno"] !== undefined) handleEarlyTlsErrors();
  const open = { server: openServer, sentinel: openSentinel, cluster: openCluster }[url.kind];
  return new StoreClient(open({ redis, url, options }), options.timeoutMs);
}

let isPatched = false;

/**
 * Adds an error listener to every TLS socket at its creation; patches `tls.connect` once.
 *
 * The client adds its own listener one turn after the handshake, but Deno emits a following alert
 * (TLS 1.3: the store rejects the client certificate) in the same turn, and an error event without
 * a listener ends the process. Remove this once "a server serves without the client certificate that
 * its store requires, and logs it: TLSv1.3" (tests/integration/redis/tls_test.ts) passes without it.
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
  readonly options: ClientOptions;
}

function loginOf({ url, options: { readFiles } }: Context): StoreLogin {
  const { password } = readFiles();
  return { ...url.login(), ...(password && { password }) };
}

/**
 * Options of the first command of a connection: the login, or a name. A server that turns a client away
 * (protected mode, too many clients) replies before any command, and the client fails at a reply that no
 * command waits for (@redis/client 6.3.1).
 */
function firstCommand(login: StoreLogin): StoreLogin | { readonly name: string } {
  return login.username || login.password ? login : { name: "authenticator" };
}

const PROTOCOL = { RESP: 2, commandOptions: { timeout: 0 } } as const;

// deno-lint-ignore explicit-function-return-type
function clientOptions({ url, options: { readFiles, timeoutMs } }: Context) {
  const { ca, cert, key } = readFiles();
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

/** Commands without a key. */
const KEYLESS: readonly string[] = ["INFO", "SCAN", "TIME"];

type Client = ReturnType<typeof openClient>;

// deno-lint-ignore explicit-function-return-type
function openClient(
  context: Context,
  address: StoreAddress,
  login: StoreLogin,
  database = context.url.database,
) {
  const { socket, ...common } = clientOptions(context);
  return context.redis.createClient({
    ...PROTOCOL,
    ...common,
    ...firstCommand(login),
    database,
    socket: { ...socket, ...address },
  });
}

/** Destroys a client, which may have closed itself. */
function destroyClient(client: Client): void {
  try {
    client.destroy();
  } catch {
    // The client is closed.
  }
}

function openServer(context: Context): Connections {
  const { url: { addresses }, options: { onLoss = () => {} } } = context;
  const client = openClient(context, addresses[0]!, loginOf(context));
  client.on("error", onLoss);
  return {
    send: (_, words) => client.sendCommand([...words]),
    probeKeys: () => [SPREAD_KEYS],
    connect: () => client.connect(),
    serverOf: () => "",
    destroy: () => destroyClient(client),
  };
}

/** Connection to a primary that Sentinels name. */
interface Primary {
  readonly name: string;
  readonly client: Client;
}

function openSentinel(context: Context): Connections {
  const { url, options } = context;
  const { timeoutMs, monotonicMs = () => 0, onLoss = () => {}, onPrimary, onWatchOutage } = options;
  const connecting = new Timeouts(timeoutMs, () => new Error(NO_REPLY));
  const open = new Set<Client>();
  /** The primary of the next commands, and the latest that was named. */
  let current: Primary | undefined;
  let wanted: Primary | undefined;
  let isDestroyed = false;

  const use = async ({ host, port }: StoreAddress): Promise<void> => {
    const client = openClient(context, { host, port }, loginOf(context));
    const primary = { name: serverName("primary", host, port), client };
    const named = (error: unknown): unknown => new ServerError(primary.name, error);
    wanted = primary;
    open.add(client);
    client.on("error", (error) => {
      if (primary === current) onLoss(named(error));
    });
    try {
      await connecting.within(() => client.connect());
    } catch (error) {
      if (wanted === primary) current = undefined;
      throw named(error);
    }
    if (isDestroyed || wanted !== primary) return destroyClient(client);
    const old = current?.client;
    current = primary;
    onPrimary?.(host, port);
    // Commands that the old primary has received are still answered.
    await old?.close().catch(() => {});
    if (old) open.delete(old);
  };
  const watch = new SentinelWatch({
    addresses: shuffled(url.addresses),
    primaryName: url.primaryName,
    timeoutMs,
    monotonicMs,
    open: (address, onNews) => openSentinelConnection(context, address, onNews),
    // Until the new primary is connected, the old one decides; if it fails, neither does.
    onMove: (primary) => void use(primary).catch(onLoss),
    onOutage: (error) =>
      onWatchOutage?.(error === undefined ? error : new ServerError("one of its Sentinels", error)),
  });
  return {
    send: async (_, words) => {
      if (current === undefined) throw new Error("There is no primary");
      return await current.client.sendCommand([...words]);
    },
    probeKeys: () => [SPREAD_KEYS],
    connect: async () => {
      const primary = await watch.start().catch((error: unknown) => {
        throw new ServerError("one of its Sentinels", error);
      });
      await use(primary);
    },
    serverOf: () => current?.name ?? "",
    destroy: () => {
      isDestroyed = true;
      watch.close();
      connecting.close();
      for (const client of open) destroyClient(client);
    },
  };
}

/** Opens two connections to a Sentinel: in RESP 2, one that is pushed messages takes no commands. */
function openSentinelConnection(
  context: Context,
  address: StoreAddress,
  onNews: () => void,
): SentinelConnection {
  const open = (): Client => openClient(context, address, context.url.sentinelLogin(), 0);
  const [client, pushed] = [open(), open()];
  let isDestroyed = false;
  const destroy = (): void => {
    isDestroyed = true;
    [client, pushed].forEach(destroyClient);
  };
  const connect = async (each: Client): Promise<void> => {
    await each.connect();
    // The client keeps a socket that connects after its end.
    if (isDestroyed) destroyClient(each);
  };
  client.on("error", () => {});
  // The next question then fails, and both are opened again.
  pushed.on("error", () => {
    destroy();
    onNews();
  });
  return {
    connect: () => connect(client),
    subscribe: async () => {
      await connect(pushed);
      try {
        await pushed.subscribe([...CHANNELS], onNews);
        return true;
      } catch (error) {
        // A refusal: the connection is as it was.
        if (!pushed.isReady) throw error;
        pushed.destroy();
        return false;
      }
    },
    send: (words) => client.sendCommand([...words]),
    destroy,
  };
}

function openCluster(context: Context): Connections {
  const { redis, url, options: { timeoutMs, onLoss = () => {} } } = context;
  const { socket, ...common } = clientOptions(context);
  const client = redis.createCluster({
    ...PROTOCOL,
    // The client begins at a random node; a silent one must not delay the others.
    rootNodes: url.addresses.map((address) => ({
      socket: { ...address, socketTimeout: timeoutMs },
    })),
    defaults: { ...common, ...firstCommand(loginOf(context)), socket },
    // Connect on demand, so that an unreachable node fails only its own keys.
    minimizeConnections: true,
  });
  let discoveryError: unknown;
  client.on("error", (error) => discoveryError = error);
  client.on(
    "node-error",
    (error, { host, port }) => onLoss(new ServerError(serverName("node", host, port), error)),
  );
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
    send: async (key, words) => {
      const node = client.slots[slotOf(key)]?.master;
      if (node === undefined) throw new Error(NO_NODE);
      // The client sends these to a node of its choice, or to all, for any key (6.3.1).
      if (!KEYLESS.includes(words[0]!)) return await client.sendCommand(key, false, [...words]);
      return await (await client.nodeClient(node)).sendCommand([...words]);
    },
    probeKeys: () => {
      const keys = new Map<string, string>();
      for (let i = 0; i < MAX_TRIES && keys.size < client.masters.length; i++) {
        const key = `${PROBE_PREFIX}${i}`;
        const address = addressOf(key);
        if (address !== undefined && !keys.has(address)) keys.set(address, key);
      }
      return [...keys.values()].map((key) => [key]);
    },
    serverOf: (key) => {
      const [, host, port = ""] = /^([^]*):([^:]*)$/.exec(addressOf(key) ?? "") ?? [];
      return host === undefined ? "" : serverName("node", host, port);
    },
    destroy: () => client.destroy(),
  };
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
