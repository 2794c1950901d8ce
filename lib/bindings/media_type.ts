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
   * The value of a parameter by its name in lower case, without quotes; undefined when there is none.
   * Of a name that stands twice with different values, both, so that neither is taken for the one that
   * was meant.
   */
  readonly parameter: (name: string) => string | undefined;
  /** Whether the field was sent more than once, with different values: essence and parameters are none. */
  readonly isAmbiguous: boolean;
}

const PARAMETER = /;[ \t]*([^\s=;"]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g;

// A media type behind a comma begins another field, once the runtime has joined several of one name
// (RFC 9110 §5.3); a comma in quotes, or before anything else, belongs to a parameter.
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

/** Reads a Content-Type; what is not well-formed in it is passed over. */
export function parseMediaType(contentType: string | null): MediaType {
  const [value = "", ...others] = fieldsIn(contentType ?? "");
  const isAmbiguous = others.some((other) => other.trim() !== value.trim());
  if (isAmbiguous) return { essence: "", parameter: () => undefined, isAmbiguous };
  const semicolon = value.indexOf(";");
  const end = semicolon < 0 ? value.length : semicolon;
  return {
    essence: value.slice(0, end).trim().toLowerCase(),
    parameter: (name) => semicolon < 0 ? undefined : parameterOf(value.slice(end), name),
    isAmbiguous,
  };
}

/**
 * The charset parameter in lower case, without quotes of either kind; undefined when it is absent or
 * empty.
 */
export function charsetOf({ parameter }: MediaType): string | undefined {
  return parameter("charset")?.replaceAll(/["']/g, "").trim().toLowerCase() || undefined;
}

// Not by a table of all: callers choose the names, and so how long it would take (see `json.ts`).
function parameterOf(parameters: string, wanted: string): string | undefined {
  let found: string | undefined;
  for (const [, name, quoted, token] of parameters.matchAll(PARAMETER)) {
    if (name!.toLowerCase() !== wanted) continue;
    const value = quoted?.replace(/\\(.)/g, "$1") ?? token!.trim();
    found = found === undefined || found.toLowerCase() === value.toLowerCase()
      ? value
      : `${found}, ${value}`;
  }
  return found;
}
