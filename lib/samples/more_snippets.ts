/**
 * The programs in languages that came later to the service page: see `snippets.ts`.
 *
 * @module
 */

import {
  basicQuoted,
  type Call,
  delphiQuoted,
  lineOf,
  lines,
  phpQuoted,
  quoted,
} from "./snippet_parts.ts";

/** C# with the client that a tool makes from the WSDL. */
export function csharpProxy({ name, url, args, fields, key }: Call): string {
  const given = args.map(([, value]) => quoted(value)).join(", ");
  const printed = fields === undefined
    ? "Console.WriteLine(result);"
    : lines(fields, (field) => `Console.WriteLine(result.${field});`);
  const address = quoted(`${url}?wsdl`);
  const login = key === undefined
    ? ""
    : `// The key: give the tool a file of the WSDL, and calls ${key} as password of HTTP Basic.\n`;
  return `// dotnet-svcutil ${address} --sync
using System;
using ServiceReference;

${login}var client = new AuthenticatorAPISoapClient(
    AuthenticatorAPISoapClient.EndpointConfiguration.AuthenticatorAPISoap);
var result = client.${name}(${given});
${printed}

// .NET Framework: wsdl.exe, then new AuthenticatorAPI().${name}(...)`;
}

/** Go. */
export function go({ name, url, args, fields, key }: Call): string {
  const type = fields === undefined ? "bool" : `struct{ ${fields.join(", ")} string }`;
  const printed = fields?.map((field) => `result.D.${field}`) ?? ["result.D"];
  return `package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
)

func main() {
	body, _ := json.Marshal(map[string]string{
${lines(args, ([known, value]) => `		${quoted(known)}: ${quoted(value)},`)}
	})
	request, err := http.NewRequest("POST", ${quoted(`${url}/${name}`)}, bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
${lineOf(key, (known) => `	request.Header.Set("X-Api-Key", ${quoted(known)})`)}\
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer reply.Body.Close()
	if reply.StatusCode != 200 {
		log.Fatal(reply.Status)
	}
	var result struct{ D ${type} }
	if err := json.NewDecoder(reply.Body).Decode(&result); err != nil {
		log.Fatal(err)
	}
${lines(printed, (value) => `	fmt.Println(${value})`)}
}`;
}

/** Ruby. */
export function ruby({ name, url, args, fields, key }: Call): string {
  const printed = fields?.map((field) => `result[${phpQuoted(field)}]`) ?? ["result"];
  const header = key === undefined ? "" : `, 'X-Api-Key' => ${phpQuoted(key)}`;
  return `require 'json'
require 'net/http'

reply = Net::HTTP.post(
  URI(${phpQuoted(`${url}/${name}`)}),
  {
${lines(args, ([known, value]) => `    ${phpQuoted(known)} => ${phpQuoted(value)},`)}
  }.to_json,
  { 'Content-Type' => 'application/json'${header} }
)
raise reply.body unless reply.is_a?(Net::HTTPSuccess)
result = JSON.parse(reply.body)['d']
${lines(printed, (value) => `puts ${value}`)}`;
}

/** ASP with VBScript. */
export function classicAsp({ name, url, args, fields, key }: Call): string {
  const body = lines(
    args,
    ([known, value]) => `"${known}=" & Server.URLEncode(${basicQuoted(value)})`,
    ' & "&" & _\n  ',
  );
  const printed = fields === undefined
    ? "Response.Write http.responseXML.documentElement.text"
    : lines(fields, (field) =>
      `Response.Write Server.HTMLEncode(http.responseXML.getElementsByTagName("${field}")(0).text)`);
  return `<%@ Language=VBScript CodePage=65001 %>
<%
Dim http
Set http = Server.CreateObject("MSXML2.ServerXMLHTTP.6.0")
http.open "POST", ${basicQuoted(`${url}/${name}`)}, False
http.setRequestHeader "Content-Type", "application/x-www-form-urlencoded"
${lineOf(key, (known) => `http.setRequestHeader "X-Api-Key", ${basicQuoted(known)}`)}\
http.send ${body}
If http.status <> 200 Then Err.Raise 1, , http.responseText
${printed}
%>`;
}

/** Delphi. */
export function delphi({ name, url, args, key }: Call): string {
  return `program Call;
{$APPTYPE CONSOLE}
uses
  System.SysUtils, System.Classes, System.Net.HttpClient;
var
  Client: THTTPClient;
  Form: TStringList;
  Reply: IHTTPResponse;
begin
  Client := THTTPClient.Create;
  Form := TStringList.Create;
  try
${lineOf(key, (known) => `    Client.CustomHeaders['X-Api-Key'] := ${delphiQuoted(known)};`)}\
${
    lines(args, ([known, value]) =>
      `    Form.AddPair(${delphiQuoted(known)}, ${delphiQuoted(value)});`)
  }
    Reply := Client.Post(${delphiQuoted(`${url}/${name}`)}, Form);
    if Reply.StatusCode <> 200 then
      raise Exception.Create(Reply.StatusText);
    Writeln(Reply.ContentAsString(TEncoding.UTF8));
  finally
    Form.Free;
    Client.Free;
  end;
end.`;
}
