/**
 * The client of Redis, loaded when a shared store is asked for and not before.
 *
 * @module
 */

import type { RedisClient } from "./redis_connection.ts";

/**
 * Makes a client that is not connected yet, with nothing that waits or tries again on its own: both
 * are the business of the connection.
 *
 * @param url A URL of the scheme redis, or rediss for TLS; user name and password are part of it.
 * @param onEnd Called when the connection ends or cannot be made.
 */
export async function createRedisClient(url: string, onEnd: () => void): Promise<RedisClient> {
  const { createClient } = await import("@redis/client");
  const client = createClient({
    url,
    RESP: 2,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: "disabled",
    socket: { reconnectStrategy: false, connectTimeout: 500 },
  });
  // Without a listener, an error event would end the process. What happened is learned from the
  // commands that fail.
  client.on("error", onEnd);
  client.on("end", onEnd);
  return {
    connect: () => client.connect(),
    sendCommand: (command) => client.sendCommand([...command]),
    destroy: () => {
      if (client.isOpen) client.destroy();
    },
  };
}
