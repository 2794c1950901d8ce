/**
 * Protections in force, for the log and the status of a server.
 *
 * @module
 */

import { isLoopback } from "../page/shared/address.ts";
import type { Config } from "./options.ts";

/** Lists the protections of a service, on or off, as clauses. */
export function protectionsOf(config: Config): readonly string[] {
  const { apiKeysFile, singleUse, maxFailures, window, tlsCert } = config;
  const onOff = (isOn: boolean): string => isOn ? "on" : "off";
  return [
    `API keys ${onOff(apiKeysFile !== undefined)}`,
    `single use ${onOff(singleUse)}`,
    `wrong pins ${maxFailures === 0 ? "without limit" : `up to ${maxFailures}`}`,
    `window ${window}`,
    `TLS ${onOff(tlsCert !== undefined)}`,
    `callers ${callersOf(config)}`,
  ];
}

function callersOf({ host, socket, socketMode }: Config): string {
  if (socket === undefined) return isLoopback(host) ? "of this machine" : "of other machines too";
  return (socketMode & 0o002) === 0 ? "of the socket's user and group" : "of this machine";
}
