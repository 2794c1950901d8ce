/**
 * A server whose handler fails, on the runtime that runs this: prints its URL, and on standard
 * error what its log is told.
 *
 * @module
 */

import process from "node:process";
import { currentRuntime } from "../../../lib/server/runtime/current.ts";
import { startServer } from "../../../lib/server/listen/restart.ts";

const address = { hostname: "127.0.0.1", port: 0 };
const tell = (line: string): void => void process.stderr.write(`${line}\n`);
const { server } = startServer(currentRuntime(), {
  address,
  tls: undefined,
  shared: false,
  limitsMemory: true,
}, {
  handler: () => Promise.reject(new TypeError("hush")),
  log: { info: tell, warn: tell, error: (message, cause) => tell(`${message}: ${cause}`) },
});
process.stdout.write(`http://127.0.0.1:${server.address?.port}\n`);
