/**
 * Snippet for Visual Basic.
 *
 * @module
 */

import {
  callUrl,
  FORMS,
  KEEP_SECRET,
  keyHeader,
  type Language,
  lines,
  linesOf,
  printing,
  secretComment,
  type SnippetCall,
} from "./language.ts";

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
  const { secret, quote } = call;
  const imports = [
    "System",
    "System.Collections.Generic",
    "System.Linq",
    "System.Net.Http",
    ...(secret === "" ? [] : ["System.Security.Cryptography"]),
    "System.Threading.Tasks",
    "System.Xml.Linq",
  ];
  return `${lines(imports, (name) => `Imports ${name}`)}

Module Program
    Sub Main()
        CallAsync().GetAwaiter().GetResult()
    End Sub

    Async Function CallAsync() As Task
${secret}${
    secretComment(call, "        ' ")
  }        Dim content As New FormUrlEncodedContent(New Dictionary(Of String, String) From {
${lines(call.args, ([name, value]) => `            {${quote(name)}, ${quote(value)}}`, ",\n")}
        })
        Using client As New HttpClient()
            client.Timeout = TimeSpan.FromSeconds(10)
${
    linesOf(
      ...keyHeader(call).map((header) =>
        `            client.DefaultRequestHeaders.Add(${header.map(quote).join(", ")})`
      ),
    )
  }${request(call)}
            Dim text = Await reply.Content.ReadAsStringAsync()
            If Not reply.IsSuccessStatusCode Then Throw New Exception(text)
            Dim result = XDocument.Parse(text).Root
${result(call)}
        End Using
    End Function
End Module`;
}

function request(call: SnippetCall): string {
  const { quote } = call;
  return call.format === "HTTP GET"
    ? `            Dim query = Await content.ReadAsStringAsync()
            Dim reply = Await client.GetAsync(${quote(`${callUrl(call)}?`)} & query)`
    : `            Dim reply = Await client.PostAsync(${quote(callUrl(call))}, content)`;
}

function result(call: SnippetCall): string {
  const { quote } = call;
  const values =
    call.fields?.map((name) =>
      `result.Descendants().First(Function(e) e.Name.LocalName = ${quote(name)}).Value`
    ) ?? ["result.Value"];
  const keep = '            Dim accepted As Boolean = (% = "true")';
  return printing(call, values, "            Console.WriteLine(%)", keep);
}
