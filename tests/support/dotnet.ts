/**
 * Microsoft's .NET: whether its SDK is there, its tools, and the clients of the tests, built once.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { createAuthenticator } from "../../lib/mod.ts";
import { type Ended, type RunOptions, runToEnd } from "./child.ts";

const FOLDER = fileURLToPath(new URL("../integration/interop/dotnet/", import.meta.url));
const BUILT = fileURLToPath(new URL("../../dist/dotnet/", import.meta.url));
const GENERATED = `${BUILT}generated`;

/** Environment of the SDK: no telemetry, no greeting, and no proxy to this machine. */
export const DOTNET_ENV: Readonly<Record<string, string>> = {
  DOTNET_CLI_TELEMETRY_OPTOUT: "1",
  DOTNET_NOLOGO: "1",
  DOTNET_SKIP_FIRST_TIME_EXPERIENCE: "1",
  POWERSHELL_TELEMETRY_OPTOUT: "1",
  KIOTA_CLI_TELEMETRY_OPTOUT: "true",
  NO_PROXY: "127.0.0.1",
  "no_proxy": "127.0.0.1",
};

const SDK_MAJOR = 10;

/** Whether the SDK is missing or older: the tests that need it are then left out. */
export const LACKS_DOTNET: boolean = !hasDotnet();

function hasDotnet(): boolean {
  try {
    const { success, stdout } = new Deno.Command("dotnet", { args: ["--version"] }).outputSync();
    return success && parseInt(new TextDecoder().decode(stdout)) >= SDK_MAJOR;
  } catch {
    return false;
  }
}

let isSaid = false;

/** Defines a test that needs the SDK; without it, the test is left out, and one sentence says so. */
export function dotnetTest(name: string, fn: () => Promise<void>): void {
  if (LACKS_DOTNET && !isSaid) {
    isSaid = true;
    const text = `Tests with .NET are left out: install the .NET SDK ${SDK_MAJOR} (dotnet).\n`;
    Deno.stderr.writeSync(new TextEncoder().encode(text));
  }
  Deno.test({ name, ignore: LACKS_DOTNET, fn });
}

/**
 * Runs the SDK in the folder of the clients, whose manifest names the tools.
 *
 * @throws {Error} When it fails; the message has its output.
 */
export async function dotnet(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const env = { ...DOTNET_ENV, ...options.env };
  const ended = await runToEnd(["dotnet", ...args], { cwd: FOLDER, ...options, env });
  if (ended.code !== 0) {
    throw new Error(`dotnet ${args.join(" ")} failed: ${ended.stdout}${ended.stderr}`);
  }
  return ended;
}

/**
 * Makes the command line of PowerShell, a tool of the manifest.
 *
 * @returns Words to run in any folder.
 */
export async function powershellWords(...args: readonly string[]): Promise<readonly string[]> {
  const { tools } = JSON.parse(contentOf(`${FOLDER}.config/dotnet-tools.json`));
  const { stdout } = await dotnet(["nuget", "locals", "global-packages", "--list"]);
  const packages = stdout.replace(/^global-packages: /, "").trim();
  const folder = `${packages}/powershell/${tools.powershell.version}/tools/net10.0/any`;
  const path = `${folder}/Microsoft.PowerShell.GlobalTool.Shim.dll`;
  await onceAtATime("tools", async () => {
    if (contentOf(path) === "") await dotnet(["tool", "restore"]);
  });
  return ["dotnet", path, "-NoLogo", "-NoProfile", ...args];
}

/** Builds the clients, unless that was done: also by the tests of another file. */
export async function builtClients(): Promise<string> {
  const document = await openApiDocument();
  return await built("Clients", FOLDER, document, async () => {
    await generate(document);
    return [`-p:GeneratedSources=${GENERATED}`];
  });
}

/**
 * Builds the project of a folder, with the packages that its lock names, unless that was done.
 *
 * @param name Name of the project's file, and of its program.
 * @returns Path of the program.
 */
export async function builtProject(name: string, folder: string): Promise<string> {
  return await built(name, folder, "", () => Promise.resolve([]));
}

async function built(
  name: string,
  folder: string,
  more: string,
  prepare: () => Promise<readonly string[]>,
): Promise<string> {
  const files = [...Deno.readDirSync(folder)].filter(({ isFile }) => isFile)
    .map(({ name }) => name).sort();
  const content = [more, ...files.map((file) => contentOf(folder + file))].join("\0");
  await onceAtATime(name, async () => {
    await makeOnce(name, () => content, async () => {
      const properties = await prepare();
      await dotnet([
        ...["build", `${name}.csproj`, "--nologo", "--verbosity", "quiet", "-warnaserror"],
        // Servers of the compiler would outlive the tests.
        "--disable-build-servers",
        ...["--configuration", "Release", "--output", `${BUILT}${name}`],
        ...["-p:RestoreLockedMode=true", `-p:BaseIntermediateOutputPath=${BUILT}obj/${name}/`],
        ...properties,
      ], { cwd: folder });
    });
  });
  return `${BUILT}${name}/${name}.dll`;
}

/** Generates clients from the description of the service. */
async function generate(document: string): Promise<void> {
  await dotnet(["tool", "restore"]);
  await Deno.mkdir(GENERATED, { recursive: true });
  const input = `${BUILT}openapi.json`;
  await Deno.writeTextFile(input, document);
  for (
    const [namespace, library] of [["SystemText", "SystemTextJson"], [
      "Newtonsoft",
      "NewtonsoftJson",
    ]]
  ) {
    await dotnet([
      ...["nswag", "openapi2csclient", `/input:${input}`, "/classname:Client"],
      ...[`/jsonLibrary:${library}`, `/namespace:NSwag${namespace}`],
      `/output:${GENERATED}/NSwag${namespace}.cs`,
    ]);
  }
  await dotnet([
    ...["kiota", "generate", "--language", "CSharp", "--openapi", input, "--clean-output"],
    ...["--class-name", "Client", "--namespace-name", "KiotaClient"],
    ...["--exclude-backward-compatible", "--output", `${GENERATED}/Kiota`],
  ]);
}

async function openApiDocument(): Promise<string> {
  const request = new Request("http://127.0.0.1:8080/openapi.json");
  return await (await createAuthenticator().fetch(request)).text();
}

/** Holds a file lock, since test files run in processes of their own. */
async function onceAtATime(name: string, act: () => Promise<void>): Promise<void> {
  await Deno.mkdir(BUILT, { recursive: true });
  using file = await Deno.open(`${BUILT}${name}.lock`, { create: true, write: true });
  await file.lock(true);
  await act();
}

/** Makes something, unless it was made of the same content. */
async function makeOnce(
  name: string,
  content: () => string,
  make: () => Promise<void>,
): Promise<void> {
  const stamp = `${BUILT}${name}.stamp`;
  const digest = createHash("sha256").update(content()).digest("hex");
  if (contentOf(stamp) === digest) return;
  await make();
  await Deno.writeTextFile(stamp, digest);
}

/** Returns the text of a file; empty where there is none. */
function contentOf(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}

/** Language of Roslyn, by the name of its compiler. */
export type Compiler = "csc" | "vbc";

/**
 * Compiles a program with Microsoft's compiler against the framework of the SDK.
 *
 * @returns Words that run it.
 */
export async function compiled(
  compiler: Compiler,
  path: string,
  folder: string,
): Promise<readonly string[]> {
  const sdk = await sdkFolders();
  const references = [...Deno.readDirSync(sdk.references)]
    .filter(({ name }) => name.endsWith(".dll"))
    .map(({ name }) => `-reference:${sdk.references}/${name}`);
  const program = `${folder}/program.dll`;
  const more = compiler === "vbc"
    ? [`-sdkpath:${sdk.references}`, "-optioninfer+", '-define:_MYTYPE="Empty"']
    : ["-nostdlib"];
  await dotnet([
    ...[`${sdk.compilers}/${compiler}.dll`, "-noconfig", ...more, "-nologo", "-warnaserror"],
    ...["-target:exe", `-out:${program}`, ...references, path],
  ]);
  const framework = { name: "Microsoft.NETCore.App", version: sdk.version };
  const config = { runtimeOptions: { tfm: "net10.0", framework } };
  await Deno.writeTextFile(`${folder}/program.runtimeconfig.json`, JSON.stringify(config));
  return ["dotnet", program];
}

interface SdkFolders {
  /** Folder of the compilers. */
  readonly compilers: string;
  /** Folder of the framework's reference assemblies. */
  readonly references: string;
  /** Version of the framework. */
  readonly version: string;
}

async function sdkFolders(): Promise<SdkFolders> {
  const { stdout: info } = await dotnet(["--info"]);
  const base = /Base Path:\s+(\S+)/.exec(info)![1]!;
  const version = /Microsoft\.NETCore\.App (10\.\S+) \[/.exec(info)![1]!;
  const pack = `${base}../../packs/Microsoft.NETCore.App.Ref`;
  const [newest] = [...Deno.readDirSync(pack)].map(({ name }) => name)
    .filter((name) => name.startsWith("10.")).sort().reverse();
  return {
    compilers: `${base}Roslyn/bincore`,
    references: `${pack}/${newest}/ref/net10.0`,
    version,
  };
}
