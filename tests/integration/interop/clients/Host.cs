using System;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;

/// <summary>
/// Main method that runs the other one of its program, and ends the process at once: when Mono 6.8
/// shuts down with a connection open, it sometimes aborts (`Assertion at mono-threads.c`).
/// </summary>
static class Host
{
    const BindingFlags StaticMethods =
        BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;

    [DllImport("libc", EntryPoint = "_exit")]
    static extern void ExitAtOnce(int code);

    static void Main(string[] args)
    {
        var main = Assembly.GetExecutingAssembly().GetTypes()
            .Where(type => type != typeof(Host))
            .Select(type => type.GetMethod("Main", StaticMethods))
            .Single(method => method != null);
        var code = 0;
        try
        {
            main.Invoke(null, main.GetParameters().Length == 0 ? null : new object[] { args });
        }
        catch (TargetInvocationException thrown)
        {
            Console.Error.WriteLine(thrown.InnerException);
            code = 1;
        }
        Console.Out.Flush();
        ExitAtOnce(code);
    }
}
