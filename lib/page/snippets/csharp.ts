/**
 * Snippets for C#.
 *
 * @module
 */

import { KEEP_SECRET, type Language, linesOf, type SnippetCall, WITHOUT_SOAP } from "./language.ts";

// The static RandomNumberGenerator.GetBytes would be shorter, but .NET Framework does not have it.
const SECRET = `// ${KEEP_SECRET}
var random = new byte[32];
RandomNumberGenerator.Create().GetBytes(random);
var secret = string.Concat(random.Select(b => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[b % 32]));
Console.WriteLine(secret);
`;

/** C# with the platform only. */
export const csharp: Language = {
  language: "C#",
  values: "c",
  needs: ".NET, or .NET Framework 4.7.2 with System.Net.Http; .NET for JSON",
  formats: WITHOUT_SOAP,
  secret: SECRET.replace(/^(?=.)/gm, "        "),
  write,
};

/** C# with a client generated from the WSDL. */
export const csharpProxy: Language = {
  language: "C# from the WSDL",
  values: "c",
  needs: ".NET and dotnet-svcutil, or wsdl.exe of .NET Framework",
  formats: ["SOAP 1.1", "SOAP 1.2"],
  secret: SECRET,
  write: writeProxy,
};

function write(call: SnippetCall): string {
  const { secret, quote, isJson } = call;
  const usings = [
    "System",
    "System.Collections.Generic",
    "System.Linq",
    "System.Net.Http",
    ...(secret === "" ? [] : ["System.Security.Cryptography"]),
    ...(isJson ? ["System.Text", "System.Text.Json"] : []),
    "System.Threading.Tasks",
    ...(isJson ? [] : ["System.Xml.Linq"]),
  ];
  const headers = call.keyHeader.map((header) =>
    `            client.DefaultRequestHeaders.Add(${header.map(quote).join(", ")});`
  );
  const [read, keep] = isJson
    ? ['JsonDocument.Parse(text).RootElement.GetProperty("d")', "%.GetBoolean()"]
    : ["XDocument.Parse(text).Root", '% == "true"'];
  const field = (name: string): string =>
    isJson
      ? `result.GetProperty(${quote(name)})`
      : `result.Descendants().First(e => e.Name.LocalName == ${quote(name)}).Value`;
  return `${linesOf(usings.map((name) => `using ${name};`))}
class Program
{
    static void Main() => CallAsync().GetAwaiter().GetResult();

    static async Task CallAsync()
    {
${secret}        var arguments = new Dictionary<string, string>
        {
${
    call.lines("            // ", ([name, value]) =>
      `            [${quote(name)}] = ${quote(value)},`)
  }
        };
        using (var client = new HttpClient())
        {
            client.Timeout = TimeSpan.FromSeconds(10);
${linesOf(headers)}${request(call)}
            var text = await reply.Content.ReadAsStringAsync();
            if (!reply.IsSuccessStatusCode) throw new Exception(text);
            var result = ${read};
${
    call.printing(
      field,
      isJson ? "result" : "result.Value",
      "            Console.WriteLine(%);",
      `            var accepted = ${keep};`,
    )
  }
        }
    }
}`;
}

function request({ isGet, isJson, callUrl, quote }: SnippetCall): string {
  if (isGet) {
    return `            var query = await new FormUrlEncodedContent(arguments).ReadAsStringAsync();
            var reply = await client.GetAsync(${quote(`${callUrl}?`)} + query);`;
  }
  const content = isJson
    ? `var content = new StringContent(JsonSerializer.Serialize(arguments),
                Encoding.UTF8, "application/json");`
    : "var content = new FormUrlEncodedContent(arguments);";
  return `            ${content}
            var reply = await client.PostAsync(${quote(callUrl)}, content);`;
}

function writeProxy(call: SnippetCall): string {
  const { name, url, args, fields, key, format, secret, quote } = call;
  const given = args.map(([, value]) => quote(value)).join(", ");
  const printed = fields?.map((field) => `Console.WriteLine(result.${field});`) ??
    ["Console.WriteLine(result);"];
  const login = key === undefined
    ? ""
    : `// The key: give the tool a file of the WSDL, and calls ${key} as password of HTTP Basic.\n`;
  const port = `AuthenticatorAPISoap${format === "SOAP 1.2" ? "12" : ""}`;
  const usings = secret === "" ? "" : "using System.Linq;\nusing System.Security.Cryptography;\n";
  return `// dotnet-svcutil ${quote(`${url}?wsdl`)} --sync
using System;
${usings}using ServiceReference;

${secret}${login}var client = new AuthenticatorAPISoapClient(
    AuthenticatorAPISoapClient.EndpointConfiguration.${port});
${call.comment("// ")}var result = client.${name}(${given});
${linesOf(printed)}
// .NET Framework: wsdl.exe, then new AuthenticatorAPI().${name}(...)`;
}
