/**
 * Snippets for old platforms, each only in the format that is short there.
 *
 * @module
 */

import {
  argumentLines,
  callUrl,
  KEEP_SECRET,
  keyHeader,
  type Language,
  lines,
  linesOf,
  printing,
  secretComment,
  type SnippetCall,
} from "./language.ts";

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
  const { args, fields, secret, quote } = call;
  const body = lines(
    args,
    ([known, value]) => `"${known}=" & Server.URLEncode(${quote(value)})`,
    ' & "&" & _\n  ',
  );
  const values =
    fields?.map((field) =>
      `Server.HTMLEncode(http.responseXML.getElementsByTagName("${field}")(0).text)`
    ) ?? ["http.responseXML.documentElement.text"];
  const headers = keyHeader(call).map((header) =>
    `http.setRequestHeader ${header.map(quote).join(", ")}`
  );
  return `<%@ Language=VBScript CodePage=65001 %>
<%
${secret}Dim http
Set http = Server.CreateObject("MSXML2.ServerXMLHTTP.6.0")
http.open "POST", ${quote(callUrl(call))}, False
http.setRequestHeader "Content-Type", "application/x-www-form-urlencoded"
${linesOf(...headers)}${secretComment(call, "' ")}http.send ${body}
If http.status <> 200 Then Err.Raise 1, , http.responseText
${printing(call, values, "Response.Write %", `Dim accepted\naccepted = (% = "true")`)}
%>`;
}

const DELPHI_RANDOM =
  `function BCryptGenRandom(Algorithm: Pointer; var Buffer; Size, Flags: Cardinal): Integer;
  stdcall; external 'bcrypt.dll';
`;

function writeDelphi(call: SnippetCall): string {
  const { secret, quote } = call;
  const headers = keyHeader(call).map(([name, value]) =>
    `    Client.CustomHeaders['${name}'] := ${quote(value)};`
  );
  const text = "Reply.ContentAsString(TEncoding.UTF8)";
  const keep = "    Accepted := Pos('>true</boolean>', %) > 0;";
  return `program Call;
{$APPTYPE CONSOLE}
uses
  System.SysUtils, System.Classes, System.Net.HttpClient;
${secret === "" ? "" : DELPHI_RANDOM}var
  Client: THTTPClient;
  Form: TStringList;
  Reply: IHTTPResponse;
${secret === "" ? "" : "  Bytes: array[0..31] of Byte;\n  Each: Byte;\n  Secret: string;\n"}${
    linesOf(...(call.isBoolean ? ["  Accepted: Boolean;"] : []))
  }begin
  Client := THTTPClient.Create;
  Form := TStringList.Create;
  try
${secret}${linesOf(...headers)}${
    argumentLines(call, "    // ", ([known, value]) =>
      `    Form.AddPair(${quote(known)}, ${quote(value)});`)
  }
    Reply := Client.Post(${quote(callUrl(call))}, Form);
    if Reply.StatusCode <> 200 then
      raise Exception.Create(Reply.ContentAsString(TEncoding.UTF8));
${printing(call, [text], "    Writeln(%);", keep, "Accepted")}
  finally
    Form.Free;
    Client.Free;
  end;
end.`;
}
