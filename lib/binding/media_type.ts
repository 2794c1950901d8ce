/**
 * Media types as Content-Type carries them (RFC 9110 §8.3.1).
 *
 * @module
 */

/** A media type. */
export interface MediaType {
  /** Type and subtype in lower case, empty when there is none. */
  readonly essence: string;
  /**
   * Parameters by their name in lower case, values without quotes. Of a name that stands twice with
   * different values, both, so that neither is taken for the one that was meant.
   */
  readonly parameters: ReadonlyMap<string, string>;
}

const PARAMETER = /;[ \t]*([^\s=;"]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g;

const NO_PARAMETERS: MediaType["parameters"] = new Map();

/** Reads a Content-Type; what is not well-formed in it is passed over. */
export function parseMediaType(contentType: string | null): MediaType {
  const value = contentType ?? "";
  const semicolon = value.indexOf(";");
  if (semicolon < 0) return { essence: value.trim().toLowerCase(), parameters: NO_PARAMETERS };
  const parameters = new Map<string, string>();
  for (const [, name, quoted, token] of value.slice(semicolon).matchAll(PARAMETER)) {
    const key = name!.toLowerCase();
    const text = quoted?.replace(/\\(.)/g, "$1") ?? token!.trim();
    const before = parameters.get(key);
    parameters.set(key, before === undefined || before === text ? text : `${before}, ${text}`);
  }
  return { essence: value.slice(0, semicolon).trim().toLowerCase(), parameters };
}
