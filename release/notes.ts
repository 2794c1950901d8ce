/**
 * Release notes: the section of a version in `CHANGELOG.md`, and what each file of the release is for.
 *
 * @module
 */

/** Whether a version is one between releases, such as 0.2.0-dev.1. */
export function isDevelopment(version: string): boolean {
  return /^\d+\.\d+\.\d+-dev\.\d+$/.test(version);
}

/**
 * The section of a version, without its heading; between releases, that of what is not released.
 *
 * @param changelog A text in the form of Keep a Changelog.
 * @throws {TypeError} When there is no such section, it has no date, or nothing in it.
 */
export function notesOf(changelog: string, version: string): string {
  const [form, heading] = isDevelopment(version)
    ? [/^(\[Unreleased\])$/, "[Unreleased]"]
    : [/^(\[\d+\.\d+\.\d+\]) - \d{4}-\d\d-\d\d$/, `[${version}]`];
  for (const section of changelog.split(/^## /m).slice(1)) {
    const [line = "", ...lines] = section.split("\n");
    // Links stand behind the last section.
    const text = lines.join("\n").replace(/^\[[^\]]+\]: .*$/gm, "").trim();
    if (form.exec(line)?.[1] === heading && text !== "") return `${withoutLinks(text)}\n`;
  }
  const date = isDevelopment(version) ? "" : " - YYYY-MM-DD";
  throw new TypeError(`CHANGELOG.md has no section "## ${heading}${date}" with notes in it`);
}

// A release is a flat list of files: name the pages, which are in the archive of `deploy/`.
function withoutLinks(text: string): string {
  return text.replace(/\[([^\]]+)\]\((docs\/[^)#]+)(?:#[^)]*)?\)/g, "$1 (`$2`)");
}

/**
 * The day of a version, for instance 2026-01-31: the time of the files of a release. Between releases,
 * that of the last one, so that the same sources give the same bytes.
 *
 * @param changelog A text in which `notesOf()` finds the version.
 * @throws {TypeError} When no version was released.
 */
export function dateOf(changelog: string, version: string): string {
  const released = isDevelopment(version) ? "\\d\\S*" : version.replaceAll(".", "\\.");
  const [, date] =
    new RegExp(`^## \\[${released}\\] - (\\d{4}-\\d\\d-\\d\\d)$`, "m").exec(changelog) ?? [];
  if (date === undefined) throw new TypeError("CHANGELOG.md has no version with a date");
  return date;
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
