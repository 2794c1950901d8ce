// The service as people would write it on ASP.NET Core: SoapCore for SOAP, minimal APIs for the rest,
// Otp.NET, QRCoder.
//
// Usage: dotnet SoapCorePeer.dll PORT

using System.Net;
using System.ServiceModel;
using System.ServiceModel.Channels;
using System.Text;
using Microsoft.AspNetCore.Mvc;
using OtpNet;
using QRCoder;
using SoapCore;

var builder = WebApplication.CreateBuilder();
builder.Logging.ClearProviders();
builder.Services.AddSoapCore();
builder.Services.AddSingleton<IAuthenticator, Authenticator>();
var app = builder.Build();
app.Urls.Add($"http://127.0.0.1:{args[0]}");

static IResult Xml(string text) => Results.Text(text, "text/xml", Encoding.UTF8);
static string Boolean(bool value) => $"<boolean>{(value ? "true" : "false")}</boolean>";

app.MapGet("/healthz", () => "ok");
app.MapGet("/api.asmx/ValidatePin", (string pin, string secretCode, IAuthenticator service) =>
    Xml(Boolean(service.ValidatePin(pin, secretCode))));
app.MapPost("/api.asmx/ValidatePin",
    ([FromForm] string pin, [FromForm] string secretCode, IAuthenticator service) =>
        Xml(Boolean(service.ValidatePin(pin, secretCode)))).DisableAntiforgery();
app.MapGet("/api.asmx/Pair",
    (string appName, string appInfo, string secretCode, IAuthenticator service) =>
    {
        var info = service.Pair(appName, appInfo, secretCode);
        return Xml($"<PairingInfo><ManualSetupCode>{info.ManualSetupCode}</ManualSetupCode>" +
            $"<Html>{WebUtility.HtmlEncode(info.Html)}</Html></PairingInfo>");
    });

// As a route and not as middleware, where SoapCore would answer GET itself.
IEndpointRouteBuilder routes = app;
var soap12 = MessageVersion.CreateVersion(EnvelopeVersion.Soap12, AddressingVersion.None);
SoapEncoderOptions[] encoders =
[
    new() { MessageVersion = MessageVersion.Soap11 },
    new() { MessageVersion = soap12 },
];
routes.UseSoapEndpoint<IAuthenticator>("/api.asmx", encoders, SoapSerializer.XmlSerializer);
app.Run();

public class PairingInfo
{
    public string ManualSetupCode { get; set; } = "";
    public string Html { get; set; } = "";
}

[ServiceContract(Namespace = "http://authenticatorapi.com/", Name = "AuthenticatorAPI")]
public interface IAuthenticator
{
    [OperationContract(Action = "http://authenticatorapi.com/ValidatePin")]
    bool ValidatePin(string pin, string secretCode);

    [OperationContract(Action = "http://authenticatorapi.com/Pair")]
    PairingInfo Pair(string appName, string appInfo, string secretCode);
}

public class Authenticator : IAuthenticator
{
    static readonly VerificationWindow Window = new(previous: 1, future: 1);

    public bool ValidatePin(string pin, string secretCode) =>
        new Totp(Encoding.UTF8.GetBytes(secretCode)).VerifyTotp(pin, out _, Window);

    public PairingInfo Pair(string appName, string appInfo, string secretCode)
    {
        var secret = Base32Encoding.ToString(Encoding.UTF8.GetBytes(secretCode)).TrimEnd('=');
        var issuer = Uri.EscapeDataString(appName);
        var uri = $"otpauth://totp/{issuer}:{Uri.EscapeDataString(appInfo)}" +
            $"?secret={secret}&issuer={issuer}";
        using var code = QRCodeGenerator.GenerateQrCode(uri, QRCodeGenerator.ECCLevel.M);
        using var svg = new SvgQRCode(code);
        return new PairingInfo { ManualSetupCode = secret, Html = svg.GetGraphic(4) };
    }
}
