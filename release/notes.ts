/**
 * Release notes: the section of a version in `CHANGELOG.md`.
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
    if (named === version && text !== "") return `${text}\n`;
  }
  throw new TypeError(
    `CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD" with notes in it`,
  );
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
