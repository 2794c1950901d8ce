Imports System
Imports System.Collections.Generic
Imports System.Linq
Imports System.Net.Http
Imports System.Security.Cryptography
Imports System.Threading.Tasks
Imports System.Xml.Linq

Module Program
    Const Url As String = "{{url}}"
    Const ApiKey As String = "{{apiKey}}" ' Empty where the server asks for none.
    Const AppName As String = "Example Corp"
    Const Account As String = "jane@example.com"
    Const UserAddress As String = "203.0.113.7" ' IP address of the user who types the pin.

    ReadOnly Client As New HttpClient With {.Timeout = TimeSpan.FromSeconds(10)}

    Sub Main()
        Client.DefaultRequestHeaders.Add("X-Api-Key", ApiKey)
        Client.DefaultRequestHeaders.Add("X-Authenticator-Source", UserAddress)
        PairAndCheck().GetAwaiter().GetResult()
    End Sub

    Async Function PairAndCheck() As Task
        ' Keep the secret encrypted or sealed beside the account: each login needs it.
        Dim secret = NewSecret()
        Dim pairing = Await CallAsync("Pair", New Dictionary(Of String, String) From {
            {"appName", AppName}, {"appInfo", Account}, {"secretCode", secret}})
        Dim fields = pairing.Elements().ToDictionary(
            Function(e) e.Name.LocalName, Function(e) e.Value)
        Console.WriteLine("Setup key: " & fields("ManualSetupCode"))
        Console.WriteLine("QR code for your page: " & fields("Html"))

        Console.Write("Pin: ")
        Dim answer = Await CallAsync("ValidatePin", New Dictionary(Of String, String) From {
            {"pin", Console.ReadLine()}, {"secretCode", secret}})
        Dim isRight = answer.Value = "true"
        Console.WriteLine(If(isRight, "The pin is right.", "The pin is not right."))
    End Function

    Async Function CallAsync(operation As String,
                             arguments As Dictionary(Of String, String)) As Task(Of XElement)
        Using reply = Await Client.PostAsync(Url & "/" & operation,
                                             New FormUrlEncodedContent(arguments))
            Dim text = Await reply.Content.ReadAsStringAsync()
            If Not reply.IsSuccessStatusCode Then Throw New Exception(text)
            Return XDocument.Parse(text).Root
        End Using
    End Function

    Function NewSecret() As String
        Dim random(31) As Byte
        Using generator = RandomNumberGenerator.Create()
            generator.GetBytes(random)
        End Using
        Return "{{secretStart}}" & New String(random.Select(
            Function(b) "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".Chars(b Mod 32)).ToArray())
    End Function
End Module
