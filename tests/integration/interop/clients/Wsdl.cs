// Judges a WSDL by what System.Web.Services holds: writes out the schemas of WSDL 1.1 and of its
// SOAP binding, which come with it, and prints what its check of the WS-I Basic Profile 1.1 finds, a
// line for each.
//
// Usage: mono Wsdl.exe FILE FOLDER-FOR-SCHEMAS

using System;
using System.IO;
using System.Linq;
using System.Web.Services;
using System.Web.Services.Description;
using System.Xml;

static class Wsdl
{
    static void Main(string[] args)
    {
        var assembly = typeof(ServiceDescription).Assembly;
        foreach (var name in assembly.GetManifestResourceNames().Where(n => n.EndsWith(".xsd")))
        {
            using (var schema = assembly.GetManifestResourceStream(name))
            using (var file = File.Create(Path.Combine(args[1], name)))
                schema.CopyTo(file);
        }
        var description = ServiceDescription.Read(XmlReader.Create(args[0]), true);
        foreach (var warning in description.ValidationWarnings) Console.WriteLine(warning);
        var violations = new BasicProfileViolationCollection();
        var profile = WsiProfiles.BasicProfile1_1;
        WebServicesInteroperability.CheckConformance(profile, description, violations);
        foreach (BasicProfileViolation violation in violations)
            Console.WriteLine(violation.NormativeStatement + ": " + violation.Details);
    }
}
