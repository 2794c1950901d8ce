/**
 * The snippet for PowerShell.
 *
 * @module
 */

import {
  addressOf,
  type Call,
  envelopeOf,
  FORMATS,
  type Language,
  lines,
  mediaTypeOf,
  moreHeaders,
  powershellQuoted,
} from "./language.ts";

/** PowerShell. */
export const powershell: Language = {
  language: "PowerShell",
  values: "powershell",
  needs: "Windows PowerShell 5 or PowerShell 7",
  formats: FORMATS,
  write,
};

function write(call: Call): string {
  const { args, format, soap } = call;
  const type = format === "JSON" ? "application/json; charset=utf-8" : mediaTypeOf(call);
  const headers = moreHeaders(call).map((header) => header.map(powershellQuoted).join(" = "));
  const options = [
    ...(format === "HTTP GET" ? [] : ["-Method Post"]),
    ...(type === undefined ? [] : [`-ContentType ${powershellQuoted(type)}`]),
    ...(headers.length === 0 ? [] : [`-Headers @{ ${headers.join("; ")} }`]),
    `-Body $${soap === undefined ? "body" : "envelope"}`,
  ];
  return `$body = @{
${lines(args, ([name, value]) => `  ${name} = ${powershellQuoted(value)}`)}
}${format === "JSON" ? " | ConvertTo-Json" : ""}
${envelope(call)}$reply = Invoke-RestMethod ${powershellQuoted(addressOf(call))} \`
  ${options.join(" `\n  ")}
${printedOf(call).join("\n")}`;
}

function envelope(call: Call): string {
  if (call.soap === undefined) return "";
  const [before, behind] = envelopeOf(call, call.soap);
  return `$values = foreach ($name in $body.Keys) {
  "<$name>$([Security.SecurityElement]::Escape($body[$name]))</$name>"
}
$envelope = ${powershellQuoted(before)} + (-join $values) +
  ${powershellQuoted(behind)}
`;
}

function printedOf({ name, format, fields, soap }: Call): readonly string[] {
  if (format === "JSON") return fields?.map((field) => `$reply.d.${field}`) ?? ["$reply.d"];
  const result = soap === undefined
    ? "$reply.DocumentElement"
    : `$reply.Envelope.Body.${name}Response.${name}Result`;
  return fields?.map((field) => `${result}.${field}`) ??
    [soap === undefined ? `${result}.InnerText` : result];
}
