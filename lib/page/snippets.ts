/**
 * A working call of an operation in the languages of its callers. Each prints the result: the
 * fields of a record one on a line, or true or false.
 *
 * @module
 */

import type { Operation } from "../service/operations.ts";
import type { PageContext } from "./context.ts";
import { exampleArguments } from "./fields.ts";

/** A program, or a command, that makes a call. */
export interface Snippet {
  /** The language, or the program that takes it. */
  readonly language: string;
  /** The text; its lines end in LF. */
  readonly text: string;
}

/** What a template is filled with. */
interface Call {
  readonly name: string;
  /** The address of the service. */
  readonly url: string;
  readonly args: readonly (readonly [name: string, value: string])[];
  /** The fields of the result when it is a record. */
  readonly fields: readonly string[] | undefined;
}

const TEMPLATES: readonly (readonly [language: string, write: (call: Call) => string])[] = [
  ["curl", curl],
  ["C#", csharp],
  ["PHP", php],
  ["Python", python],
  ["Java", java],
  ["JavaScript", javascript],
  ["PowerShell", powershell],
  ["VB", visualBasic],
];

/** The snippets of an operation. */
export function snippetsOf(operation: Operation, context: PageContext): readonly Snippet[] {
  const { name, result } = operation;
  const call: Call = {
    name,
    url: `${context.base}/api.asmx`,
    args: [...exampleArguments(operation, context.service)],
    fields: result.kind === "record" ? result.fields : undefined,
  };
  return TEMPLATES.map(([language, write]) => ({ language, text: write(call) }));
}

// In C#, Java, JavaScript and Python; what these escape and JSON does not, no URL or example has.
const quoted = (text: string): string => JSON.stringify(text);
const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const phpQuoted = (text: string): string => `'${text.replace(/[\\']/g, String.raw`\$&`)}'`;
const powershellQuoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const basicQuoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

function lines<T>(items: readonly T[], line: (item: T) => string, separator = "\n"): string {
  return items.map(line).join(separator);
}

function curl({ name, url, args }: Call): string {
  const parts = [
    `curl ${shellQuoted(`${url}/${name}`)}`,
    ...args.map((arg) => `--data-urlencode ${shellQuoted(arg.join("="))}`),
  ];
  return parts.join(" \\\n  ");
}

function csharp({ name, url, args, fields }: Call): string {
  const printed = fields === undefined
    ? "Console.WriteLine(result.Value);"
    : `foreach (var field in result.Elements()) Console.WriteLine(field.Value);`;
  return `using System;
using System.Collections.Generic;
using System.Net.Http;
using System.Threading.Tasks;
using System.Xml.Linq;

class Program
{
    static void Main() => CallAsync().GetAwaiter().GetResult();

    static async Task CallAsync()
    {
        var form = new FormUrlEncodedContent(new Dictionary<string, string>
        {
${lines(args, ([key, value]) => `            [${quoted(key)}] = ${quoted(value)},`)}
        });
        using (var client = new HttpClient())
        {
            var reply = await client.PostAsync(${quoted(`${url}/${name}`)}, form);
            reply.EnsureSuccessStatusCode();
            var result = XDocument.Parse(await reply.Content.ReadAsStringAsync()).Root;
            ${printed}
        }
    }
}`;
}

function php({ name, url, args, fields }: Call): string {
  const result = `$reply->${name}Result`;
  const printed = fields === undefined
    ? `echo ${result} ? 'true' : 'false', "\\n";`
    : lines(fields, (field) => `echo ${result}->${field}, "\\n";`);
  return `<?php
$client = new SoapClient(${phpQuoted(`${url}?wsdl`)});
$reply = $client->${name}([
${lines(args, ([key, value]) => `    ${phpQuoted(key)} => ${phpQuoted(value)},`)}
]);
${printed}`;
}

function python({ name, url, args, fields }: Call): string {
  const printed = fields === undefined
    ? `    print("true" if result else "false")`
    : lines(fields, (field) => `    print(result[${quoted(field)}])`);
  return `import json
import urllib.request

arguments = {
${lines(args, ([key, value]) => `    ${quoted(key)}: ${quoted(value)},`)}
}
request = urllib.request.Request(
    ${quoted(`${url}/${name}`)},
    data=json.dumps(arguments).encode(),
    headers={"Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as reply:
    result = json.load(reply)["d"]
${printed}`;
}

// HTTP/1.1, because Java's client else asks for an upgrade to HTTP/2 over plain HTTP, and Deno 2.9
// refuses a body that comes with such a request.
function java({ name, url, args, fields }: Call): string {
  const pairs = lines(
    args,
    ([key, value]) => `                ${quoted(`${key}=`)} + encode(${quoted(value)})`,
    ",\n",
  );
  const text = (field: string): string =>
    `result.getElementsByTagName(${quoted(field)}).item(0).getTextContent()`;
  const printed = (fields?.map(text) ?? ["result.getTextContent()"])
    .map((value) => `        System.out.println(${value});`).join("\n");
  return `import java.net.*;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
import javax.xml.parsers.DocumentBuilderFactory;

public class ${name} {
    public static void main(String[] arguments) throws Exception {
        var form = String.join("&",
${pairs});
        var request = HttpRequest.newBuilder(URI.create(${quoted(`${url}/${name}`)}))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form))
                .build();
        var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        var reply = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        if (reply.statusCode() != 200) throw new Exception("HTTP " + reply.statusCode());
        var result = DocumentBuilderFactory.newInstance().newDocumentBuilder()
                .parse(reply.body()).getDocumentElement();
${printed}
    }

    static String encode(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }
}`;
}

function javascript({ name, url, args, fields }: Call): string {
  const printed = fields?.map((field) => `d.${field}`) ?? ["d"];
  return `const reply = await fetch(${quoted(`${url}/${name}`)}, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({
${lines(args, ([key, value]) => `    ${key}: ${quoted(value)},`)}
  }),
});
if (!reply.ok) throw new Error((await reply.json()).Message);
const { d } = await reply.json();
${lines(printed, (value) => `console.log(${value});`)}`;
}

function powershell({ name, url, args, fields }: Call): string {
  const printed = fields?.map((field) => `$reply.d.${field}`) ?? ["$reply.d"];
  return `$body = @{
${lines(args, ([key, value]) => `  ${key} = ${powershellQuoted(value)}`)}
} | ConvertTo-Json
$reply = Invoke-RestMethod ${powershellQuoted(`${url}/${name}`)} -Method Post \`
  -ContentType 'application/json; charset=utf-8' -Body $body
${printed.join("\n")}`;
}

function visualBasic({ name, url, args, fields }: Call): string {
  const pairs = lines(
    args,
    ([key, value]) => `            {${basicQuoted(key)}, ${basicQuoted(value)}}`,
    ",\n",
  );
  const printed = fields === undefined
    ? `            Console.WriteLine(result.Value)`
    : `            For Each field In result.Elements()
                Console.WriteLine(field.Value)
            Next`;
  return `Imports System
Imports System.Collections.Generic
Imports System.Net.Http
Imports System.Threading.Tasks
Imports System.Xml.Linq

Module Program
    Sub Main()
        CallAsync().GetAwaiter().GetResult()
    End Sub

    Async Function CallAsync() As Task
        Dim form As New FormUrlEncodedContent(New Dictionary(Of String, String) From {
${pairs}
        })
        Using client As New HttpClient()
            Dim reply = Await client.PostAsync(${basicQuoted(`${url}/${name}`)}, form)
            reply.EnsureSuccessStatusCode()
            Dim result = XDocument.Parse(Await reply.Content.ReadAsStringAsync()).Root
${printed}
        End Using
    End Function
End Module`;
}
