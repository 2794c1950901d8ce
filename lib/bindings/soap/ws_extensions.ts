/**
 * SOAP extensions whose header blocks clients commonly send as mandatory, with advice on the client
 * setting to switch off.
 *
 * @module
 */

import type { HeaderBlockName } from "../../operations/fault.ts";

const SECURITY = "This service does not support WS-Security: switch message security off in the " +
  'client (WCF: basicHttpBinding, or <security mode="None"/> or "Transport").';
const ADDRESSING = "This service does not support WS-Addressing: switch it off in the client " +
  "(WCF: basicHttpBinding, or a custom binding without addressing).";
const COPIED_ADDRESSING =
  "This service does not support WS-Addressing: leave out the blocks Action " +
  "and To, which the WCF Test Client shows but does not send.";
const RELIABLE_MESSAGING = "This service does not support WS-ReliableMessaging: switch reliable " +
  'sessions off in the client (WCF: basicHttpBinding, or <reliableSession enabled="false"/>).';

// Advice by namespace name, in order of precedence: a client that signs its messages also addresses
// them.
const ADVICE: ReadonlyMap<string, string> = new Map([
  ["http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd", SECURITY],
  ["http://docs.oasis-open.org/wss/oasis-wss-wssecurity-secext-1.1.xsd", SECURITY],
  ["http://schemas.xmlsoap.org/ws/2002/12/secext", SECURITY],
  ["http://schemas.xmlsoap.org/ws/2003/06/secext", SECURITY],
  ["http://docs.oasis-open.org/ws-rx/wsrm/200702", RELIABLE_MESSAGING],
  ["http://schemas.xmlsoap.org/ws/2005/02/rm", RELIABLE_MESSAGING],
  ["http://www.w3.org/2005/08/addressing", ADDRESSING],
  ["http://schemas.xmlsoap.org/ws/2004/08/addressing", ADDRESSING],
  ["http://schemas.xmlsoap.org/ws/2003/03/addressing", ADDRESSING],
  ["http://schemas.microsoft.com/ws/2005/05/addressing/none", COPIED_ADDRESSING],
]);

/**
 * Returns a blank and the advice for the first known extension among header blocks; empty without
 * one.
 */
export function adviceFor(blocks: readonly HeaderBlockName[]): string {
  const namespaces = new Set(blocks.map(({ namespaceName }) => namespaceName));
  const [, advice] = [...ADVICE].find(([namespace]) => namespaces.has(namespace)) ?? [];
  return advice === undefined ? "" : ` ${advice}`;
}
