/**
 * `deploy/internal-ca.sh` as `docs/callers.md` runs it, and in a folder whose certificate is in use:
 * only one that callers accept takes its place.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { type Ended, need, runToEnd } from "../../support/child.ts";
import { ROOT } from "../../support/pages.ts";
import { BUILT_IN_NAMES, makeCaAsShown } from "../../support/deploy.ts";
import { withFolder } from "../../support/folder.ts";

const SCRIPT = fileURLToPath(new URL("deploy/internal-ca.sh", ROOT));
const USAGE = "usage: internal-ca.sh NAME...\n";
const NAME = "one.example";
const MADE = "Made ca.pem, ca.key, cert.pem and key.pem.\n";

type Files = Readonly<Record<string, string>>;

function filesIn(folder: string): Files {
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).toSorted();
  return Object.fromEntries(
    names.map((name) => [name, Deno.readTextFileSync(`${folder}/${name}`)]),
  );
}

/** Runs something with a folder that has a CA and a certificate. */
function withCa(
  act: (folder: string, make: (...args: readonly string[]) => Promise<Ended>) => Promise<void>,
): Promise<void> {
  return withFolder(async (folder) => {
    await need(["openssl", "version"]);
    const make = (...args: readonly string[]): Promise<Ended> =>
      runToEnd([SCRIPT, ...args], { cwd: folder });
    const { code, stdout, stderr } = await make(NAME);
    assertEquals([code, stdout, stderr], [0, MADE, ""]);
    await act(folder, make);
  });
}

/** Verifies a certificate of a folder up to its ca.pem by openssl: `OK`, or its reason. */
async function verify(cwd: string, file: string, ...options: readonly string[]): Promise<string> {
  const words = [
    "openssl",
    "verify",
    "-CAfile",
    "ca.pem",
    "-untrusted",
    "cert.pem",
    ...options,
    file,
  ];
  const { stdout, stderr } = await runToEnd(words, { cwd });
  return stdout === `${file}: OK\n` ? "OK" : stderr;
}

Deno.test("internal-ca.sh, run as docs/callers.md shows, makes a certificate for both built-in names", () =>
  withFolder(async (folder) => {
    await need(["openssl", "version"]);
    const { code, stdout, stderr } = await makeCaAsShown(folder);
    assertEquals([code, stdout, stderr], [0, MADE, ""]);
    assertEquals(Object.keys(filesIn(`${folder}/ca`)), ["ca.key", "ca.pem", "cert.pem", "key.pem"]);
    const cwd = `${folder}/ca`;
    for (const name of BUILT_IN_NAMES) {
      assertEquals(await verify(cwd, "cert.pem", "-verify_hostname", name), "OK", name);
    }
    const other = await verify(cwd, "cert.pem", "-verify_hostname", "api.authenticatorapi.com");
    assert(other.includes("hostname mismatch"), other);
  }));

Deno.test("internal-ca.sh certifies a name that is longer than a common name may be", () =>
  withFolder(async (cwd) => {
    await need(["openssl", "version"]);
    const name = `authenticator.${"x".repeat(63)}.internal.example`;
    for (const made of [MADE, "Made cert.pem and key.pem; the CA is the same.\n"]) {
      const { code, stdout, stderr } = await runToEnd([SCRIPT, name], { cwd });
      assertEquals([code, stdout, stderr], [0, made, ""]);
      assertEquals(await verify(cwd, "cert.pem", "-verify_hostname", name), "OK");
    }
  }));

Deno.test("internal-ca.sh prints --help, and refuses any other option as a name", () =>
  withCa(async (folder, make) => {
    const before = filesIn(folder);
    for (const args of [["--help"], ["-h"], [NAME, "--help"]]) {
      const { code, stdout, stderr } = await make(...args);
      assertEquals([code, stdout, stderr], [0, USAGE, ""], args.join(" "));
    }
    for (const args of [[], ["--days=1"], [NAME, "-x"], [""]]) {
      const { code, stdout, stderr } = await make(...args);
      assertEquals([code, stdout, stderr], [2, "", USAGE], args.join(" "));
    }
    assertEquals(filesIn(folder), before);
  }));

Deno.test("internal-ca.sh leaves the certificate in use when callers would not accept the new one", () =>
  withCa(async (folder, make) => {
    const before = filesIn(folder);
    for (const names of [["two.example"], [NAME, "two.example"]]) {
      const { code, stderr } = await make(...names);
      assertEquals(code, 1);
      const sentence =
        `the CA here may not sign ${names.join(" ")}: it was made for other names. ` +
        "Use an empty folder.\n";
      assert(stderr.endsWith(sentence), stderr);
      assertEquals(filesIn(folder), before);
    }
    for (const [lost, said] of [["ca.key", "ca.key is missing"], ["ca.pem", "without ca.pem"]]) {
      await Deno.remove(`${folder}/${lost}`);
      const { code, stderr } = await make(NAME);
      assertEquals([code, stderr.includes(said!)], [1, true], stderr);
      const { [lost!]: _, ...others } = before;
      assertEquals(filesIn(folder), others);
      await Deno.writeTextFile(`${folder}/${lost}`, before[lost!]!);
    }
  }));

Deno.test("internal-ca.sh leaves nothing where it can make nothing", () =>
  withFolder(async (folder) => {
    for (const name of ["a,b", "a b", "192.168.0.9", "https://pin.example.com"]) {
      const { code, stderr } = await runToEnd([SCRIPT, NAME, name], { cwd: folder });
      const says = `${name} is no DNS name: give a name, not an address or a URL\n`;
      assertEquals([code, stderr, filesIn(folder)], [2, says, {}]);
    }
  }));

Deno.test("internal-ca.sh renews the certificate and keeps the CA", () =>
  withCa(async (folder, make) => {
    Deno.chmodSync(`${folder}/key.pem`, 0o640);
    const before = filesIn(folder);
    const { code, stdout, stderr } = await make(NAME);
    assertEquals([code, stderr], [0, ""]);
    assertEquals(stdout, "Made cert.pem and key.pem; the CA is the same.\n");
    const after = filesIn(folder);
    assertEquals(Object.keys(after), ["ca.key", "ca.pem", "cert.pem", "key.pem"]);
    const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
    assertEquals(changed, ["cert.pem", "key.pem"]);
    const modes = ["ca.key", "ca.pem", "cert.pem", "key.pem"].map((name) =>
      (Deno.statSync(`${folder}/${name}`).mode! & 0o777).toString(8)
    );
    assertEquals(modes, ["600", "644", "644", "640"]);
  }));

Deno.test("internal-ca.sh renews a key that its owner may only read", () =>
  withFolder(async (folder) => {
    await need(["openssl", "version"]);
    // Root may write any file.
    const isRoot = Deno.uid() === 0;
    const asOther = isRoot ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : "env";
    if (isRoot) await Deno.chown(folder, 65534, 65534);
    Deno.chmodSync(folder, 0o755);
    await Deno.copyFile(SCRIPT, `${folder}/internal-ca.sh`);
    const make = (): Promise<Ended> =>
      runToEnd([...asOther.split(" "), "bash", "./internal-ca.sh", NAME], { cwd: folder });
    assertEquals((await make()).stderr, "");
    Deno.chmodSync(`${folder}/key.pem`, 0o400);
    const before = filesIn(folder);
    const { code, stderr } = await make();
    assertEquals([code, stderr], [0, ""]);
    assert(filesIn(folder)["key.pem"] !== before["key.pem"]);
    assertEquals(Deno.statSync(`${folder}/key.pem`).mode! & 0o777, 0o400);
  }));

/** Signs, with a stolen ca.key, a certificate for a name of any kind, such as `IP:127.0.0.1`. */
async function sign(cwd: string, file: string, name: string, use: string): Promise<void> {
  // The file of the key has the CA's certificate; made by an earlier version, it is ca.pem.
  const [signer] = certificatesOf(`${cwd}/ca.key`).concat(certificatesOf(`${cwd}/ca.pem`));
  await Deno.writeTextFile(`${cwd}/signer.pem`, signer!);
  await Deno.writeTextFile(
    `${cwd}/extensions`,
    `subjectAltName = ${name}\nextendedKeyUsage = ${use}\n`,
  );
  const commands = `openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \\
    -keyout stolen.key -subj "/CN=x" -out request &&
    openssl x509 -req -in request -CA signer.pem -CAkey ca.key -days 9 -extfile extensions -out ${file}`;
  const { code, stderr } = await runToEnd(["bash", "-c", commands], { cwd });
  assertEquals(code, 0, stderr);
  await Deno.writeTextFile(`${cwd}/${file}`, signer!, { append: true });
}

function certificatesOf(path: string): string[] {
  const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----\n/g;
  return Deno.readTextFileSync(path).match(CERTIFICATE) ?? [];
}

// Names that a thief of ca.key would sign, and words of each refusal: of openssl, and of Java.
const STOLEN = [
  ["IP:192.168.0.9", "excluded subtree violation"],
  ["IP:0:0:0:0:0:0:0:1", "excluded subtree violation"],
  ["DNS:bank.example", "permitted subtree violation"],
  ["DNS:xone.example", "permitted subtree violation"],
] as const;

/** Asks Java's own trust manager, with ca.pem as its store: a line for each certificate. */
async function askJava(cwd: string, files: readonly string[]): Promise<readonly string[]> {
  const source = fileURLToPath(new URL("Trust.java", import.meta.url));
  const { code, stdout, stderr } = await runToEnd(["java", source, "ca.pem", ...files], { cwd });
  assertEquals(code, 0, stderr);
  return stdout.trim().split("\n");
}

Deno.test("a thief of ca.key cannot sign an address, another name or mail, for openssl and for Java", () =>
  withCa(async (folder) => {
    await need(["java", "-version"], "default-jdk-headless");
    const files: string[] = ["cert.pem"];
    for (const [name, refusal] of STOLEN) {
      const file = `stolen-${files.length}.pem`;
      files.push(file);
      await sign(folder, file, name, "serverAuth");
      const said = await verify(folder, file);
      assert(said.includes(refusal), `${name}: ${said}`);
    }
    await sign(folder, "mail.pem", "email:me@one.example", "emailProtection");
    const mail = await verify(folder, "mail.pem", "-purpose", "smimesign");
    assert(/unsuitable certificate purpose/i.test(mail), mail);
    const [ours, ...others] = await askJava(folder, files);
    assertEquals(ours, "cert.pem: trusted");
    assertEquals(others.filter((line) => !/: refused, .*name constraints/i.test(line)), []);
    assertEquals(others.length, STOLEN.length);
  }));

Deno.test("a CA of 0.1.0 renews its certificates, with a warning of its missing constraints", () =>
  withFolder(async (cwd) => {
    await need(["openssl", "version"]);
    const root = `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 9 \\
      -keyout ca.key -out ca.pem -subj "/CN=Internal authority for ${NAME}" \\
      -addext "nameConstraints = critical, permitted;DNS:${NAME}"`;
    assertEquals((await runToEnd(["bash", "-c", root], { cwd })).code, 0);
    const before = filesIn(cwd);
    const { code, stdout, stderr } = await runToEnd([SCRIPT, NAME], { cwd });
    assertEquals([code, stdout], [0, "Made cert.pem and key.pem; the CA is the same.\n"]);
    assert(/^This CA was made by an earlier version: [^\n]+\n$/.test(stderr), stderr);
    const { "cert.pem": cert, "key.pem": key, ...ca } = filesIn(cwd);
    assertEquals(ca, before);
    assert(key !== undefined && cert?.split("BEGIN CERTIFICATE").length === 2, cert);
    assertEquals(await verify(cwd, "cert.pem"), "OK");
    // With it, Java accepts what the test above sees refused.
    await sign(cwd, "stolen.pem", "DNS:bank.example", "serverAuth");
    assertEquals(await askJava(cwd, ["stolen.pem"]), ["stolen.pem: trusted"]);
  }));
