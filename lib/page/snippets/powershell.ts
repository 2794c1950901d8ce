/**
 * Snippet for PowerShell.
 *
 * @module
 */

import {
  callUrl,
  envelopeOf,
  FORMATS,
  isForm,
  type Language,
  lines,
  mediaTypeOf,
  moreHeaders,
  powershellQuoted,
  printing,
  type SnippetCall,
} from "./language.ts";

/** PowerShell. */
export const powershell: Language = {
  language: "PowerShell",
  values: "powershell",
  needs: "Windows PowerShell 5 or PowerShell 7",
  formats: FORMATS,
  write,
};

function write(call: SnippetCall): string {
  const { args, format, soap } = call;
  const type = format === "JSON" ? "application/json; charset=utf-8" : mediaTypeOf(call);
  const headers = moreHeaders(call).map((header) => header.map(powershellQuoted).join(" = "));
  const options = [
    ...(format === "HTTP GET" ? [] : ["-Method Post"]),
    ...(type === undefined ? [] : [`-ContentType ${powershellQuoted(type)}`]),
    ...(headers.length === 0 ? [] : [`-Headers @{ ${headers.join("; ")} }`]),
    `-Body $${soap === undefined ? "body" : "envelope"}`,
  ];
  // Stop at errors: by default, a script continues after an error with the previous reply.
  return `$ErrorActionPreference = 'Stop'
$body = @{
${lines(args, ([name, value]) => `  ${name} = ${powershellQuoted(value)}`)}
}${format === "JSON" ? " | ConvertTo-Json" : ""}
${envelope(call)}$reply = Invoke-RestMethod ${powershellQuoted(callUrl(call))} \`
  ${options.join(" `\n  ")}
${resultOf(call)}`;
}

function envelope(call: SnippetCall): string {
  if (call.soap === undefined) return "";
  const [before, behind] = envelopeOf(call, call.soap);
  return `$values = foreach ($name in $body.Keys) {
  "<$name>$([Security.SecurityElement]::Escape($body[$name]))</$name>"
}
$envelope = ${powershellQuoted(before)} + (-join $values) +
  ${powershellQuoted(behind)}
`;
}

function resultOf(call: SnippetCall): string {
  const { name, format, fields, soap } = call;
  const isJson = format === "JSON";
  const root = isJson ? "$reply.d" : "$reply.DocumentElement";
  const result = soap === undefined ? root : `$reply.Envelope.Body.${name}Response.${name}Result`;
  const values = fields?.map((field) => `${result}.${field}`) ??
    [isForm(call) ? `${result}.InnerText` : result];
  const keep = `$accepted = % ${isJson ? "-eq $true" : "-ceq 'true'"}`;
  return printing(call, values, "%", keep, "$accepted");
}
