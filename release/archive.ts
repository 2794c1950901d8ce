/**
 * Archive of `deploy/` and `docs/`, for those who have a release and not the sources.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { create } from "tar";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const NAME = "authenticator-deploy.tar.gz";

/** Files that belong to it: an operator's keys and passwords may lie beside them. */
const SHIPPED =
  /(?:^(?:Caddy|Container)file|as-service|\.(?:md|conf|config|json|ps1|service|sh|svg|target|xml|ya?ml))$/;

/** Files of the project that have links of the pages. */
const ABOVE = ["CHANGELOG.md", "SECURITY.md"];

/**
 * Writes the archive, with sorted names, no owner and one time. The same files give the same bytes.
 *
 * @param folder Folder of the archive.
 * @param date Day of the release, for instance 2026-01-31.
 */
export async function packDeploy(folder: string, date: string): Promise<void> {
  const options = { cwd: ROOT, portable: true, gzip: true, mtime: new Date(date) };
  const paths = [...ABOVE, ...filesIn("deploy/"), ...filesIn("docs/")];
  await create({ ...options, file: `${folder}/${NAME}` }, paths);
}

/** Paths of the files in a folder of the project that belong to a release, in order. */
export function filesIn(folder: string): string[] {
  return [...Deno.readDirSync(ROOT + folder)]
    .flatMap(({ name, isDirectory }) =>
      isDirectory ? filesIn(`${folder}${name}/`) : SHIPPED.test(name) ? [folder + name] : []
    )
    .sort();
}
