/** A call of an operation, written as a request in each binding. */

/** The bindings. */
export const BINDINGS = ["SOAP 1.1", "SOAP 1.2", "HTTP GET", "HTTP POST", "JSON"] as const;

/** The name of a binding. */
export type BindingName = typeof BINDINGS[number];

/** The namespace name of the service by default. */
export const NAMESPACE = "http://authenticatorapi.com/";

/** Media type and namespace name of the Envelope, by the version of SOAP. */
export const SOAP = {
  "SOAP 1.1": ["text/xml", "http://schemas.xmlsoap.org/soap/envelope/"],
  "SOAP 1.2": ["application/soap+xml", "http://www.w3.org/2003/05/soap-envelope"],
} as const;

/** The arguments of an operation. */
export type Args = Readonly<Record<string, string>>;

/** A request for `fetch`, or for a client of another kind. */
export interface WrittenCall {
  /** The method. */
  readonly method: "GET" | "POST";
  /** Path and query. */
  readonly path: string;
  /** The header fields. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body of a POST. */
  readonly body?: string;
}

const isSoap = (binding: BindingName): binding is keyof typeof SOAP => binding in SOAP;

/** Escapes a value for a binding; a carriage return that is no reference is a line end in XML. */
function escapeFor(binding: BindingName): (value: string) => string {
  return isSoap(binding)
    ? (value) => value.replace(/[&<>\r]/g, (character) => `&#${character.charCodeAt(0)};`)
    : (value) => String(new URLSearchParams({ value })).slice("value=".length);
}

/**
 * Writes a call.
 *
 * @param escape Escapes each value, except in JSON; as the binding needs it unless given.
 */
export function writeCall(
  binding: BindingName,
  operation: string,
  args: Args,
  escape = escapeFor(binding),
): WrittenCall {
  const path = `/api.asmx/${operation}`;
  const post = (path: string, type: string, body: string): WrittenCall => ({
    method: "POST",
    path,
    headers: { "content-type": type },
    body,
  });
  if (isSoap(binding)) {
    const [mediaType, envelope] = SOAP[binding];
    const values = Object.entries(args).map(([name, value]) =>
      `<${name}>${escape(value)}</${name}>`
    );
    return post(
      "/api.asmx",
      `${mediaType}; charset=utf-8`,
      `<s:Envelope xmlns:s="${envelope}"><s:Body><${operation} xmlns="${NAMESPACE}">` +
        `${values.join("")}</${operation}></s:Body></s:Envelope>`,
    );
  }
  if (binding === "JSON") return post(path, "application/json", JSON.stringify(args));
  const form = Object.entries(args).map(([name, value]) => `${name}=${escape(value)}`).join("&");
  return binding === "HTTP POST"
    ? post(path, "application/x-www-form-urlencoded", form)
    : { method: "GET", path: `${path}?${form}`, headers: {} };
}

/** Makes the request for `localhost`. */
export function requestFor({ path, ...init }: WrittenCall): Request {
  return new Request(`http://localhost${path}`, init);
}

/** The secret of tests that need just one. */
export const SECRET = "canary battery staple";

/** The target of a request that checks a pin by `/Validate.aspx`. */
export function validateTarget(pin: string, secret = SECRET): string {
  return `/Validate.aspx?${new URLSearchParams({ Pin: pin, SecretCode: secret })}`;
}
