// How public callers in C# call, and how they cut the reply apart; each by its row in the list of
// public callers. Prints what it found, a line for each: NAME=VALUE.
//
// Usage: mono Callers.exe ROW OPERATION URL VALUE...

using System;
using System.Linq;
using System.Net;
using System.Text;
using System.Xml.Linq;

static class Callers
{
    static readonly XNamespace Ns = "http://authenticatorapi.com/";

    static void Main(string[] args)
    {
        var url = args[2];
        switch (args[0] + " " + args[1])
        {
            // The envelope put together as text, the namespace built in.
            case "1-soap ValidatePin":
                var xml = XDocument.Parse(Post(url + "/api.asmx", Envelope(args[3], args[4])));
                Answer(xml.Descendants(Ns + "ValidatePinResult").Single().Value);
                break;
            case "1-get ValidatePin":
                var query = "pin=" + args[3] + "&secretCode=" + Uri.EscapeDataString(args[4]);
                var reply = XDocument.Parse(Get(url + "/api.asmx/ValidatePin?" + query));
                Answer(reply.Element(Ns + "boolean").Value);
                break;
            case "9 Pair":
                var info = XDocument.Parse(Get(url + "/api.asmx/Pair?appName=" + args[3] + "&appInfo="
                    + args[4] + "&secretCode=" + args[5])).Root;
                Console.WriteLine("setupCode=" + info.Element(Ns + "ManualSetupCode").Value);
                Console.WriteLine("html=" + info.Element(Ns + "Html").Value);
                break;
            // A wrong name for the secret.
            case "9 ValidatePin":
                try
                {
                    Get(url + "/api.asmx/ValidatePin?Pin=" + args[3] + "&secret=" + args[4]);
                }
                catch (WebException e)
                {
                    Console.WriteLine("status=" + (int)((HttpWebResponse)e.Response).StatusCode);
                }
                break;
            case "9-right-name ValidatePin":
                Answer(XDocument.Parse(Get(url + "/api.asmx/ValidatePin?Pin=" + args[3]
                    + "&SECRETCODE=" + args[4])).Root.Value);
                break;
            case "21 ValidatePin":
                var text = Get(url + "/Validate.aspx?Pin=" + args[3] + "&SecretCode=" + args[4]);
                bool parsed;
                var agreed = new[]
                {
                    text == "True",
                    text.Contains("True"),
                    bool.TryParse(text, out parsed) && parsed,
                };
                Console.WriteLine("accepted="
                    + (agreed.Distinct().Count() == 1 ? agreed[0].ToString().ToLower() : "both"));
                break;
            default:
                throw new ArgumentException(args[0]);
        }
    }

    static void Answer(string text)
    {
        bool accepted;
        Console.WriteLine("accepted="
            + (bool.TryParse(text, out accepted) && accepted ? "true" : "false"));
    }

    static string Get(string address)
    {
        return new WebClient().DownloadString(address);
    }

    static string Post(string address, string envelope)
    {
        var client = new WebClient { Encoding = Encoding.UTF8 };
        client.Headers["Content-Type"] = "text/xml; charset=utf-8";
        client.Headers["SOAPAction"] = "\"http://authenticatorapi.com/ValidatePin\"";
        return client.UploadString(address, envelope);
    }

    static string Envelope(string pin, string secretCode)
    {
        return "<?xml version=\"1.0\" encoding=\"utf-8\"?>"
            + "<soap:Envelope xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
            + " xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\""
            + " xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\"><soap:Body>"
            + "<ValidatePin xmlns=\"http://authenticatorapi.com/\"><pin>" + pin + "</pin>"
            + "<secretCode>" + secretCode + "</secretCode></ValidatePin></soap:Body></soap:Envelope>";
    }
}
