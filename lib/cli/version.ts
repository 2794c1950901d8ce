/**
 * Version of the program, for `--version`.
 *
 * @module
 */

import project from "../../deno.json" with { type: "json" };
import type { Runtime } from "../server/runtime/runtime.ts";

/** Origin of the program: compile.sh writes the commit here, in its copy of this file. */
const ORIGIN: string = "from source";

/** The version of the program. */
export const VERSION: string = project.version;

/** Writes the line with the version, the origin, the runtime and the target. */
export function versionLine({ title, target }: Pick<Runtime, "title" | "target">): string {
  return `authenticator ${VERSION} (${ORIGIN}, ${title}, ${target})`;
}
