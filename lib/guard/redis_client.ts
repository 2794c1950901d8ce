/**
 * One connection to Redis or Valkey by its official client, loaded when a shared store is asked for
 * and not before.
 *
 * @module
 */

import net, { type Socket } from "node:net";
import tls from "node:tls";
import { Pipeline } from "./pipeline.ts";
import { codeOf, ErrorReply, ProtocolError } from "./store_failure.ts";
import type { StoreUrl } from "./store_url.ts";

/** What TLS with a store needs beside its address; each is PEM. */
export interface StoreTls {
  /** Authorities that the store's certificate must be from; those of the runtime unless given. */
  readonly ca?: string | undefined;
  /** The certificate that is shown to the store. */
  readonly cert?: string | undefined;
  /** Its private key. */
  readonly key?: string | undefined;
}

/** A connection. */
export interface RedisClient {
  /**
   * Sends a command.
   *
   * @param read Makes of the reply what it means; when it throws, the connection ends.
   * @throws {Error} When the reply is an error, or none comes.
   */
  readonly ask: <T>(words: readonly string[], read: (reply: unknown) => T) => Promise<T>;
  /** Ends the connection for a reason, with which what still waits is rejected. */
  readonly end: (reason: unknown) => void;
}

/** How a connection is made. */
export interface RedisClientOptions {
  /** Where the store is, with user name and password. */
  readonly url: StoreUrl;
  /** What TLS needs; read only where the URL says rediss. */
  readonly tls?: StoreTls;
  /** Told once when the connection has ended or could not be made, and why. */
  readonly onEnd: (reason: unknown) => void;
  /** How long a reply may take, in milliseconds; 500 unless given. */
  readonly patienceMs?: number;
}

/** Bytes that may come without a reply; no command of this program has as long a one. */
const MAX_REPLY_BYTES = 1_048_576;

/** The patience of the client while it connects: longer than ours, which ends it. */
const CONNECT_TIMEOUT_MS = 60_000;

/**
 * Connects and logs in. Commands may be sent at once: they wait until that is done.
 *
 * Nothing waits or tries again in the client: both are the business of the connection, and so is
 * time, since a timer of the client would blame a store for pauses of this process.
 *
 * @throws {Error} When certificate and key cannot be used.
 */
export async function openRedis(options: RedisClientOptions): Promise<RedisClient> {
  const { createClient, ...errors } = await import("@redis/client");
  const { url, tls, onEnd, patienceMs = 500 } = options;
  const client = createClient({
    url: url.reveal(),
    RESP: 2,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: "disabled",
    socket: { ...tls, reconnectStrategy: false, connectTimeout: CONNECT_TIMEOUT_MS },
  });
  const told = (error: unknown): unknown => {
    if (error instanceof errors.ErrorReply) return new ErrorReply(error.message);
    const isOfSocket = error instanceof errors.SocketClosedUnexpectedlyError || codeOf(error);
    return isOfSocket ? error : new ProtocolError("The client cannot read the reply");
  };
  let unreadBytes = 0;
  const send = async (words: readonly string[]): Promise<unknown> => {
    try {
      return await client.sendCommand([...words]);
    } catch (error) {
      throw told(error);
    } finally {
      unreadBytes = 0;
    }
  };
  const pipeline = new Pipeline({
    patienceMs,
    send,
    onEnd: (reason) => {
      if (client.isOpen) client.destroy();
      onEnd(reason);
    },
  });
  const end = (reason: unknown): void => pipeline.end(reason);
  client.on("error", (error) => end(told(error)));
  const connected = withSocket(() => client.connect(), (socket) => {
    socket.on("error", end);
    client.on("connect", () =>
      socket.on("data", (chunk) => {
        unreadBytes += chunk.length;
        if (unreadBytes > MAX_REPLY_BYTES) end(new ProtocolError("The reply is too long"));
      }));
  });
  connected.then(() => pipeline.open(), (error) => end(told(error)));
  return { ask: (words, read) => pipeline.ask(words, read), end };
}

/**
 * Gives a hold on the socket that the client makes while it is told to connect.
 *
 * The client takes no socket from outside, and leaves its own without a listener for errors: in the
 * turn after a TLS handshake, in which the alert of a store that wants a certificate arrives, and
 * after a first error. An error event that nobody listens to ends the process.
 */
function withSocket<T>(connect: () => T, onSocket: (socket: Socket) => void): T {
  const held = <A extends unknown[]>(open: (...args: A) => Socket) => (...args: A): Socket => {
    const socket = open(...args);
    onSocket(socket);
    return socket;
  };
  const { createConnection } = net;
  const { connect: connectTls } = tls;
  Object.assign(net, { createConnection: held(createConnection) });
  Object.assign(tls, { connect: held(connectTls) });
  try {
    return connect();
  } finally {
    Object.assign(net, { createConnection });
    Object.assign(tls, { connect: connectTls });
  }
}
