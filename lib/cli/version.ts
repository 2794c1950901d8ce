/**
 * The line of `--version`.
 *
 * @module
 */

import project from "../../deno.json" with { type: "json" };
import type { Runtime } from "../server/runtime/runtime.ts";

/** Where the program is from: compile.sh writes the commit here, in its copy of this file. */
const ORIGIN: string = "from source";

/** The version of the program. */
export const VERSION: string = project.version;

/** The version, the commit or that it runs from source, the runtime and the machine. */
export function versionLine({ title, target }: Pick<Runtime, "title" | "target">): string {
  return `authenticator ${VERSION} (${ORIGIN}, ${title}, ${target})`;
}
