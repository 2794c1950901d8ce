/**
 * Snippets for old platforms, each only in the format that is short there.
 *
 * @module
 */

import {
  callUrl,
  keyHeader,
  type Language,
  lines,
  linesOf,
  printing,
  type SnippetCall,
} from "./language.ts";

/** ASP with VBScript. */
export const classicAsp: Language = {
  language: "Classic ASP",
  values: "basic",
  needs: "IIS with ASP and MSXML 6",
  formats: ["HTTP POST"],
  write: writeClassicAsp,
};

/** Delphi. */
export const delphi: Language = {
  language: "Delphi",
  values: "delphi",
  needs: "Delphi XE8 or later",
  formats: ["HTTP POST"],
  write: writeDelphi,
};

function writeClassicAsp(call: SnippetCall): string {
  const { args, fields, quote } = call;
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
Dim http
Set http = Server.CreateObject("MSXML2.ServerXMLHTTP.6.0")
http.open "POST", ${quote(callUrl(call))}, False
http.setRequestHeader "Content-Type", "application/x-www-form-urlencoded"
${linesOf(...headers)}http.send ${body}
If http.status <> 200 Then Err.Raise 1, , http.responseText
${printing(call, values, "Response.Write %", `Dim accepted\naccepted = (% = "true")`)}
%>`;
}

function writeDelphi(call: SnippetCall): string {
  const { quote } = call;
  const headers = keyHeader(call).map(([name, value]) =>
    `    Client.CustomHeaders['${name}'] := ${quote(value)};`
  );
  const text = "Reply.ContentAsString(TEncoding.UTF8)";
  const keep = "    Accepted := Pos('>true</boolean>', %) > 0;";
  return `program Call;
{$APPTYPE CONSOLE}
uses
  System.SysUtils, System.Classes, System.Net.HttpClient;
var
  Client: THTTPClient;
  Form: TStringList;
  Reply: IHTTPResponse;
${linesOf(...(call.isBoolean ? ["  Accepted: Boolean;"] : []))}begin
  Client := THTTPClient.Create;
  Form := TStringList.Create;
  try
${linesOf(...headers)}${
    lines(call.args, ([known, value]) => `    Form.AddPair(${quote(known)}, ${quote(value)});`)
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
