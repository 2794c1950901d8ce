/**
 * Snippets for old platforms, each only in the format that is short there.
 *
 * @module
 */

import { KEEP_SECRET, type Language, linesOf, type SnippetCall } from "./language.ts";

/** ASP with VBScript. */
export const classicAsp: Language = {
  language: "Classic ASP",
  values: "basic",
  needs: "IIS with ASP and MSXML 6",
  formats: ["HTTP POST"],
  secret: `' ${KEEP_SECRET}
' Its random bytes are those of two GUIDs: Windows draws 122 bits of each, and VBScript's Rnd can
' be guessed.
Dim guids, secret, i
guids = Mid(Server.CreateObject("Scriptlet.TypeLib").GUID, 2, 36)
guids = Replace(guids & Mid(Server.CreateObject("Scriptlet.TypeLib").GUID, 2, 36), "-", "")
For i = 1 To 63 Step 2
  secret = secret & Mid("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", CLng("&H" & Mid(guids, i, 2)) Mod 32 + 1, 1)
Next
Response.Write secret & "<br>"
`,
  write: writeClassicAsp,
};

/** Delphi. */
export const delphi: Language = {
  language: "Delphi",
  values: "delphi",
  needs: "Delphi XE8 or later; Windows for the random secret",
  formats: ["HTTP POST"],
  secret: `    // ${KEEP_SECRET}
    if BCryptGenRandom(nil, Bytes, SizeOf(Bytes), 2 {BCRYPT_USE_SYSTEM_PREFERRED_RNG}) <> 0 then
      raise Exception.Create('No random bytes');
    for Each in Bytes do
      Secret := Secret + Copy('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', Each mod 32 + 1, 1);
    Writeln(Secret);
`,
  variable: "Secret",
  write: writeDelphi,
};

function writeClassicAsp(call: SnippetCall): string {
  const { args, secret, quote } = call;
  const body = args.map(([known, value]) => `"${known}=" & Server.URLEncode(${quote(value)})`);
  const headers = call.keyHeader.map((header) =>
    `http.setRequestHeader ${header.map(quote).join(", ")}`
  );
  const field = (name: string): string =>
    `Server.HTMLEncode(http.responseXML.getElementsByTagName("${name}")(0).text)`;
  const whole = "http.responseXML.documentElement.text";
  return `<%@ Language=VBScript CodePage=65001 %>
<%
${secret}Dim http
Set http = Server.CreateObject("MSXML2.ServerXMLHTTP.6.0")
http.open "POST", ${quote(call.callUrl)}, False
http.setRequestHeader "Content-Type", "application/x-www-form-urlencoded"
${linesOf(headers)}${call.comment("' ")}http.send ${body.join(' & "&" & _\n  ')}
If http.status <> 200 Then Err.Raise 1, , http.responseText
${call.printing(field, whole, "Response.Write %", `Dim accepted\naccepted = (% = "true")`)}
%>`;
}

const DELPHI_RANDOM =
  `function BCryptGenRandom(Algorithm: Pointer; var Buffer; Size, Flags: Cardinal): Integer;
  stdcall; external 'bcrypt.dll';
`;

const DELPHI_VARIABLES = "  Bytes: array[0..31] of Byte;\n  Each: Byte;\n  Secret: string;\n";

function writeDelphi(call: SnippetCall): string {
  const { secret, fields, quote } = call;
  const headers = call.keyHeader.map(([name, value]) =>
    `    Client.CustomHeaders['${name}'] := ${quote(value)};`
  );
  const text = "Reply.ContentAsString(TEncoding.UTF8)";
  const print = fields === undefined
    ? `    Accepted := Pos('>true</boolean>', ${text}) > 0;\n    Writeln(Accepted);`
    : `    Writeln(${text});`;
  return `program Call;
{$APPTYPE CONSOLE}
uses
  System.SysUtils, System.Classes, System.Net.HttpClient;
${secret === "" ? "" : DELPHI_RANDOM}var
  Client: THTTPClient;
  Form: TStringList;
  Reply: IHTTPResponse;
${secret === "" ? "" : DELPHI_VARIABLES}${fields ? "" : "  Accepted: Boolean;\n"}begin
  Client := THTTPClient.Create;
  Form := TStringList.Create;
  try
${secret}${linesOf(headers)}${
    call.lines("    // ", ([known, value]) => `    Form.AddPair(${quote(known)}, ${quote(value)});`)
  }
    Reply := Client.Post(${quote(call.callUrl)}, Form);
    if Reply.StatusCode <> 200 then
      raise Exception.Create(Reply.ContentAsString(TEncoding.UTF8));
${print}
  finally
    Form.Free;
    Client.Free;
  end;
end.`;
}
