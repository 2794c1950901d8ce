/**
 * Assertion of a condition. Unless a message is given, its error has the statement that fails; that of
 * the standard library would be empty.
 *
 * @module
 */

export { ok as assert } from "node:assert";
