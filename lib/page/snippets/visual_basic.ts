/**
 * Snippet for Visual Basic.
 *
 * @module
 */

import { FORMS, KEEP_SECRET, type Language, linesOf, type SnippetCall } from "./language.ts";

/** Visual Basic. */
export const visualBasic: Language = {
  language: "VB",
  values: "basic",
  needs: ".NET, or .NET Framework 4.7.2 with System.Net.Http",
  formats: FORMS,
  secret: `        ' ${KEEP_SECRET}
        Dim random(31) As Byte
        RandomNumberGenerator.Create().GetBytes(random)
        Dim secret As New String(random.Select(
            Function(b) "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".Chars(b Mod 32)).ToArray())
        Console.WriteLine(secret)
`,
  write,
};

function write(call: SnippetCall): string {
  const { secret, quote, args, callUrl } = call;
  const imports = [
    "System",
    "System.Collections.Generic",
    "System.Linq",
    "System.Net.Http",
    ...(secret === "" ? [] : ["System.Security.Cryptography"]),
    "System.Threading.Tasks",
    "System.Xml.Linq",
  ];
  const given = args.map(([name, value]) => `            {${quote(name)}, ${quote(value)}}`);
  const headers = call.keyHeader.map((header) =>
    `            client.DefaultRequestHeaders.Add(${header.map(quote).join(", ")})`
  );
  const request = call.isGet
    ? `            Dim query = Await content.ReadAsStringAsync()
            Dim reply = Await client.GetAsync(${quote(`${callUrl}?`)} & query)`
    : `            Dim reply = Await client.PostAsync(${quote(callUrl)}, content)`;
  const field = (name: string): string =>
    `result.Descendants().First(Function(e) e.Name.LocalName = ${quote(name)}).Value`;
  const keep = '            Dim accepted As Boolean = (% = "true")';
  return `${linesOf(imports.map((name) => `Imports ${name}`))}
Module Program
    Sub Main()
        CallAsync().GetAwaiter().GetResult()
    End Sub

    Async Function CallAsync() As Task
${secret}${call.comment("        ' ")}        Dim content As New FormUrlEncodedContent(\
New Dictionary(Of String, String) From {
${given.join(",\n")}
        })
        Using client As New HttpClient()
            client.Timeout = TimeSpan.FromSeconds(10)
${linesOf(headers)}${request}
            Dim text = Await reply.Content.ReadAsStringAsync()
            If Not reply.IsSuccessStatusCode Then Throw New Exception(text)
            Dim result = XDocument.Parse(text).Root
${call.printing(field, "result.Value", "            Console.WriteLine(%)", keep)}
        End Using
    End Function
End Module`;
}
