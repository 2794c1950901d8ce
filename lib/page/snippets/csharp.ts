/**
 * Snippets for C#.
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
  WITHOUT_SOAP,
} from "./language.ts";

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
  const { secret, quote } = call;
  const isXml = call.format !== "JSON";
  const usings = [
    "System",
    "System.Collections.Generic",
    "System.Linq",
    "System.Net.Http",
    ...(secret === "" ? [] : ["System.Security.Cryptography"]),
    ...(isXml ? [] : ["System.Text", "System.Text.Json"]),
    "System.Threading.Tasks",
    ...(isXml ? ["System.Xml.Linq"] : []),
  ];
  return `${lines(usings, (name) => `using ${name};`)}

class Program
{
    static void Main() => CallAsync().GetAwaiter().GetResult();

    static async Task CallAsync()
    {
${secret}        var arguments = new Dictionary<string, string>
        {
${
    argumentLines(call, "            // ", ([name, value]) =>
      `            [${quote(name)}] = ${quote(value)},`)
  }
        };
        using (var client = new HttpClient())
        {
            client.Timeout = TimeSpan.FromSeconds(10);
${
    linesOf(
      ...keyHeader(call).map(([name, value]) =>
        `            client.DefaultRequestHeaders.Add(${quote(name)}, ${quote(value)});`
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

function request(call: SnippetCall): string {
  const { format, quote } = call;
  const address = quote(callUrl(call));
  switch (format) {
    case "HTTP GET":
      return `            var query = await new FormUrlEncodedContent(arguments).ReadAsStringAsync();
            var reply = await client.GetAsync(${quote(`${callUrl(call)}?`)} + query);`;
    case "HTTP POST":
      return `            var form = new FormUrlEncodedContent(arguments);
            var reply = await client.PostAsync(${address}, form);`;
    default:
      return `            var content = new StringContent(JsonSerializer.Serialize(arguments),
                Encoding.UTF8, "application/json");
            var reply = await client.PostAsync(${address}, content);`;
  }
}

function result(call: SnippetCall): string {
  const { format, fields, quote } = call;
  const isJson = format === "JSON";
  const values = isJson
    ? fields?.map((field) => `result.GetProperty(${quote(field)})`) ?? ["result"]
    : fields?.map((name) =>
      `result.Descendants().First(e => e.Name.LocalName == ${quote(name)}).Value`
    ) ?? ["result.Value"];
  const [read, keep] = isJson
    ? ['JsonDocument.Parse(text).RootElement.GetProperty("d")', "%.GetBoolean()"]
    : ["XDocument.Parse(text).Root", '% == "true"'];
  const print = "            Console.WriteLine(%);";
  return `            var result = ${read};
${printing(call, values, print, `            var accepted = ${keep};`)}`;
}

function writeProxy(call: SnippetCall): string {
  const { name, url, args, fields, key, format, secret, quote } = call;
  const given = args.map(([, value]) => quote(value)).join(", ");
  const printed = fields === undefined
    ? "Console.WriteLine(result);"
    : lines(fields, (field) => `Console.WriteLine(result.${field});`);
  const login = key === undefined
    ? ""
    : `// The key: give the tool a file of the WSDL, and calls ${key} as password of HTTP Basic.\n`;
  const port = `AuthenticatorAPISoap${format === "SOAP 1.2" ? "12" : ""}`;
  return `// dotnet-svcutil ${quote(`${url}?wsdl`)} --sync
using System;
${
    secret === ""
      ? ""
      : "using System.Linq;\nusing System.Security.Cryptography;\n"
  }using ServiceReference;

${secret}${login}var client = new AuthenticatorAPISoapClient(
    AuthenticatorAPISoapClient.EndpointConfiguration.${port});
${secretComment(call, "// ")}var result = client.${name}(${given});
${printed}

// .NET Framework: wsdl.exe, then new AuthenticatorAPI().${name}(...)`;
}
