// Calls an operation with a proxy that `wsdl` of Mono made from a WSDL, as that of .NET does, and
// prints what came of it as JSON. Each protocol's proxy is in a namespace of its own.
//
// Usage: mono Dotnet.exe NAMESPACE OPERATION < PARAMETERS.json

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Reflection;
using System.Text;
using System.Web.Script.Serialization;
using System.Web.Services.Protocols;

static class Dotnet
{
    static void Main(string[] args)
    {
        var json = new JavaScriptSerializer();
        var input = new StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false));
        var parameters = json.Deserialize<Dictionary<string, string>>(input.ReadToEnd());
        var outcome = Call(args[0], args[1], parameters);
        var output = new UTF8Encoding(false).GetBytes(json.Serialize(outcome) + "\n");
        Console.OpenStandardOutput().Write(output, 0, output.Length);
    }

    static object Call(string ns, string operation, Dictionary<string, string> parameters)
    {
        var type = Assembly.GetExecutingAssembly().GetType(ns + ".AuthenticatorAPI", true);
        var method = type.GetMethod(operation);
        var arguments = method.GetParameters().Select(p => (object)parameters[p.Name]).ToArray();
        try
        {
            return new { result = method.Invoke(Activator.CreateInstance(type), arguments) };
        }
        catch (TargetInvocationException thrown)
        {
            return new { fault = FaultOf(thrown.InnerException) };
        }
    }

    static object FaultOf(Exception exception)
    {
        var soap = exception as SoapException;
        if (soap != null) return new { code = "soap:" + soap.Code.Name, message = soap.Message };
        // Of the proxies without SOAP: the body as it came.
        var http = exception as WebException;
        if (http == null || http.Response == null) throw exception;
        var body = new StreamReader(http.Response.GetResponseStream()).ReadToEnd();
        return new { code = "", message = body.TrimEnd('\r', '\n') };
    }
}
