/**
 * Release notes: the section of a version in `CHANGELOG.md`, and what each file of the release is for.
 *
 * @module
 */

/**
 * The section of a version, without its heading.
 *
 * @param changelog A text in the form of Keep a Changelog.
 * @throws {TypeError} When there is no section of that version with a date, or nothing in it.
 */
export function notesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  for (const section of sections) {
    const [heading = "", ...lines] = section.split("\n");
    const [, named] = /^\[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$/.exec(heading) ?? [];
    // Links stand behind the last section.
    const text = lines.join("\n").replace(/^\[[^\]]+\]: .*$/gm, "").trim();
    if (named === version && text !== "") return `${withoutLinks(text)}\n`;
  }
  throw new TypeError(
    `CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD" with notes in it`,
  );
}

// A release is a flat list of files: name the pages, which are in the archive of `deploy/`.
function withoutLinks(text: string): string {
  return text.replace(/\[([^\]]+)\]\((docs\/[^)#]+)(?:#[^)]*)?\)/g, "$1 (`$2`)");
}

/**
 * The day of a version, for instance 2026-01-31.
 *
 * @param changelog A text in which `notesOf()` finds the version.
 */
export function dateOf(changelog: string, version: string): string {
  const [, date] = changelog.split(`\n## [${version}] - `);
  return date!.slice(0, "2026-01-31".length);
}

/** Use of each file, by its name; `$1` and `$2` are parts of the name. */
const USES: readonly (readonly [name: RegExp, use: string])[] = [
  [/^authenticator_.*_(\w+)\.deb$/, "package for Debian and Ubuntu on $1"],
  [/^authenticator-(.*)-(deno|bun)(?:\.exe)?$/, "executable for $1, with $2 inside"],
  [
    /^authenticator-deploy\.tar\.gz$/,
    "the folders `deploy/` (drop-ins, proxies, containers, alerts) and `docs/`",
  ],
  [/^install\.ps1$/, "installs the executable on Windows"],
  [/^install\.sh$/, "installs the executable on Linux with systemd and glibc, with the unit"],
  [/^authenticator\.service$/, "unit of systemd"],
  [/^authenticator-as-service$/, "runs a command as the unit runs the server"],
  [/^authenticator\.js$/, "script for Bun"],
  [/^authenticator-service-.*\.tgz$/, "library for npm"],
  [/^authenticator\.1$/, "manual page"],
  [/^LICENSE$/, "licence of the program"],
  [/^LICENSES\.txt$/, "licences of its parts"],
  [/^sbom\.cdx\.json$/, "list of components (CycloneDX)"],
  [/^RELEASE_NOTES\.md$/, "this text"],
  [/^SHA256SUMS$/, "checksums: `sha256sum --check --ignore-missing SHA256SUMS`"],
];

/**
 * The section of the notes that lists the files of a release.
 *
 * @throws {TypeError} When a file has a name of no known use.
 */
export function filesOf(names: readonly string[]): string {
  const lines = names.map((name) => {
    const [pattern, use] = USES.find(([pattern]) => pattern.test(name)) ?? [];
    if (pattern === undefined) throw new TypeError(`the notes do not say what ${name} is for`);
    return `- \`${name}\`: ${name.replace(pattern, use!)}\n`;
  });
  return `### Files\n\n${lines.join("")}`;
}
