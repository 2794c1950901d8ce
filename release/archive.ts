/**
 * Archive of `deploy/`, for those who have a release and not the sources.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";

const ROOT = new URL("../", import.meta.url);
const NAME = "authenticator-deploy.tar.gz";

/** Files that belong to it: an operator's keys and passwords may lie beside them. */
const SHIPPED =
  /(?:^(?:Caddy|Container)file|\.(?:md|conf|config|json|ps1|service|sh|target|ya?ml))$/;

const BLOCK = 512;

/**
 * Writes the archive, with sorted names, owner 0 and one time. The same files give the same bytes.
 *
 * @param folder Where it goes.
 * @param date Day of the release, for instance 2026-01-31.
 */
export function packDeploy(folder: string, date: string): void {
  const seconds = Date.parse(date) / 1000;
  const entries = filesIn("deploy/").flatMap((path) => entryOf(path, seconds));
  const archive = Buffer.concat([...entries, new Uint8Array(2 * BLOCK)]);
  Deno.writeFileSync(`${folder}/${NAME}`, gzipSync(archive, { level: 9 }));
}

/** Paths of the files in a folder of the project, in order. */
function filesIn(folder: string): readonly string[] {
  return [...Deno.readDirSync(new URL(folder, ROOT))]
    .flatMap(({ name, isDirectory }) =>
      isDirectory ? filesIn(`${folder}${name}/`) : SHIPPED.test(name) ? [folder + name] : []
    )
    .sort();
}

/** A file as ustar has it: a head, and its bytes in whole blocks. */
function entryOf(path: string, seconds: number): readonly Uint8Array[] {
  const file = new URL(path, ROOT);
  const content = Deno.readFileSync(file);
  const isProgram = (Deno.statSync(file).mode ?? 0) & 0o100;
  const octal = (value: number, digits: number): string =>
    `${value.toString(8).padStart(digits, "0")}\0`;
  const head = [
    path.padEnd(100, "\0"),
    octal(isProgram ? 0o755 : 0o644, 7),
    octal(0, 7),
    octal(0, 7),
    octal(content.length, 11),
    octal(seconds, 11),
    " ".repeat(8),
    "0".padEnd(101, "\0"),
    "ustar\x0000".padEnd(BLOCK - 257, "\0"),
  ].join("");
  const bytes = new TextEncoder().encode(head);
  const sum = octal(bytes.reduce((total, byte) => total + byte), 6);
  bytes.set(new TextEncoder().encode(sum), 148);
  return [bytes, content, new Uint8Array((BLOCK - content.length % BLOCK) % BLOCK)];
}
