using System.Runtime.Serialization;
using System.ServiceModel;

namespace Clients.Messages;

[MessageContract(WrapperName = "Pair", WrapperNamespace = Names.Service, IsWrapped = true)]
public class PairRequest
{
    [MessageBodyMember(Namespace = Names.Service, Order = 0)] public string appName;
    [MessageBodyMember(Namespace = Names.Service, Order = 1)] public string appInfo;
    [MessageBodyMember(Namespace = Names.Service, Order = 2)] public string secretCode;
}

[MessageContract(WrapperName = "PairResponse", WrapperNamespace = Names.Service, IsWrapped = true)]
public class PairResponse
{
    [MessageBodyMember(Namespace = Names.Service, Order = 0)] public PairingInfo PairResult;
}

[DataContract(Name = "PairingInfo", Namespace = Names.Service)]
public class PairingInfo
{
    [DataMember(EmitDefaultValue = false, Order = 0)] public string ManualSetupCode;
    [DataMember(EmitDefaultValue = false, Order = 1)] public string Html;
}

[MessageContract(WrapperName = "ValidatePin", WrapperNamespace = Names.Service, IsWrapped = true)]
public class ValidatePinRequest
{
    [MessageBodyMember(Namespace = Names.Service, Order = 0)] public string pin;
    [MessageBodyMember(Namespace = Names.Service, Order = 1)] public string secretCode;
}

[MessageContract(WrapperName = "ValidatePinResponse", WrapperNamespace = Names.Service, IsWrapped = true)]
public class ValidatePinResponse
{
    [MessageBodyMember(Namespace = Names.Service, Order = 0)] public bool ValidatePinResult;
}

/// <summary>Contract with message contracts and DataContractSerializer, as svcutil writes it by default.</summary>
[ServiceContract(Namespace = Names.Service)]
public interface IMessages
{
    [OperationContract(Action = Names.Service + "Pair", ReplyAction = "*")]
    Task<PairResponse> PairAsync(PairRequest request);

    [OperationContract(Action = Names.Service + "ValidatePin", ReplyAction = "*")]
    Task<ValidatePinResponse> ValidatePinAsync(ValidatePinRequest request);
}

static class Names
{
    public const string Service = "http://authenticatorapi.com/";
}

/// <summary>Client of WCF with message contracts, over SOAP 1.1.</summary>
class MessageCaller(string url) : ICaller
{
    public async Task<object> Call(string operation, IReadOnlyDictionary<string, string> args)
    {
        using var factory = new ChannelFactory<IMessages>(
            Bindings.Of(url, "SOAP 1.1"), new EndpointAddress($"{url}/api.asmx"));
        var channel = factory.CreateChannel();
        try
        {
            if (operation != "Pair")
            {
                var request = new ValidatePinRequest { pin = args["pin"], secretCode = args["secretCode"] };
                return (await channel.ValidatePinAsync(request)).ValidatePinResult;
            }
            var info = (await channel.PairAsync(new PairRequest
            {
                appName = args["appName"], appInfo = args["appInfo"], secretCode = args["secretCode"],
            })).PairResult;
            return new Pairing(info.ManualSetupCode, info.Html);
        }
        catch (FaultException e)
        {
            throw new CallException(e.Code.Name, e.Message);
        }
    }
}
