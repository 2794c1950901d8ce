/**
 * Snippet for Visual Basic.
 *
 * @module
 */

import {
  basicQuoted,
  callUrl,
  type Language,
  lines,
  linesOf,
  moreHeaders,
  printing,
  resultElements,
  type SnippetCall,
  type SoapCall,
  WITHOUT_JSON,
} from "./language.ts";

/** Visual Basic. */
export const visualBasic: Language = {
  language: "VB",
  values: "basic",
  needs: ".NET, or .NET Framework 4.7.2 with System.Net.Http",
  formats: WITHOUT_JSON,
  write,
};

function write(call: SnippetCall): string {
  const { soap } = call;
  const imports = [
    "System",
    ...(soap === undefined ? ["System.Collections.Generic"] : []),
    "System.Linq",
    "System.Net.Http",
    ...(soap === undefined ? [] : ["System.Text"]),
    "System.Threading.Tasks",
    "System.Xml.Linq",
  ];
  return `${lines(imports, (name) => `Imports ${name}`)}

Module Program
    Sub Main()
        CallAsync().GetAwaiter().GetResult()
    End Sub

    Async Function CallAsync() As Task
${soap === undefined ? form(call) : envelope(call, soap)}
        Using client As New HttpClient()
${
    linesOf(
      ...moreHeaders(call).map((header) =>
        `            client.DefaultRequestHeaders.Add(${header.map(basicQuoted).join(", ")})`
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

function form({ args }: SnippetCall): string {
  return `        Dim content As New FormUrlEncodedContent(New Dictionary(Of String, String) From {
${
    lines(args, ([name, value]) =>
      `            {${basicQuoted(name)}, ${basicQuoted(value)}}`, ",\n")
  }
        })`;
}

function envelope(
  { name, args }: SnippetCall,
  { envelope, namespace, mediaType }: SoapCall,
): string {
  return `        Dim soap As XNamespace = ${basicQuoted(envelope)}
        Dim api As XNamespace = ${basicQuoted(namespace)}
        Dim envelope As New XElement(soap + "Envelope", New XElement(soap + "Body",
            New XElement(api + ${basicQuoted(name)},
${
    lines(args, ([known, value]) =>
      `                New XElement(api + ${basicQuoted(known)}, ${basicQuoted(value)})`, ",\n")
  })))
        Dim content As New StringContent(envelope.ToString(SaveOptions.DisableFormatting),
            Encoding.UTF8, ${basicQuoted(mediaType)})`;
}

function request(call: SnippetCall): string {
  return call.format === "HTTP GET"
    ? `            Dim query = Await content.ReadAsStringAsync()
            Dim reply = Await client.GetAsync(${basicQuoted(`${callUrl(call)}?`)} & query)`
    : `            Dim reply = Await client.PostAsync(${basicQuoted(callUrl(call))}, content)`;
}

function result(call: SnippetCall): string {
  const values =
    resultElements(call)?.map((name) =>
      `result.Descendants().First(Function(e) e.Name.LocalName = ${basicQuoted(name)}).Value`
    ) ?? ["result.Value"];
  const keep = '            Dim accepted As Boolean = (% = "true")';
  return printing(call, values, "            Console.WriteLine(%)", keep);
}
