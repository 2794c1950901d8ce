import { deviates, met, type Source, testsOf } from "../row.ts";

const routes = testsOf("exchanges/routes.md");
const http = testsOf("exchanges/http_params.md");
const soap11 = testsOf("exchanges/soap11.md");
const soap12 = testsOf("exchanges/soap12.md");
const json = testsOf("conformance/json_test.ts");
const short = testsOf("conformance/short_routes_test.ts");
const description = testsOf("exchanges/description.md");
const openApi = testsOf("description/openapi_test.ts");
const proxy = testsOf("exchanges/trust_proxy.md");
const handler = testsOf("http/handler_test.ts");
const abuse = testsOf("runtime/abuse_test.ts");

function both(heading: string): readonly string[] {
  return [soap11(heading), soap12(heading)];
}

/** Routes, SOAP, HTTP GET, HTTP POST, JSON, the short routes, WSDL and disco. */
export const PROTOCOL_BINDINGS: Source = {
  title: "The wire contract: routes and bindings",
  note: "Sections 2, 3, 5, 6 and 7 of `protocol.md`.",
  isChecked: () => true,
  rows: [
    met("B-01", "§2", "our rule", "The file part of a path is compared without case.", [
      routes("The file part of a path is compared without case"),
      short("the short routes compare file and parameter names without case"),
    ]),
    met(
      "B-02",
      "§2",
      "our rule",
      "The operation behind it is compared with case; another name is 404 and not repeated.",
      [
        routes("The name of an operation is compared with case"),
        routes("A name that is no operation is 404"),
      ],
    ),
    met("B-03", "§2", "our rule", "Names of query and form parameters are compared without case.", [
      http("Names of parameters are compared without case"),
    ]),
    met(
      "B-04",
      "§2",
      "our rule",
      "`GET /api.asmx` is the service page; `?op=` a page for an operation.",
      [
        routes("The service page lists the operations"),
        routes("Each operation has a page with a form"),
        routes("A page for an operation that does not exist names none"),
      ],
    ),
    met("B-05", "§2", "our rule", "`wsdl` and `disco` are found by a key in any case.", [
      routes("WSDL and disco are found by a key in any case"),
    ]),
    met(
      "B-61",
      "§2",
      "our rule",
      "`GET /openapi.json` is the OpenAPI 3.1 description of the JSON form.",
      [
        openApi("openApi() is valid OpenAPI 3.1"),
        openApi("openApi() has a path for each operation, with its parameters and limits"),
        routes("The JSON form has an OpenAPI description"),
      ],
    ),
    met("B-06", "§2", "our rule", "`GET /` is 302 to `/api.asmx`, relative to the path.", [
      routes("The root leads to the service page"),
    ]),
    met(
      "B-07",
      "§2",
      "our rule",
      "`/healthz` and `/readyz` say `ok`; `/readyz` is 503 while the server drains.",
      [
        routes("The health and readiness checks say ok"),
        handler("createHandler() answers 503 on /readyz alone while the server is not ready"),
      ],
    ),
    met("B-08", "§2", "our rule", "An unknown path is 404 in plain text.", [
      routes("An unknown path is 404"),
    ]),
    met("B-09", "§2", "our rule", "HEAD answers as GET without a body.", [
      routes("HEAD answers as GET without a body"),
    ]),
    met("B-10", "§2", "our rule", "Another verb is 405 with Allow; OPTIONS is 204 with Allow.", [
      routes("Another verb is 405 and says what is allowed"),
      routes("OPTIONS is 204 and says what is allowed"),
    ]),
    met(
      "B-11",
      "§2",
      "our rule",
      "Every reply has Content-Length, nosniff, no-referrer, and no-store where a result may be inside. (Every exchange is checked for these.)",
      [
        testsOf("exchanges/contract.md")("Pair by HTTP GET"),
        routes("A result has no ETag"),
      ],
    ),
    met(
      "B-12",
      "§2",
      "our rule",
      "WSDL and pages: `Cache-Control: no-cache`, a strong ETag, 304 on a match.",
      [
        routes("A match with the ETag is 304"),
        routes("Another ETag is no match"),
      ],
    ),
    met(
      "B-13",
      "§3, Version",
      "our rule",
      "The media type gives the version; its case, spaces and other parameters do not matter; any other is 415.",
      [
        ...both("The media type is compared without case, its parameters do not matter"),
        soap11("Another media type is 415"),
      ],
    ),
    met(
      "B-14",
      "§3, Version",
      "our rule",
      "UTF-8 only, decoded strictly; another charset, declared encoding or coding is refused.",
      [
        ...both("Another charset is 415"),
        ...both("Bytes that are not UTF-8 are an error"),
        ...both("An XML declaration of another encoding is an error"),
        ...both("A Content-Encoding but identity is 415"),
      ],
    ),
    met("B-15", "§3, Version", "our rule", "One byte order mark is allowed, not two.", [
      ...both("One byte order mark is passed over"),
      ...both("A second byte order mark is text outside the root element"),
    ]),
    met(
      "B-16",
      "§3, Structure",
      "our rule",
      "An optional Header, exactly one Body, exactly one element in it, and no text between.",
      [
        ...both("A Header may stand before the Body"),
        ...both("Nothing else stands in an Envelope"),
        ...both("Text that is not blank is an error in Envelope, Header and Body"),
      ],
    ),
    met(
      "B-17",
      "§3, Operation",
      "our rule",
      "The element in the Body is the operation; an action that is there must name the same.",
      [
        ...both("The Body must hold one operation"),
        soap11("A SOAPAction that names another operation is refused"),
        soap12("An action that names another operation is refused"),
      ],
    ),
    met(
      "B-18",
      "§3, Callers differ",
      "our rule",
      "A byte order mark, no declaration, any prefix or none, references for text, `xsi:type` and encodingStyle, an action quoted, unquoted or absent, `Expect: 100-continue`: all are answered.",
      [
        ...both("One byte order mark is passed over"),
        ...both("The XML declaration may be absent or spell utf-8 in any case"),
        ...both("Any prefix will do, and none"),
        ...both("Text may be written with references"),
        ...both("Type attributes and encodingStyle are passed over"),
        soap11("A SOAPAction names the operation, with quotes or without"),
        soap11("A missing or empty SOAPAction leaves it to the Body"),
        soap12("An action names the operation, with quotes or without"),
        soap12("A missing or empty action leaves it to the Body"),
        ...both("A caller that expects 100-continue is told to continue"),
      ],
    ),
    met(
      "B-19",
      "§3, Callers differ",
      "our rule",
      "A SOAPAction beside SOAP 1.2 and an action parameter beside SOAP 1.1 mean nothing.",
      [
        soap12("A SOAPAction beside SOAP 1.2 means nothing"),
        soap11("An action parameter means nothing"),
      ],
    ),
    met(
      "B-20",
      "§3, Parameters",
      "our rule",
      "Parameters come by local name in the namespace, in any order, among others that are ignored.",
      both(
        "Parameters may come in any order, among others and text",
      ),
    ),
    met(
      "B-21",
      "§3, Parameters",
      "our rule",
      "A parameter in another namespace is missing, and the error says which one is expected.",
      both(
        "A parameter in another namespace is missing",
      ),
    ),
    met(
      "B-22",
      "§3, Parameters",
      "our rule",
      "A parameter that stands twice is a fault, never a guess.",
      both(
        "A parameter that stands twice is refused",
      ),
    ),
    met(
      "B-23",
      "§3, Parameters",
      "our rule",
      "A value is all its text and CDATA, white space kept; an element inside is a fault.",
      [
        ...both("A value is all its text, with CDATA, without comments and instructions"),
        ...both("An element inside a value is refused"),
      ],
    ),
    met(
      "B-24",
      "§3, Parameters",
      "our rule",
      "`xsi:nil` means missing.",
      both("A parameter that is nil is missing"),
    ),
    met(
      "B-25",
      "§3, Reply",
      "our rule",
      "The reply is the original's to the byte: prefix `soap` in both versions, xsi and xsd declared, no newline.",
      [
        testsOf("exchanges/contract.md")("Pair over SOAP 1.1"),
        testsOf("exchanges/contract.md")("ValidatePin over SOAP 1.2"),
      ],
    ),
    met(
      "B-26",
      "§3, Faults",
      "our rule",
      "Malformed XML gets a fault with a body too, with line and column.",
      [
        ...both("What is not XML gets a fault too"),
        ...both("The place of an error is counted in lines and characters"),
      ],
    ),
    met(
      "B-27",
      "§3, Faults",
      "our rule",
      "413, 415, 408 and 503 keep their status and carry a fault.",
      [
        testsOf("exchanges/limits.md")("A SOAP 1.1 body has at most 65,536 bytes"),
        soap12("Another charset is 415"),
        handler("createHandler() gives up on a body that does not come"),
      ],
    ),
    met(
      "B-28",
      "§3, Faults",
      "our rule",
      "A parameter that is missing, empty, twice or too long is named.",
      [
        ...both("A missing parameter is named"),
        ...both("An empty parameter is named, but a pin may be empty"),
        ...both("A parameter that is too long is named"),
      ],
    ),
    met(
      "B-29",
      "§3, Faults",
      "our rule",
      "An unexpected error is one sentence; its cause goes to the log without the request.",
      [
        handler("createHandler() tells nothing of an unexpected error over …"),
      ],
    ),
    met(
      "B-30",
      "§3, Faults",
      "our rule",
      "No error repeats any part of the request. (Every exchange is checked for this.)",
      [
        routes("An unknown path is 404"),
        testsOf("http/canary_test.ts")(
          "no secret, pin or key comes out in log, metrics or errors, …",
        ),
      ],
    ),
    met("B-31", "§5", "our rule", "GET reads the query only, POST the form body only.", [
      http("GET reads the query only"),
      http("POST reads the form body only"),
    ]),
    met(
      "B-32",
      "§5",
      "our rule",
      "`+` is a space, `%XX` a byte of UTF-8, `%uXXXX` a UTF-16 unit; half a pair is refused.",
      [
        http("A plus sign is a blank, and so is %20"),
        http("Escapes are bytes of UTF-8"),
        http("A %u escape is a UTF-16 unit"),
        http("Half of a surrogate pair is refused"),
      ],
    ),
    met(
      "B-33",
      "§5",
      "our rule",
      "A malformed escape stays as it is; bytes that are not UTF-8, escaped or raw, and characters that XML forbids are 400.",
      [
        http("A malformed escape stays as it is written"),
        http("Escapes that are not UTF-8 are refused"),
        abuse("abuse …: A byte that is not UTF-8 in another query → 400"),
        http("A form that is not UTF-8 is refused"),
        http("A character that XML forbids is refused"),
      ],
    ),
    met(
      "B-34",
      "§5",
      "our rule",
      "A form of another media type is 415; a GET may carry any Content-Type.",
      [
        http("A form of another media type is 415"),
        http("A GET may carry any Content-Type"),
      ],
    ),
    met(
      "B-35",
      "§5",
      "our rule",
      "A success is indented by two, ends lines in CRLF and has no newline at its end.",
      [
        testsOf("exchanges/contract.md")("Pair by HTTP POST"),
      ],
    ),
    met(
      "B-52",
      "§5",
      "our rule",
      "A name without an equals sign is that parameter with an empty value, also for duplicates.",
      [
        http("A name without an equals sign is that parameter with an empty value"),
      ],
    ),
    met("B-36", "§5", "our rule", "An error is one sentence and CRLF in plain text.", [
      http("A missing parameter is named"),
      http("A parameter that stands twice is refused"),
    ]),
    met("B-37", "§5", "our rule", "HTTP/1.0 callers are answered.", [
      http("An HTTP/1.0 caller is answered"),
    ]),
    met(
      "B-38",
      "§5, JSON",
      "our rule",
      "The reply is an object with one member d. The Accept header changes nothing.",
      [
        json("JSON: Pair has the members of the original stack, in their order"),
        json("JSON: ValidatePin is a boolean in d"),
      ],
    ),
    met("B-39", "§5, JSON", "our rule", "A number becomes its decimal text, null is missing.", [
      json("JSON: a number is its decimal text"),
      json("JSON: an error has status, jsonerror and no trace"),
    ]),
    met(
      "B-40",
      "§5, JSON",
      "our rule",
      "An error keeps its status, and has Message, empty StackTrace and ExceptionType, and `jsonerror: true`.",
      [
        json("JSON: an error has status, jsonerror and no trace"),
        json("JSON: a name that is no operation is 404 in the same form"),
        json("JSON: a body in another charset is 415, one that is too large 413"),
      ],
    ),
    met(
      "B-41",
      "§6, pair.aspx",
      "our rule",
      "The original's fragment to the byte as text/html, to GET and POST, from the query.",
      [
        short("pair.aspx gives the original's fragment to the byte, to GET and POST"),
      ],
    ),
    met(
      "B-42",
      "§6, pair.aspx",
      "our rule",
      "An absent or empty parameter is named with status 200.",
      [
        short("pair.aspx names the first parameter that is absent or empty, with 200"),
      ],
    ),
    met("B-43", "§6, Validate.aspx", "our rule", "Exactly `True` or `False`.", [
      short("Validate.aspx says True or False and no more, to GET and POST"),
    ]),
    met(
      "B-44",
      "§6, Validate.aspx",
      "our rule",
      "Once both parameters are there, every error is 200 `False`.",
      [
        short("Validate.aspx answers 200 False to whatever is wrong with its parameters"),
        short("Validate.aspx answers 200 False when the service fails inside"),
      ],
    ),
    met(
      "B-45",
      "§6, Validate.aspx",
      "our rule",
      "An empty Pin is `False`; an absent one is named.",
      [
        short("Validate.aspx names an absent parameter with 200, and an empty pin is False"),
      ],
    ),
    met(
      "B-46",
      "§6, qr.aspx",
      "our rule",
      "The picture itself: PNG of one bit a pixel, or SVG; size, data and their aliases.",
      [
        short("qr.aspx draws a PNG of one bit a pixel that a reader reads"),
        short("qr.aspx draws the same as SVG"),
      ],
    ),
    met(
      "B-47",
      "§6, qr.aspx",
      "our rule",
      "21 to 1,000 pixels a side; what cannot be drawn is 400.",
      [
        short("qr.aspx refuses what it cannot draw, and repeats nothing of it"),
      ],
    ),
    met("B-48", "§7", "our rule", "WSDL and discovery document are the original's to the byte.", [
      description("The WSDL has all four bindings"),
      description("The discovery document leads to the WSDL"),
    ]),
    met("B-49", "§7", "our rule", "Addresses come from `--base-url`, else from scheme and Host.", [
      testsOf("exchanges/base_url.md")("Addresses begin with the base URL"),
      description("Addresses are those of the Host"),
    ]),
    met("B-50", "§7", "our rule", "Forwarded fields are believed only with `--trust-proxy`.", [
      description("Forwarded fields are not believed"),
      proxy("Forwarded fields are believed"),
      proxy("Calls do not depend on forwarded fields"),
    ]),
    met("B-51", "§7", "our rule", "A Host that is not a host is 400 and never repeated.", [
      description("A Host that is not a host is 400 and not repeated"),
      proxy("A forwarded host that is not a host is 400 and not repeated"),
    ]),
    deviates(
      "B-60",
      "§5",
      "our rule",
      "U+FFFD in a query is text like any other.",
      "It is on Deno. Bun puts it in the place of each byte that is not UTF-8, before a server sees the query, so there it is refused. In a body it is text on both.",
      [
        abuse("abuse …%EF%BF%BD… in the query → …"),
      ],
    ),
  ],
};
