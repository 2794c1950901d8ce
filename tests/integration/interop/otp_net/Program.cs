// Codes of Otp.NET for Base32 secrets, and whether it accepts codes of ours.
//
// Usage: dotnet OtpNet.dll WINDOW < [["SECRET", "CODE"], ...]; prints [["ITS CODE", true], ...]

using System.Text.Json;
using OtpNet;

var window = new VerificationWindow(int.Parse(args[0]), int.Parse(args[0]));
var rows = JsonSerializer.Deserialize<string[][]>(Console.In.ReadToEnd())!;
var answers = rows.Select(row =>
{
    var totp = new Totp(Base32Encoding.ToBytes(row[0]));
    return new object[] { totp.ComputeTotp(), totp.VerifyTotp(row[1], out _, window) };
});
Console.WriteLine(JsonSerializer.Serialize(answers));
