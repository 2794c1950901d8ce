/**
 * Media types in Content-Type (RFC 9110 §8.3.1).
 *
 * @module
 */

/** A media type. */
export interface MediaType {
  /** Type and subtype in lower case; empty when absent. */
  readonly essence: string;
  /**
   * Gets a parameter by its name in lower case, without quotes; undefined when absent. For a name
   * repeated with different values it gives the first two, so that none is taken for the intended
   * one.
   */
  readonly parameter: (name: string) => string | undefined;
  /**
   * Whether the field was sent repeatedly with different values; then essence and parameters are
   * empty.
   */
  readonly isAmbiguous: boolean;
}

const PARAMETER = /;[ \t]*([^\s=;"]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g;

// A media type behind a comma starts another field, since the runtime joins fields of one name (RFC
// 9110 §5.3); any other comma, or one in quotes, belongs to a parameter.
const BETWEEN_COMMAS = /(?:"(?:[^"\\]|\\.)*"?|[^",])+/g;
const MEDIA_TYPE = /^[ \t]*[\w.+-]+\/[\w.+-]+[ \t]*(?:;|$)/;

function fieldsIn(contentType: string): readonly string[] {
  const fields: string[] = [];
  for (const [part] of contentType.matchAll(BETWEEN_COMMAS)) {
    if (part.trim() === "") continue;
    if (fields.length === 0 || MEDIA_TYPE.test(part)) fields.push(part);
    else fields.push(`${fields.pop()},${part}`);
  }
  return fields;
}

/** Media type of a request without a Content-Type. */
const NO_MEDIA_TYPE: MediaType = { essence: "", parameter: () => undefined, isAmbiguous: false };

/** Parses a Content-Type; malformed parts are ignored. */
export function parseMediaType(contentType: string | null): MediaType {
  if (contentType === null) return NO_MEDIA_TYPE;
  const [value = "", ...others] = fieldsIn(contentType);
  const isAmbiguous = others.some((other) => other.trim() !== value.trim());
  if (isAmbiguous) return { ...NO_MEDIA_TYPE, isAmbiguous };
  const semicolon = value.indexOf(";");
  const end = semicolon < 0 ? value.length : semicolon;
  return {
    essence: value.slice(0, end).trim().toLowerCase(),
    parameter: (name) => semicolon < 0 ? undefined : parameterOf(value.slice(end), name),
    isAmbiguous,
  };
}

/**
 * Returns the charset parameter in lower case without quotes of either kind; undefined when absent
 * or empty.
 */
export function charsetOf({ parameter }: MediaType): string | undefined {
  return parameter("charset")?.replaceAll(/["']/g, "").trim().toLowerCase() || undefined;
}

// Searches instead of building a table: callers choose the names and could make them collide
// (`json_reader.ts`).
function parameterOf(parameters: string, wanted: string): string | undefined {
  let found: string | undefined;
  for (const [, name, quoted, token] of parameters.matchAll(PARAMETER)) {
    if (name!.toLowerCase() !== wanted) continue;
    const value = quoted?.replace(/\\(.)/g, "$1") ?? token!.trim();
    if (found !== undefined && found.toLowerCase() !== value.toLowerCase()) {
      return `${found}, ${value}`;
    }
    found = value;
  }
  return found;
}
