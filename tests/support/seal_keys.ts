/**
 * Keys of sealed secrets, and secrets sealed by jose, which shares no code with `lib/sealing/`.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { compactDecrypt, CompactEncrypt } from "jose";

/** The path of a file of seal keys. */
export const SEAL_KEYS_FILE = "tests/support/seal_keys.txt";

/** The lines of that file: the key that seals, and an older one. */
export const SEAL_KEY_LINES: readonly [string, string] = linesOf(SEAL_KEYS_FILE);

function linesOf(path: string): readonly [string, string] {
  const file = new URL(`../../${path}`, import.meta.url);
  // Git keeps no such mode, and a file that others can read is a warning.
  if (Deno.build.os !== "windows") Deno.chmodSync(file, 0o600);
  const [first = "", second = ""] = Deno.readTextFileSync(file).trim().split("\n");
  return [first, second];
}

/** Returns the bytes of a line's key. */
export function keyBytesOf(line: string): Uint8Array {
  return Uint8Array.from(Buffer.from(line.split(":")[1]!, "hex"));
}

/** Seals a text with the key of a line. */
export async function sealByJose(
  text: string | Uint8Array,
  line: string = SEAL_KEY_LINES[0],
): Promise<string> {
  const [kid] = line.split(":");
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  return await new CompactEncrypt(bytes)
    .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid: kid! })
    .encrypt(keyBytesOf(line));
}

/** Opens a text with the key of a line. */
export async function openByJose(
  sealed: string,
  line: string = SEAL_KEY_LINES[0],
): Promise<{ readonly text: string; readonly header: unknown }> {
  const { plaintext, protectedHeader } = await compactDecrypt(sealed, keyBytesOf(line));
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(plaintext);
  return { text, header: protectedHeader };
}
