/**
 * A working call of an operation in the languages of its callers. Each prints the result: the
 * fields of a record one on a line, or true or false.
 *
 * @module
 */

import type { Operation } from "../service/operations.ts";
import type { SampleContext } from "./context.ts";
import { exampleArguments } from "./fields.ts";
import { fillMarks, markOf, type Piece } from "./pieces.ts";
import { classicAsp, csharpProxy, delphi, go, ruby } from "./more_snippets.ts";
import {
  basicQuoted,
  type Call,
  lineOf,
  lines,
  phpQuoted,
  powershellQuoted,
  quoted,
  shellQuoted,
} from "./snippet_parts.ts";
import { encoderOf, KEY_HOLE, KEY_PLACEHOLDER, type ValueKind } from "./quoting.ts";

/** A program, or a command, that makes a call. */
export interface Snippet {
  /** The language, or the program that takes it. */
  readonly language: string;
  /** How it writes values. */
  readonly values: ValueKind;
  /** What it needs, one sentence. */
  readonly needs: string;
  /** The text; its lines end in LF. */
  readonly pieces: readonly Piece[];
}

/** A language: how it writes values in its strings, and its program. */
interface Language {
  readonly language: string;
  readonly values: ValueKind;
  readonly needs: string;
  readonly write: (call: Call) => string;
}

const LANGUAGES: readonly Language[] = [
  {
    language: "curl",
    values: "shell",
    needs: "curl 7.76 or later. HTTP POST; prints XML.",
    write: curl,
  },
  {
    language: "C#",
    values: "c",
    needs: ".NET, or .NET Framework 4.7.2 with System.Net.Http. HTTP POST.",
    write: csharp,
  },
  {
    language: "C# from the WSDL",
    values: "c",
    needs: ".NET and dotnet-svcutil, or wsdl.exe of .NET Framework. SOAP 1.1.",
    write: csharpProxy,
  },
  {
    language: "PHP",
    values: "php",
    needs: "PHP 7 or later with its soap extension. SOAP 1.1.",
    write: php,
  },
  { language: "Python", values: "c", needs: "Python 3, nothing else. JSON.", write: python },
  {
    language: "Java",
    values: "c",
    needs: "Java 11 or later, nothing else. HTTP POST.",
    write: java,
  },
  {
    language: "JavaScript",
    values: "c",
    needs: "a module in Node.js 18 or later, Deno or Bun; JSON.",
    write: javascript,
  },
  {
    language: "TypeScript",
    values: "c",
    needs: "Deno, Bun, or Node.js 22 or later; JSON.",
    write: typescript,
  },
  { language: "Go", values: "c", needs: "Go 1.16 or later, nothing else. JSON.", write: go },
  { language: "Ruby", values: "php", needs: "Ruby 2.5 or later, nothing else. JSON.", write: ruby },
  {
    language: "PowerShell",
    values: "powershell",
    needs: "Windows PowerShell 5 or PowerShell 7. JSON.",
    write: powershell,
  },
  {
    language: "VB",
    values: "basic",
    needs: ".NET, or .NET Framework 4.7.2 with System.Net.Http. HTTP POST.",
    write: visualBasic,
  },
  {
    language: "Classic ASP",
    values: "basic",
    needs: "IIS with ASP and MSXML 6. HTTP POST.",
    write: classicAsp,
  },
  {
    language: "Delphi",
    values: "delphi",
    needs: "Delphi XE8 or later. HTTP POST; prints XML.",
    write: delphi,
  },
];

/** The snippets of an operation. Their values are marked, so that others can be put in. */
export function snippetsOf(operation: Operation, context: SampleContext): readonly Snippet[] {
  const { name, result } = operation;
  const args = exampleArguments(operation, context.service);
  const url = `${context.base}/api.asmx`;
  const values = new Map([...args, [KEY_HOLE, KEY_PLACEHOLDER], [URL_MARK, url]]);
  const call: Call = {
    name,
    url: markOf(URL_MARK),
    args: [...args.keys()].map((known) => [known, markOf(known)]),
    fields: result.kind === "record" ? result.fields : undefined,
    key: context.wantsKey ? markOf(KEY_HOLE) : undefined,
  };
  return LANGUAGES.map(({ language, values: kind, needs, write }) => ({
    language,
    needs,
    values: kind,
    pieces: fillMarks(write(call), values, encoderOf(kind))
      .map(({ text, hole }) => hole === undefined || hole === URL_MARK ? { text } : { text, hole }),
  }));
}

// The address is put in like a value: it may hold anything, even a mark.
const URL_MARK = "url";

function curl({ name, url, args, key }: Call): string {
  const parts = [
    `curl --fail-with-body ${shellQuoted(`${url}/${name}`)}`,
    ...(key === undefined ? [] : [`--header ${shellQuoted(`X-Api-Key: ${key}`)}`]),
    ...args.map((arg) => `--data-urlencode ${shellQuoted(arg.join("="))}`),
  ];
  return parts.join(" \\\n  ");
}

function csharp({ name, url, args, fields, key }: Call): string {
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
${lineOf(key, (k) => `            client.DefaultRequestHeaders.Add("X-Api-Key", ${quoted(k)});`)}\
            var reply = await client.PostAsync(${quoted(`${url}/${name}`)}, form);
            reply.EnsureSuccessStatusCode();
            var result = XDocument.Parse(await reply.Content.ReadAsStringAsync()).Root;
            ${printed}
        }
    }
}`;
}

function php({ name, url, args, fields, key }: Call): string {
  const result = `$reply->${name}Result`;
  const printed = fields === undefined
    ? `echo ${result} ? 'true' : 'false', "\\n";`
    : lines(fields, (field) => `echo ${result}->${field}, "\\n";`);
  const login = key === undefined ? "" : `, ['login' => 'any', 'password' => ${phpQuoted(key)}]`;
  return `<?php
$client = new SoapClient(${phpQuoted(`${url}?wsdl`)}${login});
$reply = $client->${name}([
${lines(args, ([key, value]) => `    ${phpQuoted(key)} => ${phpQuoted(value)},`)}
]);
${printed}`;
}

function python({ name, url, args, fields, key }: Call): string {
  const printed = fields === undefined
    ? `    print("true" if result else "false")`
    : lines(fields, (field) => `    print(result[${quoted(field)}])`);
  const header = key === undefined ? "" : `, "X-Api-Key": ${quoted(key)}`;
  return `import json
import urllib.request

arguments = {
${lines(args, ([key, value]) => `    ${quoted(key)}: ${quoted(value)},`)}
}
request = urllib.request.Request(
    ${quoted(`${url}/${name}`)},
    data=json.dumps(arguments).encode(),
    headers={"Content-Type": "application/json"${header}},
)
with urllib.request.urlopen(request) as reply:
    result = json.load(reply)["d"]
${printed}`;
}

// HTTP/1.1, because Java's client else asks for an upgrade to HTTP/2 over plain HTTP, and Deno 2.9
// refuses a body that comes with such a request.
function java({ name, url, args, fields, key }: Call): string {
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
${lineOf(key, (k) => `                .header("X-Api-Key", ${quoted(k)})`)}\
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

function javascript(call: Call): string {
  return script(call, "");
}

function typescript(call: Call): string {
  const { fields } = call;
  const type = fields === undefined
    ? "boolean"
    : `{ ${fields.map((field) => `${field}: string`).join("; ")} }`;
  return script(call, `: { d: ${type} }`);
}

function script({ name, url, args, fields, key }: Call, type: string): string {
  const printed = fields?.map((field) => `d.${field}`) ?? ["d"];
  const header = key === undefined ? "" : `, "X-Api-Key": ${quoted(key)}`;
  return `const reply = await fetch(${quoted(`${url}/${name}`)}, {
  method: "POST",
  headers: { "Content-Type": "application/json"${header} },
  body: JSON.stringify({
${lines(args, ([key, value]) => `    ${key}: ${quoted(value)},`)}
  }),
});
if (!reply.ok) throw new Error((await reply.json()).Message);
const { d }${type} = await reply.json();
${lines(printed, (value) => `console.log(${value});`)}`;
}

function powershell({ name, url, args, fields, key }: Call): string {
  const printed = fields?.map((field) => `$reply.d.${field}`) ?? ["$reply.d"];
  const header = key === undefined
    ? ""
    : ` \`\n  -Headers @{ 'X-Api-Key' = ${powershellQuoted(key)} }`;
  return `$body = @{
${lines(args, ([key, value]) => `  ${key} = ${powershellQuoted(value)}`)}
} | ConvertTo-Json
$reply = Invoke-RestMethod ${powershellQuoted(`${url}/${name}`)} -Method Post \`
  -ContentType 'application/json; charset=utf-8' -Body $body${header}
${printed.join("\n")}`;
}

function visualBasic({ name, url, args, fields, key }: Call): string {
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
${
    lineOf(key, (k) =>
      `            client.DefaultRequestHeaders.Add("X-Api-Key", ${basicQuoted(k)})`)
  }\
            Dim reply = Await client.PostAsync(${basicQuoted(`${url}/${name}`)}, form)
            reply.EnsureSuccessStatusCode()
            Dim result = XDocument.Parse(Await reply.Content.ReadAsStringAsync()).Root
${printed}
        End Using
    End Function
End Module`;
}
