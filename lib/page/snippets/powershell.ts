/**
 * Snippet for PowerShell.
 *
 * @module
 */

import { KEEP_SECRET, type Language, type SnippetCall, WITHOUT_SOAP } from "./language.ts";

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
  const { secret, quote, isJson, isGet } = call;
  const headers = call.keyHeader.map((header) => header.map(quote).join(" = "));
  const options = [
    ...(isGet ? [] : ["-Method Post"]),
    ...(isJson ? ["-ContentType 'application/json; charset=utf-8'"] : []),
    ...(headers.length === 0 ? [] : [`-Headers @{ ${headers.join("; ")} }`]),
    "-TimeoutSec 10",
    "-Body $body",
  ];
  const [result, whole, right] = isJson
    ? ["$reply.d", "$reply.d", "-eq $true"]
    : ["$reply.DocumentElement", "$reply.DocumentElement.InnerText", "-ceq 'true'"];
  const keep = `$accepted = % ${right}`;
  // Stop at errors: by default, a script continues after an error with the previous reply.
  return `$ErrorActionPreference = 'Stop'
${secret}$body = @{
${call.lines("  # ", ([name, value]) => `  ${name} = ${quote(value)}`)}
}${isJson ? " | ConvertTo-Json" : ""}
$reply = Invoke-RestMethod ${quote(call.callUrl)} \`
  ${options.join(" `\n  ")}
${call.printing((field) => `${result}.${field}`, whole, "%", keep, "$accepted")}`;
}
