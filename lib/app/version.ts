/**
 * The line of `--version`.
 *
 * @module
 */

import project from "../../deno.json" with { type: "json" };
import type { Runtime } from "../runtime/runtime.ts";

/** The commit of the sources: compile.sh writes it here, in its copy of this file. */
const COMMIT: string = "unknown";

/** The version of the program. */
export const VERSION: string = project.version;

/** The version, the commit, the runtime and the machine that this program is made of. */
export function versionLine({ title, target }: Pick<Runtime, "title" | "target">): string {
  return `authenticator ${VERSION} (commit ${COMMIT}, ${title}, ${target})`;
}
