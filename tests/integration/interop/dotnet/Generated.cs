// Callers of the clients that NSwag and Kiota generate from /openapi.json.

using Microsoft.Kiota.Abstractions;
using Microsoft.Kiota.Abstractions.Authentication;
using Microsoft.Kiota.Http.HttpClientLibrary;

namespace Clients;

class NSwagSystemTextCaller(string url) : ICaller
{
    readonly NSwagSystemText.Client client = new(new HttpClient()) { BaseUrl = url };

    public async Task<object> Call(string operation, IReadOnlyDictionary<string, string> args)
    {
        try
        {
            if (operation != "Pair")
            {
                var check = new NSwagSystemText.ValidatePin { Pin = args["pin"], SecretCode = args["secretCode"] };
                return (await client.ValidatePinAsync("203.0.113.7", check)).D;
            }
            var info = (await client.PairAsync(null, new NSwagSystemText.Pair
            {
                AppName = args["appName"], AppInfo = args["appInfo"], SecretCode = args["secretCode"],
            })).D;
            return new Pairing(info.ManualSetupCode, info.Html);
        }
        catch (NSwagSystemText.ApiException<NSwagSystemText.Error> e)
        {
            throw new CallException("", e.Result.Message);
        }
    }
}

class NSwagNewtonsoftCaller(string url) : ICaller
{
    readonly NSwagNewtonsoft.Client client = new(new HttpClient()) { BaseUrl = url };

    public async Task<object> Call(string operation, IReadOnlyDictionary<string, string> args)
    {
        try
        {
            if (operation != "Pair")
            {
                var check = new NSwagNewtonsoft.ValidatePin { Pin = args["pin"], SecretCode = args["secretCode"] };
                return (await client.ValidatePinAsync("203.0.113.7", check)).D;
            }
            var info = (await client.PairAsync(null, new NSwagNewtonsoft.Pair
            {
                AppName = args["appName"], AppInfo = args["appInfo"], SecretCode = args["secretCode"],
            })).D;
            return new Pairing(info.ManualSetupCode, info.Html);
        }
        catch (NSwagNewtonsoft.ApiException<NSwagNewtonsoft.Error> e)
        {
            throw new CallException("", e.Result.Message);
        }
    }
}

class KiotaCaller(string url) : ICaller
{
    public async Task<object> Call(string operation, IReadOnlyDictionary<string, string> args)
    {
        var adapter = new HttpClientRequestAdapter(new AnonymousAuthenticationProvider()) { BaseUrl = url };
        var client = new KiotaClient.Client(adapter);
        try
        {
            if (operation != "Pair")
            {
                var check = new KiotaClient.Models.ValidatePin { Pin = args["pin"], SecretCode = args["secretCode"] };
                var checkedPin = await client.ApiAsmx.ValidatePin.PostAsync(
                    check, request => request.Headers.Add("X-Authenticator-Source", "203.0.113.7"));
                return checkedPin.D;
            }
            var info = (await client.ApiAsmx.Pair.PostAsync(new KiotaClient.Models.Pair
            {
                AppName = args["appName"], AppInfo = args["appInfo"], SecretCode = args["secretCode"],
            })).D;
            return new Pairing(info.ManualSetupCode, info.Html);
        }
        catch (KiotaClient.Models.Error e)
        {
            throw new CallException("", e.MessageEscaped ?? e.Message);
        }
    }
}
