import { deviates, met, notApplicable, type Source, testsOf } from "../row.ts";

const abuse = testsOf("runtime/abuse_test.ts");
const routes = testsOf("exchanges/routes.md");
const limits = testsOf("exchanges/limits.md");
const params = testsOf("exchanges/http_params.md");
const soap = testsOf("exchanges/soap11.md");
const http = testsOf("conformance/http_test.ts");
const keys = testsOf("http/keys_test.ts");
const handler = testsOf("http/handler_test.ts");

/** HTTP, as far as the service decides it and its runtime is asked. */
export const HTTP: Source = {
  title: "HTTP",
  note:
    "RFC 9110 (semantics) and RFC 9112 (HTTP/1.1) for an origin server. The runtime reads the head of " +
    "a message; what it does is tested where the service depends on it.",
  isChecked: (id) => id !== "H-12",
  rows: [
    met("H-01", "RFC 9110 §9.1", "MUST", "GET and HEAD are supported.", [
      routes("HEAD answers as GET without a body"),
    ]),
    met("H-02", "RFC 9110 §9.1", "MUST", "Methods are compared with case.", [
      routes("A method is compared with case"),
    ]),
    met("H-03", "RFC 9110 §9.3.2", "MUST", "A reply to HEAD has no content.", [
      routes("HEAD answers as GET without a body"),
    ]),
    met("H-44", "RFC 9110 §9.3.2", "SHOULD", "Its fields are those of GET.", [
      routes("HEAD answers as GET without a body"),
    ]),
    met("H-04", "RFC 9110 §9.3.7", "SHOULD", "OPTIONS says what may be done, in Allow.", [
      routes("OPTIONS is 204 and says what is allowed"),
    ]),
    met(
      "H-05",
      "RFC 9110 §9.3.8",
      "MAY",
      "TRACE, where it is answered, would repeat the request; it is not.",
      [
        routes("TRACE is 405"),
      ],
    ),
    met("H-06", "RFC 9110 §15.3.1", "our rule", "A success is 200.", [
      testsOf("exchanges/contract.md")("Pair by HTTP GET"),
    ]),
    met("H-07", "RFC 9110 §15.3.5, §8.6", "MUST", "204 has no content and no Content-Length.", [
      routes("OPTIONS is 204 and says what is allowed"),
    ]),
    met("H-08", "RFC 9110 §15.4.3", "SHOULD", "302 says in Location where to go.", [
      routes("The root leads to the service page"),
    ]),
    met(
      "H-09",
      "RFC 9110 §15.4.5",
      "MUST",
      "304 carries Date, ETag and Cache-Control as 200 would, and no content.",
      [
        routes("A match with the ETag is 304"),
        http("HTTP: a reply has a Date, whatever its status"),
      ],
    ),
    met(
      "H-10",
      "RFC 9110 §15.5.1",
      "our rule",
      "A request that cannot be read is 400 with a sentence.",
      [
        params("Escapes that are not UTF-8 are refused"),
        params("A missing parameter is named"),
      ],
    ),
    met(
      "H-11",
      "RFC 9110 §15.5.2, §11.6.1",
      "MUST",
      "401 has a WWW-Authenticate with a challenge.",
      [
        keys("createHandler() asks for a key on …"),
      ],
    ),
    met(
      "H-12",
      "RFC 9110 §11.1; RFC 7617 §2",
      "MUST",
      "Schemes are compared without case; Basic ends the user name at the first colon.",
      [
        keys("KeyRing lets in a Bearer token, scheme in another case"),
        keys("KeyRing lets in a Basic password that holds colons"),
      ],
    ),
    met(
      "H-13",
      "RFC 9110 §15.5.5",
      "our rule",
      "An unknown path or operation is 404, without naming it.",
      [
        routes("An unknown path is 404"),
        routes("A name that is no operation is 404"),
      ],
    ),
    met(
      "H-14",
      "RFC 9110 §15.5.6, §10.2.1",
      "MUST",
      "405 has an Allow with the methods that the resource supports.",
      [
        routes("Another verb is 405 and says what is allowed"),
      ],
    ),
    met("H-15", "RFC 9110 §15.5.9", "our rule", "A body that does not arrive in time is 408.", [
      handler("createHandler() gives up on a body that does not come"),
    ]),
    met("H-16", "RFC 9110 §15.5.14", "our rule", "A body over the limit is 413.", [
      limits("A form has at most 65,536 bytes"),
      limits("A chunked SOAP 1.2 body has no more"),
    ]),
    met("H-17", "RFC 9110 §15.5.15", "our rule", "A query over the limit is 414.", [
      routes("A query string has at most 8,192 characters"),
    ]),
    met("H-18", "RFC 9112 §3", "SHOULD", "Request lines of 8,000 octets are supported.", [
      routes("A query string has at most 8,192 characters"),
    ]),
    met(
      "H-19",
      "RFC 9110 §15.5.16",
      "our rule",
      "A media type, charset or coding that is not supported is 415.",
      [
        params("A form of another media type is 415"),
        params("A form in another charset or coding is 415"),
        soap("A Content-Encoding but identity is 415"),
      ],
    ),
    met(
      "H-20",
      "RFC 9110 §15.6.1",
      "our rule",
      "An unexpected error is 500, and so is the fault about an envelope that was read; B-27 has the others.",
      [
        handler("createHandler() tells nothing of an unexpected error over …"),
        soap("A missing parameter is named"),
      ],
    ),
    met(
      "H-21",
      "RFC 9110 §15.6.4",
      "our rule",
      "While the server drains `/readyz` is 503, and nothing else is.",
      [
        handler("createHandler() answers 503 on /readyz alone while the server is not ready"),
      ],
    ),
    met(
      "H-22",
      "RFC 9110 §8.3.1",
      "MUST",
      "Types and names of parameters of media types are compared without case; quotes do not matter.",
      [
        testsOf("binding/media_type_test.ts")("parseMediaType() reads …"),
      ],
    ),
    met(
      "H-23",
      "RFC 9110 §8.6",
      "MUST",
      "Content-Length is that of the content, and of what GET would send for HEAD. (Every exchange is checked over TCP.)",
      [
        routes("HEAD answers as GET without a body"),
      ],
    ),
    met(
      "H-24",
      "RFC 9110 §8.8.1, §8.8.3",
      "MUST",
      "The ETag is strong: another representation has another one.",
      [
        routes("A match with the ETag is 304"),
        routes("Another ETag is no match"),
      ],
    ),
    met(
      "H-25",
      "RFC 9110 §13.1.2",
      "MUST",
      "If-None-Match compares weakly, takes a list and `*`.",
      [
        routes("A match with the ETag is 304"),
      ],
    ),
    met("H-43", "RFC 9110 §13.2.1", "MUST", "A condition turns no error into a 304.", [
      routes("What is not found is never 304"),
    ]),
    met("H-26", "RFC 9110 §5.3", "MAY", "Several fields of one name are one list.", [
      soap("Two SOAPActions are refused"),
    ]),
    met("H-27", "RFC 9110 §6.6.1", "MUST", "2xx, 3xx and 4xx have a Date.", [
      http("HTTP: a reply has a Date, whatever its status"),
    ]),
    deviates(
      "H-28",
      "RFC 9110 §10.1.1, §15.2",
      "MUST",
      "A caller that expects 100-continue, in any case, gets it, or a final status; one of HTTP/1.0 gets no 100.",
      "The runtimes see to it. Bun knows the value in lower case alone, and others get the final status; both send 100 to HTTP/1.0 as well.",
      [
        abuse("abuse …: Expect: … over … gets …"),
        params("A caller that expects 100-continue is told to continue"),
        limits("A caller that expects 100-continue with too large a body gets the same"),
      ],
    ),
    met("H-29", "RFC 9112 §3.2", "MUST", "More than one Host, or one that is no host, is 400.", [
      http("HTTP: two Hosts are 400"),
      testsOf("exchanges/description.md")("A Host that is not a host is 400 on every path"),
    ]),
    deviates(
      "H-30",
      "RFC 9112 §3.2",
      "MUST",
      "An HTTP/1.1 request without a Host is 400.",
      "The runtime passes it on and does not tell it from HTTP/1.0, whose callers come without one and are answered; addresses in the reply are then those of the socket.",
      [
        http("HTTP: an HTTP/1.1 request without a Host is answered"),
        params("An HTTP/1.0 caller is answered"),
      ],
    ),
    met("H-31", "RFC 9112 §3.2.2", "MUST", "A request target may be a whole URL.", [
      routes("A request target may be a whole URL"),
      abuse("abuse …: A whole URL as target → 200"),
      abuse("abuse …: A whole URL without a path → 302"),
    ]),
    deviates(
      "H-39",
      "RFC 9112 §3.2.2",
      "MUST",
      "The host of a target that is a whole URL wins over Host.",
      "It does on Deno. Bun takes the host away before a server sees the request, so there Host wins.",
      [
        testsOf("exchanges/description.md")("The host of a whole URL wins over the Host"),
        abuse("abuse …: A whole URL whose host is none → …"),
      ],
    ),
    met(
      "H-40",
      "RFC 9112 §9.6",
      "SHOULD",
      "A server that closes the connection says so in its reply, when the request asks for that or not.",
      [
        abuse("abuse …: a client that asks for … is told so and let go"),
        testsOf("runtime/traffic_test.ts")("drain() ends under steady load"),
      ],
    ),
    met(
      "H-41",
      "RFC 9112 §9.6",
      "our rule",
      "The connection is closed so that a caller who still sends a body gets to read the reply: up to 1 MiB of it is taken first.",
      [
        abuse("abuse …: … of 240,000 bytes is refused without a reset …"),
      ],
    ),
    met(
      "H-32",
      "RFC 9112 §6.3, §5.1, §5.2",
      "MUST",
      "Contradicting lengths, spaces before a colon, folded fields, and transfer codings that do not end in chunked are 400.",
      [
        http("HTTP: a message that two readers could cut apart differently is 400"),
      ],
    ),
    met("H-33", "RFC 9112 §7.1", "MUST", "Chunked bodies are read.", [
      params("A chunked form is answered"),
      soap("A chunked Envelope is answered"),
    ]),
    deviates(
      "H-45",
      "RFC 9112 §7.1, §7.1.2",
      "MUST",
      "A chunked body may end with a trailer section.",
      "It does on Deno. Bun refuses it with 400 before a server sees it.",
      [
        abuse("abuse …: A trailer section after an empty chunked body → …"),
      ],
    ),
    met("H-34", "RFC 9110 §2.5", "our rule", "HTTP/1.0 callers are answered.", [
      params("An HTTP/1.0 caller is answered"),
    ]),
    met(
      "H-35",
      "RFC 9110 §17.9",
      "SHOULD",
      "No secret in a URI where it can be avoided; what must be read from one is not logged.",
      [
        testsOf("http/canary_test.ts")(
          "no secret, pin or key comes out in log, metrics or errors, …",
        ),
      ],
    ),
    met(
      "H-36",
      "RFC 9110 §12.5.1",
      "MAY",
      "Accept may be disregarded; the reply is what the contract says.",
      [
        params("Accept does not matter"),
      ],
    ),
    notApplicable(
      "H-37",
      "RFC 9110 §14",
      "MAY",
      "Ranges.",
      "No reply is large enough to be asked for in parts.",
    ),
    notApplicable(
      "H-38",
      "RFC 9110 §13.1.1, §13.1.3",
      "MUST",
      "If-Match and If-Modified-Since.",
      "Nothing is changed by a request, and replies have no Last-Modified.",
    ),
    met(
      "H-42",
      "RFC 9110 §15.6.4, §10.2.3",
      "MAY",
      "A 503 for too many bodies says in Retry-After when to try again.",
      [
        handler(
          "createHandler() answers 503 to a body that holds up others, in the form of its binding",
        ),
      ],
    ),
  ],
};
