/**
 * Snippet for PowerShell.
 *
 * @module
 */

import {
  argumentLines,
  callUrl,
  KEEP_SECRET,
  keyHeader,
  type Language,
  printing,
  type SnippetCall,
  WITHOUT_SOAP,
} from "./language.ts";

/** PowerShell. */
export const powershell: Language = {
  language: "PowerShell",
  values: "powershell",
  needs: "Windows PowerShell 5 or PowerShell 7",
  formats: WITHOUT_SOAP,
  secret: `# ${KEEP_SECRET}
$random = New-Object byte[] 32
[Security.Cryptography.RandomNumberGenerator]::Create().GetBytes($random)
$secret = -join ($random | ForEach-Object { 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[$_ % 32] })
$secret
`,
  variable: "$secret",
  write,
};

function write(call: SnippetCall): string {
  const { format, secret, quote } = call;
  const isJson = format === "JSON";
  const headers = keyHeader(call).map((header) => header.map(quote).join(" = "));
  const options = [
    ...(format === "HTTP GET" ? [] : ["-Method Post"]),
    ...(isJson ? ["-ContentType 'application/json; charset=utf-8'"] : []),
    ...(headers.length === 0 ? [] : [`-Headers @{ ${headers.join("; ")} }`]),
    "-TimeoutSec 10",
    "-Body $body",
  ];
  // Stop at errors: by default, a script continues after an error with the previous reply.
  return `$ErrorActionPreference = 'Stop'
${secret}$body = @{
${argumentLines(call, "  # ", ([name, value]) => `  ${name} = ${quote(value)}`)}
}${isJson ? " | ConvertTo-Json" : ""}
$reply = Invoke-RestMethod ${quote(callUrl(call))} \`
  ${options.join(" `\n  ")}
${resultOf(call)}`;
}

function resultOf(call: SnippetCall): string {
  const { format, fields } = call;
  const isJson = format === "JSON";
  const result = isJson ? "$reply.d" : "$reply.DocumentElement";
  const values = fields?.map((field) => `${result}.${field}`) ??
    [isJson ? result : `${result}.InnerText`];
  const keep = `$accepted = % ${isJson ? "-eq $true" : "-ceq 'true'"}`;
  return printing(call, values, "%", keep, "$accepted");
}
