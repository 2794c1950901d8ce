/**
 * How the server is set, as it says in the page.
 *
 * @module
 */

import type { PageSettings } from "../shared/settings.ts";

/** The settings that a form's operation follows. */
export function settingsOf(form: HTMLFormElement): PageSettings {
  return JSON.parse(form.dataset["settings"] ?? "{}");
}
