/**
 * Fields outside an Envelope that may name its operation: SOAPAction (SOAP 1.1 §6.1.1) and the
 * parameter action of the media type (SOAP 1.2 part 2 §6.5.3).
 *
 * @module
 */

import { Fault } from "../../operations/fault.ts";
import { type Operation, OPERATIONS } from "../../operations/operations.ts";

/** A field of the request that may name the operation of its Envelope. */
export interface ActionField {
  /** Name of the field in an error message. */
  readonly label: string;
  /** Value as sent; empty when the request has no such field. */
  readonly value: string;
  /** Whether a value that names no operation is an error; otherwise it is ignored. */
  readonly isStrict: boolean;
}

/**
 * Checks that the fields name the operation in the Body. The Body decides which operation runs; a
 * field that names another one is refused, so that a firewall filtering by it cannot be bypassed.
 *
 * @throws {Fault} When a field names another operation, or a strict one names no operation.
 */
export function checkActions(
  { name }: Operation,
  { actions, namespace }: {
    readonly actions: readonly ActionField[];
    readonly namespace: string;
  },
): void {
  const expected = namespace + name;
  const isOther = (part: string): boolean => {
    // Compare lengths first: decoding thousands of short parts would take long.
    if (part.length <= namespace.length) return false;
    const action = plainAction(part.replaceAll("'", ""));
    return action !== expected && action.startsWith(namespace) &&
      OPERATIONS.has(action.slice(namespace.length));
  };
  for (const { label, value: sent, isStrict } of actions) {
    const value = withoutRepetition(sent);
    const isWrong = isStrict
      ? !["", expected].includes(plainAction(value))
      // A repeated parameter has both values.
      : value.split(",").some(isOther);
    if (!isWrong) continue;
    throw new Fault(
      "invalid",
      `Server did not recognize the value of ${label}. Expected ${expected}.`,
    );
  }
}

// Returns the value of a field that was sent twice with the same value: the runtime joins fields of
// one name (RFC 9110 §5.3).
function withoutRepetition(value: string): string {
  const middle = (value.length - 1) >> 1;
  const first = value.slice(0, middle);
  return value[middle] === "," && value.slice(middle + 1).trimStart() === first ? first : value;
}

// Strips quotes and escapes: some clients omit the quotes, others percent-encode the value.
function plainAction(value: string): string {
  const unquoted = value.trim().replace(/^"(.*)"$/, "$1").trim();
  try {
    return decodeURIComponent(unquoted);
  } catch {
    return unquoted;
  }
}
