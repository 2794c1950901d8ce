// Calls an operation with a client of .NET, and prints what came of it as JSON: the result, or code and
// message of the client's own exception; over HttpClient also the version of HTTP.
//
// Usage: dotnet Clients.dll CLIENT URL BINDING OPERATION < PARAMETERS.json

using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Clients;
using Clients.Messages;

var (client, url, binding, operation) = (args[0], args[1], args[2], args[3]);
var input = await new StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false)).ReadToEndAsync();
var parameters = JsonSerializer.Deserialize<Dictionary<string, string>>(input);
ICaller caller = client switch
{
    "HttpClient" => new HttpCaller(url, binding),
    "WCF" => new WcfCaller(url, binding),
    "WCF, message contracts" => new MessageCaller(url),
    "NSwag, System.Text.Json" => new NSwagSystemTextCaller(url),
    "NSwag, Newtonsoft.Json" => new NSwagNewtonsoftCaller(url),
    "Kiota" => new KiotaCaller(url),
    _ => throw new ArgumentException(client),
};
object outcome;
try
{
    outcome = new { result = await caller.Call(operation, parameters), version = caller.HttpVersion };
}
catch (CallException e)
{
    outcome = new { fault = new { code = e.Code, message = e.Message }, version = caller.HttpVersion };
}
var options = new JsonSerializerOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };
var output = Console.OpenStandardOutput();
output.Write(Encoding.UTF8.GetBytes(JsonSerializer.Serialize(outcome, options) + "\n"));

namespace Clients
{
    /// <summary>Client of the service.</summary>
    interface ICaller
    {
        /// <summary>Version of HTTP of the last reply; undefined where the client does not show it.</summary>
        string HttpVersion => null;

        Task<object> Call(string operation, IReadOnlyDictionary<string, string> args);
    }

    /// <summary>Mistake that a client reported, by its own exception.</summary>
    class CallException(string code, string message) : Exception(message)
    {
        public string Code => code;
    }

    /// <summary>Result of Pair, as the tests read it.</summary>
    record Pairing(string ManualSetupCode, string Html);
}
