/**
 * Snippets for C#.
 *
 * @module
 */

import {
  callUrl,
  FORMATS,
  type Language,
  lines,
  linesOf,
  moreHeaders,
  printing,
  quoted,
  resultElements,
  type SnippetCall,
  type SoapCall,
} from "./language.ts";

/** C# with the platform only. */
export const csharp: Language = {
  language: "C#",
  values: "c",
  needs: ".NET, or .NET Framework 4.7.2 with System.Net.Http; .NET for JSON",
  formats: FORMATS,
  write,
};

/** C# with a client generated from the WSDL. */
export const csharpProxy: Language = {
  language: "C# from the WSDL",
  values: "c",
  needs: ".NET and dotnet-svcutil, or wsdl.exe of .NET Framework",
  formats: ["SOAP 1.1", "SOAP 1.2"],
  write: writeProxy,
};

function write(call: SnippetCall): string {
  const { format, soap, args } = call;
  const dictionary = `new Dictionary<string, string>
        {
${lines(args, ([name, value]) => `            [${quoted(name)}] = ${quoted(value)},`)}
        }`;
  const isXml = format !== "JSON";
  const usings = [
    "System",
    ...(soap === undefined ? ["System.Collections.Generic"] : []),
    ...(isXml && resultElements(call) !== undefined ? ["System.Linq"] : []),
    "System.Net.Http",
    ...(!isXml || soap !== undefined ? ["System.Text"] : []),
    ...(isXml ? [] : ["System.Text.Json"]),
    "System.Threading.Tasks",
    ...(isXml ? ["System.Xml.Linq"] : []),
  ];
  return `${lines(usings, (name) => `using ${name};`)}

class Program
{
    static void Main() => CallAsync().GetAwaiter().GetResult();

    static async Task CallAsync()
    {
${soap === undefined ? `        var arguments = ${dictionary};` : envelope(call, soap)}
        using (var client = new HttpClient())
        {
${
    linesOf(
      ...moreHeaders(call).map(([name, value]) =>
        `            client.DefaultRequestHeaders.Add(${quoted(name)}, ${quoted(value)});`
      ),
    )
  }${request(call)}
            var text = await reply.Content.ReadAsStringAsync();
            if (!reply.IsSuccessStatusCode) throw new Exception(text);
${result(call)}
        }
    }
}`;
}

function envelope(
  { name, args }: SnippetCall,
  { envelope, namespace, mediaType }: SoapCall,
): string {
  return `        XNamespace soap = ${quoted(envelope)};
        XNamespace api = ${quoted(namespace)};
        var envelope = new XElement(soap + "Envelope", new XElement(soap + "Body",
            new XElement(api + ${quoted(name)},
${
    lines(args, ([known, value]) =>
      `                new XElement(api + ${quoted(known)}, ${quoted(value)})`, ",\n")
  })));
        var content = new StringContent(envelope.ToString(SaveOptions.DisableFormatting),
            Encoding.UTF8, ${quoted(mediaType)});`;
}

function request(call: SnippetCall): string {
  const { format } = call;
  const address = quoted(callUrl(call));
  switch (format) {
    case "HTTP GET":
      return `            var query = await new FormUrlEncodedContent(arguments).ReadAsStringAsync();
            var reply = await client.GetAsync(${quoted(`${callUrl(call)}?`)} + query);`;
    case "HTTP POST":
      return `            var form = new FormUrlEncodedContent(arguments);
            var reply = await client.PostAsync(${address}, form);`;
    case "JSON":
      return `            var content = new StringContent(JsonSerializer.Serialize(arguments),
                Encoding.UTF8, "application/json");
            var reply = await client.PostAsync(${address}, content);`;
    default:
      return `            var reply = await client.PostAsync(${address}, content);`;
  }
}

function result(call: SnippetCall): string {
  const { format, fields } = call;
  const isJson = format === "JSON";
  const values = isJson
    ? fields?.map((field) => `result.GetProperty(${quoted(field)})`) ?? ["result"]
    : resultElements(call)?.map((name) =>
      `result.Descendants().First(e => e.Name.LocalName == ${quoted(name)}).Value`
    ) ?? ["result.Value"];
  const [read, keep] = isJson
    ? ['JsonDocument.Parse(text).RootElement.GetProperty("d")', "%.GetBoolean()"]
    : ["XDocument.Parse(text).Root", '% == "true"'];
  const print = "            Console.WriteLine(%);";
  return `            var result = ${read};
${printing(call, values, print, `            var accepted = ${keep};`)}`;
}

function writeProxy({ name, url, args, fields, key, format }: SnippetCall): string {
  const given = args.map(([, value]) => quoted(value)).join(", ");
  const printed = fields === undefined
    ? "Console.WriteLine(result);"
    : lines(fields, (field) => `Console.WriteLine(result.${field});`);
  const login = key === undefined
    ? ""
    : `// The key: give the tool a file of the WSDL, and calls ${key} as password of HTTP Basic.\n`;
  const port = `AuthenticatorAPISoap${format === "SOAP 1.2" ? "12" : ""}`;
  return `// dotnet-svcutil ${quoted(`${url}?wsdl`)} --sync
using System;
using ServiceReference;

${login}var client = new AuthenticatorAPISoapClient(
    AuthenticatorAPISoapClient.EndpointConfiguration.${port});
var result = client.${name}(${given});
${printed}

// .NET Framework: wsdl.exe, then new AuthenticatorAPI().${name}(...)`;
}
