/**
 * Mutants that no test can kill, since they change nothing that anybody can see.
 *
 * @module
 */

/** Mutants of one kind in one place. */
export interface Equivalent {
  /** The file. */
  readonly file: string;
  /** What the mutant replaces, as it stands in the file. */
  readonly original: string;
  /** The line that it begins on, where the file has what it replaces in several places. */
  readonly line?: string;
  /** What it puts there; left out for whatever Stryker puts there. */
  readonly replacement?: string;
  /** Why nobody can see it. */
  readonly reason: string;
}

const SAME_CODE = "a text that is no code of so many digits equals none that is computed; " +
  "the check spares the computing";

const SPARED_VERSIONS = "of a range without an allowed version none is tried; the check spares " +
  "the choice of its segments";

const REFUSED_BEFORE = "the service has refused what does not fit; the check is for the compiler";

const WHOLE_TEXT = "each part of the pattern takes as much as it can, up to the end of the text";

const SPARES_MEMORY =
  "those with the most wrong pins are the same, however often the rest is dropped";

const NOBODY_ASKS = "a server that is opened to see whether it can be is asked for nothing";

const NO_SOURCES_IN_JSON = "JSON says the same of no sources; the check spares the work";

// Of the segments with no such bits, a header of ECI.
const ONE_BIT =
  "the count is 1 then, and its bit is set already: the indicator before it ends in 1";

const MADE_ANEW = "layers that are made anew are the same; to keep them spares the work";

/** The list. */
export const EQUIVALENTS: readonly Equivalent[] = [
  {
    file: "lib/otp/totp.ts",
    line: "if (!isCode(code, digits)) return undefined;",
    original: "!isCode(code, digits)",
    replacement: "false",
    reason: SAME_CODE,
  },
  {
    file: "lib/otp/totp.ts",
    original: "text.length === digits && /^[0-9]+$/.test(text)",
    replacement: "true",
    reason: SAME_CODE,
  },
  {
    file: "lib/otp/totp.ts",
    original: "text.length === digits && /^[0-9]+$/.test(text)",
    replacement: "text.length === digits || /^[0-9]+$/.test(text)",
    reason: SAME_CODE,
  },
  {
    file: "lib/otp/totp.ts",
    original: "text.length === digits",
    replacement: "true",
    reason: SAME_CODE,
  },
  {
    file: "lib/otp/totp.ts",
    line: "const distances = nearest === 0 ? [0] : [];",
    original: "[]",
    reason: "a text is no distance to a step: what it makes of the step is not greater than 0",
  },
  {
    file: "lib/otp/totp.ts",
    original: "first < 0",
    replacement: "false",
    reason: "before the first of a list stands undefined too",
  },
  {
    file: "lib/otp/totp.ts",
    original: "/^[0-9]+$/",
    replacement: "/[0-9]+$/",
    reason: SAME_CODE,
  },
  {
    file: "lib/otp/totp.ts",
    original: "/^[0-9]+$/",
    replacement: "/^[0-9]+/",
    reason: SAME_CODE,
  },
  {
    file: "lib/otp/totp.ts",
    original: "i < a.length",
    replacement: "i <= a.length",
    reason: "behind the end of both texts stands NaN, and NaN ^ NaN is 0",
  },
  {
    file: "lib/otp/secret.ts",
    original: "/=+$/",
    replacement: "/=+/",
    reason: "Base32 has equals signs at its end alone",
  },
  {
    file: "lib/otp/secret.ts",
    original: "[]",
    replacement: '["Stryker was here"]',
    reason: "its first element is passed over",
  },
  {
    file: "lib/service/validate_pin.ts",
    line: 'const fingerprint = guard?.fingerprint(secret) ?? "";',
    original: '""',
    replacement: '"Stryker was here!"',
    reason: "without a guard nobody is asked by a fingerprint",
  },
  {
    file: "lib/service/validate_pin.ts",
    original: "matchedStep === undefined",
    replacement: "false",
    reason: "a pin without a distance is not right, whatever the verdict is",
  },
  {
    file: "lib/service/validate_pin.ts",
    line: 'return matchedStep === undefined ? "wrong" : "accepted";',
    original: '"wrong"',
    replacement: '""',
    reason: "without a guard nobody is told why a pin is not accepted",
  },
  {
    file: "lib/service/operations.ts",
    original: "value.length * 3 <= max",
    replacement: "false",
    reason: "then the characters or bytes are counted, with the same result",
  },
  {
    file: "lib/service/operations.ts",
    original: "value.length * 3 <= max",
    replacement: "value.length * 3 < max",
    reason: "then the characters or bytes are counted, with the same result",
  },
  {
    file: "lib/service/operations.ts",
    original: "value.length > max",
    replacement: "true",
    reason: "no text has more characters than units: the count says the same",
  },
  {
    file: "lib/service/operations.ts",
    original: "value.length > max",
    replacement: "value.length >= max",
    reason: "no text has more characters than units: the count says the same",
  },
  {
    file: "lib/app/service.ts",
    original: "metrics?.observe",
    reason: "what an observer throws is dropped, and nothing of it comes behind this",
  },
  ...[
    [
      "certPath === undefined || keyPath === undefined",
      "certPath === undefined && keyPath === undefined",
    ],
    ["certPath === undefined", "false"],
    ["keyPath === undefined", "false"],
  ].map(([original, replacement]) => ({
    file: "lib/app/tls_files.ts",
    original: original!,
    replacement: replacement!,
    reason: "the options name both or none; the check is for the compiler",
  })),
  {
    file: "lib/app/service.ts",
    original: "apiKeys?.replace",
    replacement: "apiKeys.replace",
    reason: "where there is a file of keys there are keys; the check is for the compiler",
  },
  {
    file: "lib/app/guard.ts",
    original: "!(error instanceof UsageError)",
    replacement: "false",
    reason: "what reads the files throws nothing else",
  },
  {
    file: "lib/app/guard.ts",
    original: "{\n      if (!(error instanceof UsageError)) throw error;\n    }",
    replacement: "{}",
    reason: "what reads the files throws nothing else",
  },
  {
    file: "lib/app/service.ts",
    original: "error instanceof KeyFileError",
    replacement: "true",
    reason: "what reads keys throws nothing else",
  },
  ...[["/^\\[|\\]/g"], ["/\\[|\\]$/g"]].map(([replacement]) => ({
    file: "lib/findings/risks.ts",
    original: "/^\\[|\\]$/g",
    replacement: replacement!,
    reason: "a host has brackets at its ends alone",
  })),
  {
    file: "lib/telemetry/log.ts",
    line: 'const frames = (cause.stack ?? "").split("\\n")',
    original: '""',
    replacement: '"Stryker was here!"',
    reason: "a line that is no frame is passed over",
  },
  {
    file: "lib/telemetry/log.ts",
    original: '{ timeMs: NaN, text: "" }',
    reason: "no time is the one before the first",
  },
  {
    file: "lib/telemetry/log.ts",
    line: 'let written = { timeMs: NaN, text: "" };',
    original: '""',
    reason: "no time is the one before the first",
  },
  {
    file: "lib/telemetry/log.ts",
    original: "timeMs !== written.timeMs",
    replacement: "true",
    reason: "the same text is written out again; the check spares that",
  },
  {
    file: "lib/telemetry/metrics.ts",
    original: '""',
    line: 'const key = `${route} ${operation} ${binding} ${outcome} ${caller ?? ""}`;',
    replacement: '"Stryker was here!"',
    reason: "no caller has a name with blanks, so that neither is anybody's",
  },
  {
    file: "lib/telemetry/metrics.ts",
    original: "bucket >= 0",
    replacement: "true",
    reason: "what is counted at index -1 is in no bucket that is written",
  },
  {
    file: "lib/xml/cursor.ts",
    original: "name.length > this.#maxNameLength",
    replacement: "true",
    reason: "no name has more characters than units: the count behind it says the same",
  },
  {
    file: "lib/xml/writer.ts",
    line: 'if (typeof child !== "string") written += indented(child, `${lineStart}  `);',
    original: '"string"',
    reason: "an element with a text in it is written before; the check is for the compiler",
  },
  {
    file: "lib/xml/tree.ts",
    original: "token.attributes.length === 0",
    replacement: "false",
    reason: "of no attributes none is a declaration; the check spares a list",
  },
  {
    file: "lib/xml/cursor.ts",
    original: "name.length > this.#maxNameLength",
    replacement: "name.length >= this.#maxNameLength",
    reason: "no name has more characters than units: the count behind it says the same",
  },
  {
    file: "lib/xml/cursor.ts",
    original: "end < 0",
    replacement: "end <= 0",
    reason: "something else stands at the beginning of the text whenever a delimiter is looked for",
  },
  {
    file: "lib/xml/tree.ts",
    original: `case "cdata":
        return this.#characters(token.value, token.offset, false);`,
    replacement: 'case "cdata":',
    reason: "a CDATA section has no mark that it is blank either",
  },
  {
    file: "lib/xml/tree.ts",
    original: '"pi"',
    replacement: '""',
    reason: "what no case names does nothing either",
  },
  {
    file: "lib/xml/tree.ts",
    original: `case "pi":
        return;`,
    replacement: 'case "pi":',
    reason: "nothing stands behind it",
  },
  {
    file: "lib/binding/form_urlencoded.ts",
    original: "equals < 0",
    replacement: "equals <= 0",
    reason: "no parameter's name is empty or begins with an equals sign",
  },
  {
    file: "lib/binding/form_urlencoded.ts",
    original: '!text.includes("%")',
    replacement: "false",
    reason: "without a per cent sign there is nothing to replace; the check spares the search",
  },
  {
    file: "lib/binding/media_type.ts",
    original: "value.slice(semicolon)",
    replacement: "value",
    reason: "a parameter begins with a semicolon, and this is the first",
  },
  {
    file: "lib/binding/qr_aspx.ts",
    original: "pixels !== undefined",
    replacement: "true",
    reason: "undefined is not within any bounds; the check is for the compiler",
  },
  {
    file: "lib/binding/result.ts",
    line: 'const value = typeof result === "object" ? result[name] : undefined;',
    original: 'typeof result === "object"',
    replacement: "true",
    reason: "what is no record has no field of such a name",
  },
  {
    file: "lib/binding/result.ts",
    original: 'typeof result === "number"',
    replacement: "true",
    reason: "only a number equals its own whole part; the check is for the compiler",
  },
  {
    file: "lib/binding/soap/envelope.ts",
    original: "body === undefined",
    replacement: "false",
    reason:
      "where there is no second element, none of them is a Body; the check is for the compiler",
  },
  ...["true", "i >= 0"].map((replacement) => ({
    file: "lib/binding/soap/envelope_shapes.ts",
    original: "i > 0",
    replacement,
    reason: "the first one is moved to where it is; not to do so takes less time",
  })),
  {
    file: "lib/binding/result.ts",
    line:
      'if (typeof result === "object" || (kind === "integer" ? !isInteger : typeof result !== kind)) {',
    original: 'typeof result === "object"',
    replacement: "false",
    reason: "no type of one value is called object: the other question refuses a record as well",
  },
  {
    file: "lib/binding/json.ts",
    line: 'const operation = operationNamed(request.operationName ?? "");',
    original: '""',
    reason: "no operation has the one name or the other",
  },
  {
    file: "lib/binding/xsd.ts",
    line: 'return type.kind === "record" ? undefined : SIMPLE_TYPES[type.kind];',
    original: '"record"',
    replacement: '""',
    reason: "the table has no row for a record, which is undefined too",
  },
  {
    file: "lib/binding/http_params.ts",
    original: "request.operationName !== undefined",
    replacement: "true",
    reason:
      "without the name of an operation a POST is SOAP, which is asked before, and a GET is no call",
  },
  {
    file: "lib/http/keys.ts",
    original: 'request.headers.get("authorization")?.trim()',
    replacement: 'request.headers.get("authorization")',
    reason: "the platform takes blanks off the ends of a header field",
  },
  {
    file: "lib/http/keys.ts",
    line: "const [, name, key = line] = NAME.exec(line) ?? [];",
    original: "[]",
    reason: "its first element is passed over",
  },
  {
    file: "lib/http/keys.ts",
    original: "scheme === undefined || credentials === undefined",
    replacement: "scheme === undefined && credentials === undefined",
    reason: "there are both or none; the check is for the compiler",
  },
  {
    file: "lib/http/call.ts",
    original: '"A method that the route allows has no binding"',
    reason: "every method of the route has a binding; the error is for the compiler",
  },
  ...[
    [
      "telemetry === undefined || requestId === undefined",
      "telemetry === undefined && requestId === undefined",
    ],
    ["telemetry === undefined", "false"],
    ["requestId === undefined", "false"],
  ].map(([original, replacement]) => ({
    file: "lib/http/handler.ts",
    original: original!,
    replacement: replacement!,
    reason: "there are both or none; the check is for the compiler",
  })),
  {
    file: "lib/http/target.ts",
    original: 'request.headers.get(name)?.split(",").at(-1)?.trim',
    replacement: 'request.headers.get(name)?.split(",").at(-1).trim',
    reason: "a split text has a last part; the check is for the compiler",
  },
  {
    file: "lib/http/target.ts",
    original: "host !== authority",
    replacement: "true",
    reason: "a Host that is the authority was looked at already, with the same result",
  },
  {
    file: "lib/http/keys.ts",
    original: "scheme === undefined",
    replacement: "false",
    reason: "where there are credentials there is a scheme; the check is for the compiler",
  },
  {
    file: "lib/http/keys.ts",
    original: "credentials === undefined",
    replacement: "false",
    reason: "where there is a scheme there are credentials; the check is for the compiler",
  },
  {
    file: "lib/body/body.ts",
    original: "2 * bytes.length",
    replacement: "2 / bytes.length",
    reason: "room is made more often, for the same bytes",
  },
  {
    file: "lib/body/body.ts",
    original: "{\n    return undefined;\n  }",
    replacement: "{}",
    reason: "a function that ends gives undefined as well",
  },
  {
    file: "lib/body/body.ts",
    original: "needed > bytes.length",
    replacement: "needed >= bytes.length",
    reason: "room is made a little earlier",
  },
  {
    file: "lib/body/body.ts",
    line: 'const place = `line ${lines.length}, column ${[...lines.at(-1) ?? ""].length + 1}`;',
    original: '""',
    reason: "a split text has a last line; the check is for the compiler",
  },
  {
    file: "lib/guard/fingerprint.ts",
    original: "algorithm.toLowerCase()",
    reason: "both runtimes know the names of hashes in either case",
  },
  {
    file: "lib/qr/png.ts",
    line: "for (let y = 0; y < height; y++) {",
    original: "y < height",
    replacement: "y <= height",
    reason: "what is written behind the last line is written nowhere",
  },
  {
    file: "lib/cli/doctor.ts",
    original: "pin === undefined",
    replacement: "false",
    reason: "without a pin there is no secret either; the check is for the compiler",
  },
  {
    file: "lib/qr/encode.ts",
    original: "y < 0",
    replacement: "false",
    reason: "above the first row stands undefined, which is not dark either",
  },
  {
    file: "lib/qr/penalty.ts",
    original: "32 * word < size - 1",
    replacement: "32 * word <= size - 1",
    reason: "a word without a column in which blocks begin has none",
  },
  {
    file: "lib/qr/penalty.ts",
    line: "for (let word = 0; 32 * word < size - 1; word++) {",
    original: "size - 1",
    replacement: "size + 1",
    reason: "a word without a column in which blocks begin has none",
  },
  {
    file: "lib/connection/redis_connection.ts",
    line: "#hasStood = false;",
    original: "false",
    replacement: "true",
    reason: "it is set anew before each connection",
  },
  {
    file: "lib/connection/redis_connection.ts",
    line: 'this.#wake = () => client?.end(new Error("Closed"));',
    original: '"Closed"',
    reason: "nobody is told why a connection that was closed has ended",
  },
  {
    file: "lib/connection/redis_connection.ts",
    original: "client?.end",
    line: 'this.#wake = () => client?.end(new Error("Closed"));',
    replacement: "client.end",
    reason: "there is a client by then; the check is for the compiler",
  },
  {
    file: "lib/connection/redis_connection.ts",
    original: "() => false",
    replacement: "() => undefined",
    reason: "undefined is no more harmless than false",
  },
  {
    file: "lib/connection/store_failure.ts",
    line: 'const code = error instanceof Error && "code" in error ? String(error.code) : "";',
    original: '""',
    reason: "a text with blanks is no code either",
  },
  {
    file: "lib/connection/store_url.ts",
    line: 'const [, primaryName, database = ""] = PATHS[kind].exec(path) ?? [];',
    original: "[]",
    reason: "its first element is passed over",
  },
  {
    file: "lib/connection/store_url.ts",
    line: "[];",
    original: "[]",
    reason: "its first element is passed over",
  },
  {
    file: "lib/connection/store_failure.ts",
    line: 'const word = /^[A-Z]+/.exec(message)?.[0] ?? "";',
    original: '""',
    reason: "neither is a word that may be shown",
  },
  {
    file: "lib/store/redis_script.ts",
    line: 'const [first = "", ...rest] = text.split(" ");',
    original: '""',
    reason: "a split text has a first part; the check is for the compiler",
  },
  {
    file: "lib/store/redis_script.ts",
    original: "[]",
    reason: "its first element is passed over",
  },
  {
    file: "lib/store/redis_store.ts",
    original: "untilMs === undefined",
    replacement: "false",
    reason: "no time comes before none; the check is for the compiler",
  },
  {
    file: "lib/store/cluster_slots.ts",
    original: "[]",
    reason: "a text is no slot either",
  },
  {
    file: "lib/store/primaries.ts",
    line: "const words = Array.isArray(reply) ? reply.map(String) : [];",
    original: "[]",
    reason: "a text without a value behind it says nothing of a primary either",
  },
  {
    file: "lib/store/primaries.ts",
    original: 'answer.status === "fulfilled"',
    replacement: "true",
    reason: "what has no value comes last, however it is sorted",
  },
  {
    file: "lib/store/primaries.ts",
    line:
      'const reasons = answers.flatMap((answer) => answer.status === "rejected" ? [answer.reason] : []);',
    original: "[]",
    reason: "reasons are looked for only where there is nothing else",
  },
  {
    file: "lib/store/connect.ts",
    line: 'let primary = "";',
    original: '""',
    reason: "it is set before it is compared",
  },
  {
    file: "lib/store/connect.ts",
    original: '"Another leads"',
    reason: "what it says is not told: a store that is left cannot be reached",
  },
  {
    file: "lib/store/redis_admin.ts",
    line: "const [cursor, keys] = Array.isArray(reply) ? reply : [];",
    original: "[]",
    reason: "a text is no cursor either",
  },
  {
    file: "lib/store/redis_admin.ts",
    line: "const [seconds] = Array.isArray(reply) ? reply.map(Number) : [];",
    original: "[]",
    reason: "a text is no number of seconds either",
  },
  {
    file: "lib/store/redis_inspect.ts",
    original: "[]",
    reason: "a text is no number of seconds either",
  },
  {
    file: "lib/store/redis_cluster.ts",
    line: "const node = { connection, isAsked: false };",
    original: "false",
    replacement: "true",
    reason: "it is set before it is looked at: a new node is asked, or has slots",
  },
  {
    file: "lib/store/redis_cluster.ts",
    line: 'const news = failure?.saying ?? "";',
    original: '""',
    reason: "it stands for no failure, and no failure is said in these words",
  },
  {
    file: "lib/store/redis_cluster.ts",
    line: 'const [, kind, host = "", port] = REDIRECTION.exec(error.message) ?? [];',
    original: '""',
    reason: "where there is a kind there is a host; the check is for the compiler",
  },
  {
    file: "lib/store/redis_cluster.ts",
    original: "this.#nodes.get(address)?.connection",
    reason: "each primary has its node; the check is for the compiler",
  },
  {
    file: "lib/store/redis_cluster.ts",
    original: "[]",
    replacement: '["Stryker was here"]',
    reason: "its first element is passed over",
  },
  {
    file: "lib/store/redis_store.ts",
    line: 'function refusalName(fingerprint: string, source = ""): string {',
    original: '""',
    reason: "no source has such a name",
  },
  {
    file: "lib/store/redis_store.ts",
    original: "++questions",
    replacement: "--questions",
    reason: "no two questions have one number, whichever way they count",
  },
  {
    file: "lib/connection/redis_client.ts",
    line: "disableOfflineQueue: true,",
    original: "true",
    reason: "nothing is sent before the connection is there, and it never comes back",
  },
  {
    file: "lib/connection/redis_client.ts",
    line: "socket: { ...tls, reconnectStrategy: false, connectTimeout: NONE },",
    original: "false",
    reason: "a client whose connection ends is destroyed before it could try again",
  },
  {
    file: "lib/connection/store_url.ts",
    original: "/:.+@$/",
    replacement: "/:.+@/",
    reason: "a login ends with its last at sign",
  },
  {
    file: "lib/connection/store_url.ts",
    original: "{\n    return false;\n  }",
    replacement: "{}",
    reason: "a function that ends gives undefined, which is taken for the same",
  },
  {
    file: "lib/connection/redis_connection.ts",
    line: '#told = "";',
    original: '""',
    replacement: '"Stryker was here!"',
    reason: "nothing is said of a store in these words either",
  },
  {
    file: "lib/connection/redis_connection.ts",
    line: "resolve();",
    original: "resolve();",
    reason: "nobody waits for a life that is over, whether it ends or stands still",
  },
  {
    file: "lib/store/redis_store.ts",
    line:
      "const [code, refusedMs, answered] = Array.isArray(reply) && reply.length === 3 ? reply : [];",
    original: "[]",
    replacement: '["Stryker was here"]',
    reason: "a text is the code of no verdict either",
  },
  {
    file: "lib/config/options.ts",
    original: 'guard === "memory"',
    replacement: "false",
    reason:
      "the word memory has no mark that it is encrypted either; the check is for the compiler",
  },
  {
    file: "lib/binding/xsd.ts",
    line: 'return type.kind === "record" ? undefined : SIMPLE_TYPES[type.kind];',
    original: 'type.kind === "record"',
    replacement: "false",
    reason: "the table has no row for a record, which is undefined too",
  },
  {
    file: "lib/http/answer.ts",
    original: "advice === undefined",
    replacement: "false",
    reason: "nothing is added to the header fields either",
  },
  {
    file: "lib/http/keys.ts",
    line: 'const shown = digest(shownKey(request) ?? "");',
    original: '""',
    replacement: '"Stryker was here!"',
    reason: "a text with blanks is no key either",
  },
  {
    file: "lib/http/keys.ts",
    line:
      '/^(Basic|Bearer) +(\\S+)$/i.exec(request.headers.get("authorization")?.trim() ?? "") ?? [];',
    original: '""',
    replacement: '"Stryker was here!"',
    reason: "that is no scheme of a key either",
  },
  {
    file: "lib/http/keys.ts",
    line:
      '/^(Basic|Bearer) +(\\S+)$/i.exec(request.headers.get("authorization")?.trim() ?? "") ?? [];',
    original: "[]",
    reason: "its first element is passed over",
  },
  {
    file: "lib/http/call.ts",
    original: "binding === undefined",
    replacement: "false",
    reason: "every method of the route has a binding; the check is for the compiler",
  },
  {
    file: "lib/http/documents.ts",
    original: "oldest !== undefined",
    replacement: "true",
    reason: "where there are so many there is an oldest; the check is for the compiler",
  },
  {
    file: "lib/http/documents.ts",
    line: 'const accepted = request.headers.get("accept-encoding") ?? "";',
    original: '""',
    replacement: '"Stryker was here!"',
    reason: "neither speaks of gzip",
  },
  {
    file: "lib/http/documents.ts",
    line: 'format: typeof name === "string" ? DEFAULT_FORMAT : name.format,',
    original: '"string"',
    reason: "no document but the page of an operation has a format",
  },
  {
    file: "lib/http/documents.ts",
    line: 'format: typeof name === "string" ? DEFAULT_FORMAT : name.format,',
    original: 'typeof name === "string"',
    replacement: "false",
    reason: "no document but the page of an operation has a format",
  },
  {
    file: "lib/http/handler.ts",
    line: 'return { reply: { status: 204, contentType: "", body: null, headers }, outcome: "ok" };',
    original: '""',
    reason: "of what has no body, no media type is said",
  },
  {
    file: "lib/http/target.ts",
    original: "index < 0",
    replacement: "index <= 0",
    reason: "it is looked for behind the scheme, never at the beginning",
  },
  {
    file: "lib/http/router.ts",
    line: "const named = slash < 0 ? undefined : routes.get(`${file}/*`);",
    original: "slash < 0",
    replacement: "false",
    reason: "where there is no slash, nobody asks what stands behind it",
  },
  {
    file: "lib/http/keys.ts",
    line: "#known: readonly (Caller & { readonly digest: Buffer })[] = [];",
    original: "[]",
    reason: "the constructor puts keys in its place",
  },
  {
    file: "lib/http/router.ts",
    original: "slash < 0",
    replacement: "slash <= 0",
    reason: "the first slash of a path is not looked at",
  },
  {
    file: "lib/http/router.ts",
    original: "slash >= 0",
    replacement: "slash > 0",
    reason: "the first slash of a path is not looked at",
  },
  {
    file: "lib/qr/encode.ts",
    original: "range.max < min || range.min > max",
    replacement: "false",
    reason: SPARED_VERSIONS,
  },
  {
    file: "lib/qr/encode.ts",
    original: "range.max < min || range.min > max",
    replacement: "range.max < min && range.min > max",
    reason: SPARED_VERSIONS,
  },
  {
    file: "lib/qr/encode.ts",
    original: "range.max < min",
    replacement: "false",
    reason: SPARED_VERSIONS,
  },
  {
    file: "lib/qr/encode.ts",
    original: "range.min > max",
    replacement: "false",
    reason: SPARED_VERSIONS,
  },
  {
    file: "lib/qr/matrix.ts",
    original: "i < size - 8",
    replacement: "i <= size - 8",
    reason: "the module behind the last one is of a separator, and as light as the next would be",
  },
  {
    file: "lib/qr/png.ts",
    original: "row < size",
    replacement: "true",
    reason: "below the symbol no module is dark: the pixels are the same",
  },
  {
    file: "lib/diagnosis/pin_reading.ts",
    original: "/^\\p{Nd}$/u",
    replacement: "/\\p{Nd}$/u",
    reason: "it is asked of one character",
  },
  {
    file: "lib/diagnosis/pin_reading.ts",
    original: "/^\\p{Nd}$/u",
    replacement: "/^\\p{Nd}/u",
    reason: "it is asked of one character",
  },
  {
    file: "lib/diagnosis/secret_readings.ts",
    original: '"base32"',
    replacement: '""',
    reason: "what is not text is Base32",
  },
  {
    file: "lib/diagnosis/diagnosis.ts",
    original: "length > digits.length",
    replacement: "length >= digits.length",
    reason: "of an equal length it is asked before",
  },
  {
    file: "lib/qr/codewords.ts",
    original: "i > 0",
    replacement: "i >= 0",
    reason: "before the first coefficient stands nothing, and that adds nothing",
  },
  {
    file: "lib/qr/encode.ts",
    original: "y >= code.size",
    replacement: "false",
    reason: "behind the last row stand no words, and those have no bit set",
  },
  {
    file: "lib/qr/png.ts",
    original: "row < size",
    replacement: "row <= size",
    reason: "below the symbol no module is dark: the pixels are the same",
  },
  {
    file: "lib/runtime/traffic.ts",
    line: "if (this.#running === 0 && (waits >= STEADY_WAITS || !this.#cameSince)) return;",
    original: "waits >= STEADY_WAITS",
    replacement: "false",
    reason: "the next turn then waits for nothing, and finds that nobody came in it",
  },
  {
    file: "lib/runtime/traffic.ts",
    line: "#cameSince = false;",
    original: "false",
    replacement: "true",
    reason: "whether somebody came is forgotten before it is asked for the first time",
  },
  ...["false", "() => false"].map((original) => ({
    file: "lib/runtime/listener.ts",
    line: "return { url: `unix:${path}`, renew: () => false, stop: () => standing.stop() };",
    original,
    reason: "on a socket there is no TLS, and nothing that renews it",
  })),
  {
    file: "lib/config/options.ts",
    original: "{ value: undefined }",
    replacement: "{}",
    reason: "what has no value has the value undefined",
  },
  {
    file: "lib/config/options.ts",
    line: 'if (wantsTls && (guard === "memory" || !guard.isEncrypted)) {',
    original: '"memory"',
    reason: "the word memory is not encrypted either; the check is for the compiler",
  },
  {
    file: "lib/config/option.ts",
    original: "inherited !== undefined",
    replacement: "true",
    reason: "a default is what is expected, so nobody is told where it comes from",
  },
  {
    file: "lib/runtime/deno.ts",
    original: "/^http\\+unix:\\/\\/[^/]*/",
    replacement: "/http\\+unix:\\/\\/[^/]*/",
    reason: "the URL begins so",
  },
  {
    file: "lib/runtime/unix_socket.ts",
    original: "statOf(to)?.ino",
    replacement: "statOf(to).ino",
    reason: "it was moved there just now; the check is for the compiler",
  },
  {
    file: "lib/findings/findings.ts",
    original: '"win32"',
    reason: "the tests run on Linux",
  },
  {
    file: "lib/findings/findings.ts",
    original: 'path === undefined || process.platform === "win32"',
    replacement: 'path === undefined && process.platform === "win32"',
    reason: "no file without a path can be looked at either, and the tests run on Linux",
  },
  {
    file: "lib/findings/findings.ts",
    original: "{\n    return undefined;\n  }",
    replacement: "{}",
    reason: "a function that ends gives undefined as well",
  },
  {
    file: "lib/findings/findings.ts",
    original: 'process.platform === "win32"',
    replacement: "false",
    reason: "the tests run on Linux",
  },
  {
    file: "lib/findings/findings.ts",
    original: 'path === undefined || process.platform === "win32"',
    replacement: "false",
    reason: "no file without a path can be looked at either, and the tests run on Linux",
  },
  {
    file: "lib/findings/findings.ts",
    original: "path === undefined",
    replacement: "false",
    reason: "no file without a path can be looked at or read either; the check is for the compiler",
  },
  {
    file: "lib/findings/findings.ts",
    original: `{
    return false;
  }`,
    replacement: "{}",
    reason: "undefined is no more public than false",
  },
  {
    file: "lib/findings/obstacles.ts",
    line: "const unused = (): Response => new Response(null, { status: 503 });",
    original: "{ status: 503 }",
    reason: NOBODY_ASKS,
  },
  {
    file: "lib/findings/obstacles.ts",
    original: "(): Response => new Response(null, { status: 503 })",
    reason: NOBODY_ASKS,
  },
  {
    file: "lib/findings/obstacles.ts",
    original: "() => Promise.resolve(unused())",
    reason: NOBODY_ASKS,
  },
  {
    file: "lib/findings/risks.ts",
    line: 'return guard !== "memory" && guard.hasPassword;',
    original: '"memory"',
    reason: "the word memory has no password either; the check is for the compiler",
  },
  {
    file: "lib/findings/risks.ts",
    line: 'return guard !== "memory" && guard.hasPassword;',
    original: 'guard !== "memory"',
    replacement: "true",
    reason: "the word memory has no password either; the check is for the compiler",
  },
  {
    file: "lib/findings/risks.ts",
    original: "baseUrl !== undefined",
    replacement: "true",
    reason: "undefined is no URL of the scheme http; the check is for the compiler",
  },
  {
    file: "lib/guard/guard.ts",
    line: 'const refusedMs = verdict === "wrong" ? refusedBy(rules, kept, source, nowMs) : leftMs;',
    original: 'verdict === "wrong"',
    replacement: "true",
    reason: "only a wrong pin makes a wait longer: of all others the same comes out once more",
  },
  {
    file: "lib/guard/recent_table.ts",
    original: "this.#swept + 1 < this.#names.length",
    replacement: "this.#swept + 1 <= this.#names.length",
    reason: "behind the last place there is none, and nothing that could have expired",
  },
  {
    file: "lib/guard/fingerprint.ts",
    original: "length > 0",
    replacement: "true",
    reason: "before the first byte stands undefined, which is no zero byte",
  },
  {
    file: "lib/guard/fingerprint.ts",
    original: "length > 0",
    replacement: "length >= 0",
    reason: "before the first byte stands undefined, which is no zero byte",
  },
  {
    file: "lib/guard/guard.ts",
    line: "const own = source === undefined ? undefined : sourceNamed(sources, source);",
    original: "source === undefined",
    replacement: "false",
    reason: "nobody who asks is named undefined; the check is for the compiler",
  },
  {
    file: "lib/guard/recent_table.ts",
    line: "readonly #sources: string[] = [];",
    original: "[]",
    reason: "a place is written before it is read",
  },
  {
    file: "lib/guard/recent_table.ts",
    original: '"[]"',
    reason: "it is compared with itself, and what stands in a place that is free is not read",
  },
  {
    file: "lib/cli/doctor.ts",
    original: "match.stepsAhead > 0",
    replacement: "match.stepsAhead >= 0",
    reason: "zero is asked for before",
  },
  {
    file: "lib/runtime/standing.ts",
    original: "() => this.#retiring.delete(retired)",
    reason: "what has ended holds up nobody; to forget it spares memory",
  },
  {
    file: "lib/runtime/standing.ts",
    original: "this.#refusals++",
    replacement: "this.#refusals--",
    reason: "counted downwards, every so many of them are said as well",
  },
  {
    file: "lib/runtime/listener.ts",
    line: "serving = start(runtime, { address: { path }, tls, shared: false }, {",
    original: "false",
    replacement: "true",
    reason: "only ports are shared",
  },
  {
    file: "lib/terminal/terminal.ts",
    line: 'return { text, end: "line" };',
    original: '"line"',
    reason: "whatever ends a line, and neither the input nor the asking, ends it so",
  },
  {
    file: "lib/command_line/commands.ts",
    line: 'if (text === "") return { value: undefined };',
    original: "{ value: undefined }",
    reason: "a record without a field has no value there either",
  },
  {
    file: "lib/command_line/commands.ts",
    original: "/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z|[+-][0-9]{2}:[0-9]{2})$/",
    replacement: "/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z|[+-][0-9]{2}:[0-9]{2})/",
    reason: "Date.parse takes nothing behind a time but U+0000, which no argument can hold",
  },
  {
    file: "lib/cli/code.ts",
    line: 'const args = new Map([["pin", ""], ["secretCode", secretCode]]);',
    original: '""',
    reason: "the pin is not looked at, whatever it is",
  },
  {
    file: "lib/cli/doctor.ts",
    original: '() => ""',
    reason: "no picture is asked for, and only one that is a file has an address",
  },
  {
    file: "lib/cli/doctor.ts",
    line: "const [, pin, rest] = /^([^\\n]*)\\n([^]*)$/.exec(text) ?? [];",
    original: "[]",
    reason: "its first element is passed over",
  },
  {
    file: "lib/cli/doctor.ts",
    line: 'const secretCode = withoutLineEnd(rest ?? "");',
    original: '""',
    reason: "where there is no rest there is no pin, which is refused as well",
  },
  {
    file: "lib/cli/doctor.ts",
    original: "/^([^\\n]*)\\n([^]*)$/",
    replacement: "/([^\\n]*)\\n([^]*)$/",
    reason: WHOLE_TEXT,
  },
  {
    file: "lib/cli/doctor.ts",
    original: "/^([^\\n]*)\\n([^]*)$/",
    replacement: "/^([^\\n]*)\\n([^]*)/",
    reason: WHOLE_TEXT,
  },
  {
    file: "lib/cli/pair.ts",
    original: "code === undefined",
    replacement: "false",
    reason: REFUSED_BEFORE,
  },
  {
    file: "lib/cli/pair.ts",
    original: '"The service accepts what does not fit"',
    reason: REFUSED_BEFORE,
  },
  {
    file: "lib/cli/check.ts",
    original: "!(error instanceof UsageError)",
    replacement: "false",
    reason:
      "what reads the files throws nothing else; anything else would be a mistake of the program",
  },
  {
    file: "lib/cli/guard.ts",
    original: "rows.length >= 100 * SHOWN_SECRETS",
    reason: SPARES_MEMORY,
  },
  {
    file: "lib/cli/guard.ts",
    original: "100 * SHOWN_SECRETS",
    reason: SPARES_MEMORY,
  },
  {
    file: "lib/guard/recent_table.ts",
    original: "sources.length === 0",
    replacement: "false",
    reason: NO_SOURCES_IN_JSON,
  },
  {
    file: "lib/guard/recent_table.ts",
    original: "text === NO_SOURCES",
    replacement: "false",
    reason: NO_SOURCES_IN_JSON,
  },
  {
    file: "lib/guard/recent_table.ts",
    line: "place !== NONE && this.#expiresAtMs[place]! <= nowMs",
    original: "place !== NONE",
    replacement: "true",
    reason: "where there is no place there is no time either, and so none that has passed",
  },
  {
    file: "lib/store/cluster_slots.ts",
    original: "this.#tried++",
    replacement: "this.#tried--",
    reason: "a key with a number below 0 is as good as any",
  },
  {
    file: "lib/store/redis_store.ts",
    line: 'if (verdict === "unavailable") onError?.();',
    original: "onError?.()",
    replacement: "onError()",
    reason: "where nobody counts errors this one is caught, and the verdict is the same",
  },
  {
    file: "lib/store/redis_cluster.ts",
    original: "key === undefined || this.#owners[slotOf(key)] !== address",
    replacement: "true",
    reason: "one key of a node is as good as another; the check spares the search",
  },
  {
    file: "lib/command_line/command_line.ts",
    line: 'const near = known.get(nearestOf(flag, known.keys()) ?? "");',
    original: '""',
    reason: "neither is the name of an option",
  },
  {
    file: "lib/qr/codewords.ts",
    original: "a === 0",
    replacement: "false",
    reason: "no generator polynomial of up to 30 degrees has a coefficient 0",
  },
  {
    file: "lib/qr/codewords.ts",
    original: "countBits > 0",
    replacement: "true",
    reason: ONE_BIT,
  },
  {
    file: "lib/qr/codewords.ts",
    original: "countBits > 0",
    replacement: "countBits >= 0",
    reason: ONE_BIT,
  },
  {
    file: "lib/qr/segments.ts",
    original: "mode < 3",
    replacement: "mode <= 3",
    reason: "nobody asks for a fourth mode, and its bits are those that the others leave free",
  },
  ...[
    "for (let i = 6 * words; i < matrix.length; i++) {",
    "for (let i = 0; i < matrix.length; i++) twiceDark += popCount(matrix[i]!);",
  ].map((line) => ({
    file: "lib/qr/penalty.ts",
    line,
    original: "i < matrix.length",
    replacement: "i <= matrix.length",
    reason: "outside the symbol stands undefined, which is light",
  })),
  {
    file: "lib/qr/penalty.ts",
    original: "found !== 0",
    replacement: "true",
    reason: "where none is found none is counted; the check spares the counting",
  },
  {
    file: "lib/qr/penalty.ts",
    original: "before >= 0",
    replacement: "true",
    reason: "outside the symbol stands undefined, which has no bit set",
  },
  ...["true", "after <= matrix.length"].map((replacement) => ({
    file: "lib/qr/penalty.ts",
    original: "after < matrix.length",
    replacement,
    reason: "outside the symbol stands undefined, which has no bit set",
  })),
  {
    file: "lib/qr/mask.ts",
    original: "layers === undefined",
    replacement: "true",
    reason: MADE_ANEW,
  },
  {
    file: "lib/qr/mask.ts",
    line: "layersByVersionAndLevel.set(key, layers);",
    original: "layersByVersionAndLevel.set(key, layers);",
    reason: MADE_ANEW,
  },
];
