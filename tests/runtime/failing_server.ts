/**
 * A server whose handler fails, on the runtime that runs this: prints its port, and what its log is
 * told.
 *
 * @module
 */

import process from "node:process";
import { currentRuntime } from "../../lib/runtime/current.ts";
import { start } from "../../lib/runtime/standing.ts";

const address = { hostname: "127.0.0.1", port: 0 };
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const { server } = start(currentRuntime(), { address, tls: undefined, shared: false }, {
  handler: () => Promise.reject(new TypeError("hush")),
  log: { info: print, warn: print, error: (message, cause) => print(`${message}: ${cause}`) },
});
print(String(server.address?.port));
