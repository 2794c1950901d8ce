using System.ServiceModel;
using System.ServiceModel.Channels;
using System.Text;
using System.Xml.Serialization;

namespace Clients;

/// <summary>Contract as svcutil writes it from the WSDL.</summary>
[ServiceContract(Namespace = "http://authenticatorapi.com/", ConfigurationName = "AuthenticatorAPISoap")]
public interface AuthenticatorAPISoap
{
    [OperationContract(Action = "http://authenticatorapi.com/Pair", ReplyAction = "*")]
    [XmlSerializerFormat(SupportFaults = true)]
    Task<PairingInfo> PairAsync(string appName, string appInfo, string secretCode);

    [OperationContract(Action = "http://authenticatorapi.com/ValidatePin", ReplyAction = "*")]
    [XmlSerializerFormat(SupportFaults = true)]
    Task<bool> ValidatePinAsync(string pin, string secretCode);
}

/// <summary>Record as svcutil writes it.</summary>
[Serializable]
[XmlType(Namespace = "http://authenticatorapi.com/")]
public class PairingInfo
{
    [XmlElement(Order = 0)]
    public string ManualSetupCode { get; set; }

    [XmlElement(Order = 1)]
    public string Html { get; set; }
}

/// <summary>Client of WCF: BasicHttpBinding, or SOAP 1.2 without addressing.</summary>
class WcfCaller(string url, string binding) : ICaller
{
    public async Task<object> Call(string operation, IReadOnlyDictionary<string, string> args)
    {
        using var factory = new ChannelFactory<AuthenticatorAPISoap>(
            Bindings.Of(url, binding), new EndpointAddress($"{url}/api.asmx"));
        var channel = factory.CreateChannel();
        try
        {
            if (operation != "Pair") return await channel.ValidatePinAsync(args["pin"], args["secretCode"]);
            var info = await channel.PairAsync(args["appName"], args["appInfo"], args["secretCode"]);
            return new Pairing(info.ManualSetupCode, info.Html);
        }
        catch (FaultException e)
        {
            throw new CallException(e.Code.Name, e.Message);
        }
    }
}

static class Bindings
{
    public static System.ServiceModel.Channels.Binding Of(string url, string binding)
    {
        var isTls = url.StartsWith("https:");
        if (binding == "SOAP 1.1")
        {
            var mode = isTls ? BasicHttpSecurityMode.Transport : BasicHttpSecurityMode.None;
            return new BasicHttpBinding(mode) { UseDefaultWebProxy = false };
        }
        var version = MessageVersion.CreateVersion(EnvelopeVersion.Soap12, AddressingVersion.None);
        var transport = isTls ? new HttpsTransportBindingElement() : new HttpTransportBindingElement();
        transport.UseDefaultWebProxy = false;
        return new CustomBinding(new TextMessageEncodingBindingElement(version, Encoding.UTF8), transport);
    }
}
