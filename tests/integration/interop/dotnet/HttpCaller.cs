using System.Net.Http.Json;
using System.Text;
using System.Text.Json;
using System.Xml.Linq;

namespace Clients;

/// <summary>Client written by hand on HttpClient, in each binding.</summary>
class HttpCaller(string url, string binding) : ICaller
{
    static readonly XNamespace Service = "http://authenticatorapi.com/";

    readonly HttpClient http = new()
    {
        DefaultRequestVersion = System.Net.HttpVersion.Version20,
        DefaultVersionPolicy = HttpVersionPolicy.RequestVersionOrLower,
    };

    public string HttpVersion { get; private set; }

    public async Task<object> Call(string operation, IReadOnlyDictionary<string, string> args)
    {
        using var reply = await Send(operation, args);
        HttpVersion = reply.Version.ToString();
        var body = await reply.Content.ReadAsStringAsync();
        try
        {
            reply.EnsureSuccessStatusCode();
        }
        catch (HttpRequestException)
        {
            throw FaultIn(body);
        }
        return binding == "JSON" ? ResultInJson(body) : ResultInXml(operation, XDocument.Parse(body).Root);
    }

    Task<HttpResponseMessage> Send(string operation, IReadOnlyDictionary<string, string> args)
    {
        var path = $"{url}/api.asmx/{operation}";
        switch (binding)
        {
            case "HTTP GET":
                var pairs = args.Select(a => $"{a.Key}={Uri.EscapeDataString(a.Value)}");
                return http.GetAsync($"{path}?{string.Join("&", pairs)}");
            case "HTTP POST":
                return http.PostAsync(path, new FormUrlEncodedContent(args));
            case "JSON":
                // Both ways of the library, which write the body alike.
                return operation == "Pair"
                    ? http.PostAsJsonAsync(path, args)
                    : http.PostAsync(path, JsonContent.Create(args));
            default:
                return http.SendAsync(Envelope(operation, args));
        }
    }

    HttpRequestMessage Envelope(string operation, IReadOnlyDictionary<string, string> args)
    {
        var is11 = binding == "SOAP 1.1";
        XNamespace soap = is11
            ? "http://schemas.xmlsoap.org/soap/envelope/"
            : "http://www.w3.org/2003/05/soap-envelope";
        var call = new XElement(Service + operation, args.Select(a => new XElement(Service + a.Key, a.Value)));
        var envelope = new XElement(soap + "Envelope", new XElement(soap + "Body", call));
        var type = is11 ? "text/xml" : "application/soap+xml";
        var request = new HttpRequestMessage(HttpMethod.Post, $"{url}/api.asmx")
        {
            Content = new StringContent(envelope.ToString(SaveOptions.DisableFormatting), Encoding.UTF8, type),
        };
        if (is11) request.Headers.Add("SOAPAction", $"\"{Service}{operation}\"");
        return request;
    }

    object ResultInXml(string operation, XElement root)
    {
        var name = operation == "Pair" ? "PairResult" : "ValidatePinResult";
        var result = binding.StartsWith("SOAP") ? root.Descendants(Service + name).Single() : root;
        return operation == "Pair"
            ? new Pairing(result.Element(Service + "ManualSetupCode").Value, result.Element(Service + "Html").Value)
            : bool.Parse(result.Value);
    }

    static object ResultInJson(string body)
    {
        var d = JsonDocument.Parse(body).RootElement.GetProperty("d");
        return d.ValueKind == JsonValueKind.Object
            ? d.Deserialize<Pairing>()
            : d.GetBoolean();
    }

    CallException FaultIn(string body)
    {
        if (binding == "JSON")
        {
            return new("", JsonDocument.Parse(body).RootElement.GetProperty("Message").GetString());
        }
        if (!binding.StartsWith("SOAP")) return new("", body.TrimEnd());
        var root = XDocument.Parse(body).Root;
        var text = (string name) => root.Descendants().Single(e => e.Name.LocalName == name).Value;
        return binding == "SOAP 1.1"
            ? new(text("faultcode"), text("faultstring"))
            : new(text("Value"), text("Text"));
    }
}
