/** Clients that have to be made: stubs generated from the WSDL of a server, and compiled. */

import { clientFile, compileCSharp, run } from "../../support/client_program.ts";

/** Makes the programs of a stack from a WSDL, in a folder. */
type Recipe = (wsdl: string, folder: string) => Promise<void>;

// By recipe and WSDL, for as long as the tests of a file run.
const made = new Map<string, Promise<string>>();

/** The folder with the programs of a stack for the server at `url`; made when first asked for. */
export async function stubsOf(stack: keyof typeof RECIPES, url: string): Promise<string> {
  const key = `${stack} ${url}`;
  if (!made.has(key)) made.set(key, make(RECIPES[stack], `${url}/api.asmx?wsdl`));
  return await made.get(key)!;
}

async function make(recipe: Recipe, wsdl: string): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "stubs" });
  await recipe(wsdl, folder);
  return folder;
}

/** Removes all that was made. */
export async function removeStubs(): Promise<void> {
  const folders = await Promise.allSettled(made.values());
  made.clear();
  for (const folder of folders) {
    if (folder.status === "fulfilled") await Deno.remove(folder.value, { recursive: true });
  }
}

const RECIPES = { gsoap, jaxWs, axis, javaHttp, mono } satisfies Record<string, Recipe>;

/** The protocols of Mono's `wsdl`, which are also the namespaces of its proxies here. */
export const MONO_PROTOCOLS = ["SOAP", "SOAP12", "HttpGet", "HttpPost"] as const;

// A program for each version of SOAP, since the version is a constant of the generated code. The
// options say that each port is one of its own, those of HTTP GET and HTTP POST too.
async function gsoap(wsdl: string, folder: string): Promise<void> {
  const header = `${folder}/api.h`;
  await run("wsdl2h", ["-c", "-R", "-N", "Api", "-o", header, wsdl]);
  for (const version of ["1", "2"]) {
    const sources = `${folder}/soap1.${version}`;
    await Deno.mkdir(sources);
    const imports = ["-I/usr/share/gsoap/import", header];
    await run("soapcpp2", [`-${version}`, "-c", "-C", "-x", "-L", "-d", sources, ...imports]);
    const files = [clientFile("gsoap.c"), `${sources}/soapC.c`, `${sources}/soapClient.c`];
    await run("gcc", [`-I${sources}`, "-o", `${sources}/client`, ...files, "-lgsoap"]);
  }
}

async function jaxWs(wsdl: string, folder: string): Promise<void> {
  const tool = ["-cp", classPath(JAX_WS_JARS), "com.sun.tools.ws.WsImport"];
  await run("java", [...tool, "-extension", "-quiet", "-p", "authapi", "-d", folder, wsdl]);
  await compileJava("JaxWs.java", folder, JAX_WS_JARS);
}

async function axis(wsdl: string, folder: string): Promise<void> {
  const tool = ["-cp", classPath(AXIS_JARS), "org.apache.axis.wsdl.WSDL2Java"];
  await run("java", [...tool, "-p", "authapi", "-o", folder, wsdl]);
  const generated = [...Deno.readDirSync(`${folder}/authapi`)]
    .map((entry) => `${folder}/authapi/${entry.name}`);
  const options = ["-nowarn", "-encoding", "UTF-8", "-d", folder, "-cp", classPath(AXIS_JARS)];
  await run("javac", [...options, ...generated]);
  await compileJava("Axis.java", folder, AXIS_JARS);
}

// No stubs: requests are written by hand.
async function javaHttp(_wsdl: string, folder: string): Promise<void> {
  await compileJava("JavaHttp.java", folder, []);
}

async function compileJava(
  name: string,
  folder: string,
  jars: readonly string[],
): Promise<void> {
  const options = ["-encoding", "UTF-8", "-d", folder, "-cp", classPath(jars, folder)];
  await run("javac", [...options, clientFile(name), clientFile("Json.java")]);
}

async function mono(wsdl: string, folder: string): Promise<void> {
  for (const protocol of MONO_PROTOCOLS) {
    const options = [`-protocol:${protocol}`, `-namespace:${protocol}`];
    await run("wsdl", [...options, `-out:${folder}/${protocol}.cs`, wsdl]);
  }
  const proxies = MONO_PROTOCOLS.map((protocol) => `${folder}/${protocol}.cs`);
  const libraries = ["Web.Services", "Web.Extensions", "EnterpriseServices"]
    .map((name) => `-r:System.${name}`);
  await compileCSharp(`${folder}/Dotnet.exe`, [clientFile("Dotnet.cs"), ...proxies], libraries);
}

/** The class path of a client in Java: jars as Debian installs them, and folders of classes. */
export function classPath(jars: readonly string[], ...folders: readonly string[]): string {
  return [...folders, ...jars.map((name) => `/usr/share/java/${name}.jar`)].join(":");
}

/** What the client of Axis 1 needs: the packages libaxis-java and libmail-java. */
export const AXIS_JARS: readonly string[] = [
  ...["axis", "axis-jaxrpc", "axis-saaj", "wsdl4j", "commons-logging", "commons-discovery"],
  ...["javax.mail", "javax.activation"],
];

/** What the JAX-WS reference implementation needs: the package libjaxws-java. */
export const JAX_WS_JARS: readonly string[] = [
  ...["jaxws-tools", "jaxws-rt", "jaxws-api", "jws-api", "metro-policy", "saaj", "saaj-impl"],
  ...["jaxb-api", "jaxb-runtime", "jaxb-core", "jaxb-impl", "jaxb-xjc", "xsom", "rngom"],
  ...["codemodel", "dtd-parser", "relaxngDatatype", "txw2", "istack-commons-runtime"],
  ...["istack-commons-tools", "geronimo-annotation-1.3-spec", "streambuffer", "stax-ex"],
  ...["mimepull", "gmbal", "FastInfoset", "woodstox-core", "stax2-api", "javax.activation"],
];
