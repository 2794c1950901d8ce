/** The longest heads, and header fields that are expensive to parse. */

import { type CostlyRequest, fill, request, type Row, sameHash } from "./request.ts";

type FieldRow = readonly [field: string, ...Row];

const TO_ALL: readonly FieldRow[] = [
  ["Cookie", "letters", "", "a", ""],
  ["If-None-Match", "blanks", "a", " ", "b"],
  ["If-None-Match", "commas", "a", ",", "b"],
  ["If-None-Match", "commas between blanks", "a", " , ", "b"],
  ["If-None-Match", "tags", "", 'W/"a",', "b"],
  ["If-None-Match", "stars", "", "*", "b"],
  ["X-Api-Key", "letters", "", "a", ""],
  ["Authorization", "blanks", "Basic", " ", "a b"],
  ["Authorization", "letters", "Bearer ", "a", " b"],
  ["Authorization", "colons", "Basic ", "Ojo6", ""],
  ["X-Forwarded-Host", "commas", "a", ",", "b"],
  ["X-Forwarded-Host", "labels", "", "a.", "!"],
  ["X-Forwarded-Host", "blanks", "a", " ", "b"],
  ["X-Forwarded-Proto", "letters", "", "a", ""],
  ["X-Request-Id", "letters", "", "a", ""],
  ["X-Authenticator-Source", "letters", "", "a", ""],
  ["Accept", "media types", "", "a/b,", "c/d"],
];

const TO_CALLS: readonly FieldRow[] = [
  ["Content-Type", "blanks", "text/xml", " ", "x"],
  ["Content-Type", "letters", "text/", "a", ""],
  ["Content-Type", "parameters", "text/xml", ";a=b", ""],
  ["Content-Type", "parameters of one hash", "text/xml", (i) => `;${sameHash(i)}=`, ""],
  ["Content-Type", "parameters without a value", "text/xml", ";a", ""],
  ["Content-Type", "semicolons", "text/xml", ";", ""],
  ["Content-Type", "blanks before a parameter", "text/xml;", " ", "x"],
  ["Content-Type", "a parameter's name", "text/xml;", "a", ""],
  ["Content-Type", "blanks behind a parameter's name", "text/xml;a", "\t", "b"],
  ["Content-Type", "blanks before a value", "text/xml;a=", "\t", "b"],
  ["Content-Type", "blanks behind a value", "text/xml;a=b", "\t", "c"],
  ["Content-Type", "a quoted value", 'text/xml;a="', "a", '"'],
  ["Content-Type", "a quoted value without end", 'text/xml;a="', "a", ""],
  ["Content-Type", "quoted pairs", 'text/xml;a="', "\\a", '"'],
  ["Content-Type", "quoted pairs without end", 'text/xml;a="', "\\\\", ""],
  ["Content-Type", "quotes", "text/xml;a=", '"', ""],
  ["Content-Type", "quoted values", "text/xml", ';a="b"', ""],
  ["Content-Type", "values of charset", "text/xml", (i) => `;charset=${i}`, ""],
  ["Content-Type", "values of action", "application/soap+xml", (i) => `;action=${i}`, ""],
  ["Content-Type", "quoted values without end", "text/xml", ';a="\\', ""],
  ["Content-Encoding", "blanks", "identity", " ", "x"],
  ["Content-Encoding", "commas", "identity", ",", "x"],
  ["SOAPAction", "letters", '"', "a", '"'],
  ["SOAPAction", "quotes", "", '"', "a"],
  ["SOAPAction", "commas", "a", ",", "a"],
  ["SOAPAction", "blanks", '"', " ", '" x'],
];

const ENVELOPE = '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>' +
  '<ValidatePin xmlns="http://authenticatorapi.com/"><pin>1</pin><secretCode>c</secretCode>' +
  "</ValidatePin></e:Body></e:Envelope>";

/** Heads with a field of a size in bytes: of a GET, or of a call when there is no target. */
export function costlyHeads(size: number, target?: string): readonly CostlyRequest[] {
  const [rows, line, body] = target === undefined
    ? [[...TO_ALL, ...TO_CALLS], "POST /api.asmx", ENVELOPE] as const
    : [TO_ALL, `GET ${target}`, ""] as const;
  return rows.map(([field, part, ...texts]) => ({
    part: `${part} in ${field}`,
    make: () => request(line, { "Content-Type": "text/xml", [field]: fill(size, ...texts) }, body),
  }));
}
