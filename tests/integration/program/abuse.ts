/**
 * What bad clients send, and the status that each runtime answers with; `closed` for none.
 *
 * @module
 */

/** A case of abuse: bytes that are sent at once. */
export interface Abuse {
  /** What is sent, as docs/runtimes.md says it. */
  readonly title: string;
  /** The bytes, each character one. */
  readonly bytes: string;
  /** What it gets on Deno. */
  readonly deno: string;
  /** What it gets on Bun. */
  readonly bun: string;
}

const FORM = "pin=1&secretCode=x";

function get(target: string, more = ""): string {
  return `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
}

function post(fields: string, body: string): string {
  return "POST /api.asmx/ValidatePin HTTP/1.1\r\nHost: localhost\r\n" +
    `Content-Type: application/x-www-form-urlencoded\r\n${fields}\r\n${body}`;
}

const CHUNKED = `${FORM.length.toString(16)}\r\n${FORM}\r\n0\r\n\r\n`;

const H2C = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n" +
  "HTTP2-Settings: AAEAAEAAAAIAAAAB\r\n";

/** Title, bytes, and the status on Deno and on Bun. */
const ROWS: readonly (readonly [string, string, string, string])[] = [
  ["A head of 64 KiB and a byte", get("/healthz", `X: ${"a".repeat(65_536)}\r\n`), "400", "431"],
  ["A head of 20 KiB", get("/healthz", `X: ${"a".repeat(20_000)}\r\n`), "200", "200"],
  ["129 header lines", get("/healthz", headerLines(128)), "400", "200"],
  ["201 header lines", get("/healthz", headerLines(200)), "400", "431"],
  [
    "Transfer-Encoding: gzip, chunked",
    post("Transfer-Encoding: gzip, chunked\r\n", CHUNKED),
    "200",
    "400",
  ],
  [
    "A chunk whose size is no number",
    post("Transfer-Encoding: chunked\r\n", "zz\r\n"),
    "closed",
    "400",
  ],
  [
    "A space after the size of a chunk",
    post("Transfer-Encoding: chunked\r\n", CHUNKED.replace("\r\n", " \r\n")),
    "200",
    "400",
  ],
  [
    "`Transfer-Encoding: , chunked`",
    post("Transfer-Encoding: , chunked\r\n", CHUNKED),
    "400",
    "200",
  ],
  // A pin that is computed: what Bun can answer without a wait goes out before it finds the trailer.
  [
    "A trailer section after an empty chunked body",
    "POST /Validate.aspx?pin=000000&secretCode=x HTTP/1.1\r\nHost: localhost\r\n" +
    "Transfer-Encoding: chunked\r\n\r\n0\r\nX-T: 1\r\n\r\n",
    "200",
    "400",
  ],
  // What java.net.http.HttpClient sends with every POST over plain HTTP unless told otherwise.
  [
    "A body with `Upgrade: h2c`",
    post(H2C + `Content-Length: ${FORM.length}\r\n`, FORM),
    "400",
    "200",
  ],
  ["A declared length of 1 TB", post(`Content-Length: ${1e12}\r\n`, FORM), "413", "413"],
  ["A DEL character in a header", get("/healthz", "X: \x7f\r\n"), "400", "200"],
  // RFC 3986 §2 has it percent-encoded alone. Bun reads it as if it were: see abuse_test.ts.
  [
    "A DEL character in the query",
    get("/api.asmx/ValidatePin?pin=1&secretCode=a\x7fb"),
    "400",
    "200",
  ],
  ["Bare LF as line end", "GET /healthz HTTP/1.1\nHost: localhost\n\n", "200", "505"],
  ["Empty lines before a request", `\r\n\r\n${get("/healthz")}`, "200", "400"],
  // With a pin that is computed, as above.
  [
    "A line end behind a body",
    "POST /Validate.aspx?pin=000000&secretCode=x HTTP/1.1\r\nHost: localhost\r\n" +
    "Content-Length: 1\r\n\r\na\r\n",
    "200",
    "400",
  ],
  ["%00 in the path", get("/%00healthz"), "404", "404"],
  ["A zero byte in the path", get("/\0healthz"), "400", "505"],
  ["`/x/../healthz`", get("/x/../healthz"), "404", "200"],
  ["`/.\\healthz`", get("/.\\healthz"), "404", "200"],
  [
    "A byte that is not UTF-8 in another query",
    get("/api.asmx/ValidatePin?pin=1&secretCode=\xE9"),
    "400",
    "400",
  ],
  // Where Bun lets the handler answer: False, as abuse_test.ts has it.
  [
    "A byte that is not UTF-8 in the query of `/Validate.aspx`",
    get("/Validate.aspx?pin=1&secretCode=\xE9"),
    "400",
    "200",
  ],
  [
    "A space in the query of `/Validate.aspx`",
    get("/Validate.aspx?Pin=123 456&SecretCode=x"),
    "400",
    "505",
  ],
  // Bun puts this in the place of such bytes, and a server of it cannot tell which was sent.
  [
    "`%EF%BF%BD` in the query",
    get("/api.asmx/ValidatePin?pin=1&secretCode=%EF%BF%BD"),
    "200",
    "400",
  ],
  // Bun encodes it, and what it made of it is counted.
  [
    "A query of 8,192 characters, one of them `'`",
    get(`/api.asmx/ValidatePin?pin=1&secretCode=x&n='${"n".repeat(8_170)}`),
    "200",
    "414",
  ],
  [
    "A letter in the query that is UTF-8",
    get("/api.asmx/ValidatePin?pin=1&secretCode=\xC3\xA9"),
    "200",
    "200",
  ],
  ["A whole URL as target", get("http://localhost/healthz"), "200", "200"],
  ["A whole URL without a path", get("http://localhost?wsdl"), "302", "302"],
  ["A whole URL whose host is none", get("http://[::1/healthz"), "400", "200"],
  ["A whole URL without a host", get("http://"), "400", "302"],
  ["`OPTIONS *`", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", "404", "400"],
  ["`get` for `GET`", get("/healthz").replace("GET", "get"), "200", "closed"],
  [
    "A method that no standard has",
    "FROB /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "405",
    "closed",
  ],
  ["HTTP/1.1 without Host", "GET /healthz HTTP/1.1\r\n\r\n", "200", "400"],
  ["HTTP/1.0 without Host", "GET /healthz HTTP/1.0\r\n\r\n", "200", "200"],
  ["Two Hosts", "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400", "400"],
  ["A line of HTTP/0.9", "GET /healthz\r\n\r\n", "400", "505"],
  ["HTTP/2.0 in a request line", "GET /healthz HTTP/2.0\r\nHost: a\r\n\r\n", "400", "505"],
];

/** Cases that both runtimes refuse with an empty 400, before a server sees the request. */
export const REFUSED: readonly (readonly [title: string, bytes: string])[] = [
  [
    "`Content-Length` beside `Transfer-Encoding: chunked`",
    post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", CHUNKED),
  ],
  ["Two different `Content-Length`", post("Content-Length: 3\r\nContent-Length: 18\r\n", FORM)],
  ["`Content-Length: 18, 18`", post("Content-Length: 18, 18\r\n", FORM)],
  [
    "`Content-Length: +18`, or another text that is no number",
    post("Content-Length: +18\r\n", FORM),
  ],
  ["An empty `Content-Length`", post("Content-Length:\r\n", FORM)],
  [
    "`Transfer-Encoding: identity`, or another that does not end with `chunked`",
    post("Transfer-Encoding: identity\r\nContent-Length: 18\r\n", FORM),
  ],
  [
    "`Transfer-Encoding: chunked` twice",
    post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", CHUNKED),
  ],
  ["A header line without a colon", get("/healthz", "nonsense\r\n")],
  ["A blank between the name of a header and its colon", get("/healthz", "X : y\r\n")],
  [
    "A name of a header that is empty, or has a character such as `(` or `é`",
    get("/healthz", "\xE9: y\r\n"),
  ],
  ["A header folded over two lines", post("Transfer-Encoding:\r\n chunked\r\n", CHUNKED)],
  ["A zero byte, or a CR alone, in a header", get("/healthz", "X: \0\r\n")],
  ["Two spaces in the request line", "GET  /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"],
  ["A target without a slash at its beginning", get("healthz")],
  ["`http:` as target", get("http:")],
  [
    "TLS, on a port without it",
    `\x16\x03\x01\x00\xc8\x01\x00\x00\xc4${"\x03".repeat(196)}`,
  ],
];

/** All cases. */
export const ABUSES: readonly Abuse[] = [
  ...ROWS.map(([title, bytes, deno, bun]) => ({ title, bytes, deno, bun })),
  ...REFUSED.map(([title, bytes]) => ({ title, bytes, deno: "400", bun: "400" })),
];

function headerLines(count: number): string {
  return Array.from({ length: count }, (_, i) => `X-${i}: 1\r\n`).join("");
}
