using System;
using System.Collections.Generic;
using System.Linq;
using System.Net.Http;
using System.Security.Cryptography;
using System.Threading.Tasks;
using System.Xml.Linq;

class Program
{
    const string Url = "{{url}}";
    const string ApiKey = "{{apiKey}}"; // Empty where the server asks for none.
    const string AppName = "Example Corp";
    const string Account = "jane@example.com";
    const string UserAddress = "203.0.113.7"; // IP address of the user who types the pin.

    static readonly HttpClient Client = new HttpClient { Timeout = TimeSpan.FromSeconds(10) };

    static void Main()
    {
        Client.DefaultRequestHeaders.Add("X-Api-Key", ApiKey);
        Client.DefaultRequestHeaders.Add("X-Authenticator-Source", UserAddress);
        PairAndCheck().GetAwaiter().GetResult();
    }

    static async Task PairAndCheck()
    {
        // Keep the secret encrypted or sealed beside the account: each login needs it.
        var secret = NewSecret();
        var pairing = await Call("Pair", new Dictionary<string, string>
        {
            ["appName"] = AppName,
            ["appInfo"] = Account,
            ["secretCode"] = secret,
        });
        var fields = pairing.Elements().ToDictionary(e => e.Name.LocalName, e => e.Value);
        Console.WriteLine("Setup key: " + fields["ManualSetupCode"]);
        Console.WriteLine("QR code for your page: " + fields["Html"]);

        Console.Write("Pin: ");
        var answer = await Call("ValidatePin", new Dictionary<string, string>
        {
            ["pin"] = Console.ReadLine(),
            ["secretCode"] = secret,
        });
        var isRight = answer.Value == "true";
        Console.WriteLine(isRight ? "The pin is right." : "The pin is not right.");
    }

    static async Task<XElement> Call(string operation, Dictionary<string, string> arguments)
    {
        var form = new FormUrlEncodedContent(arguments);
        using (var reply = await Client.PostAsync(Url + "/" + operation, form))
        {
            var text = await reply.Content.ReadAsStringAsync();
            if (!reply.IsSuccessStatusCode) throw new Exception(text);
            return XDocument.Parse(text).Root;
        }
    }

    static string NewSecret()
    {
        var random = new byte[32];
        using (var generator = RandomNumberGenerator.Create()) generator.GetBytes(random);
        var letters = random.Select(b => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[b % 32]);
        return "{{secretStart}}" + string.Concat(letters);
    }
}
