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

Deno.test("internal-ca.sh, run as docs/callers.md shows, makes a certificate for both built-in names", () =>
  withFolder(async (folder) => {
    await need(["openssl", "version"]);
    const { code, stdout, stderr } = await makeCaAsShown(folder);
    assertEquals([code, stdout, stderr], [0, MADE, ""]);
    assertEquals(Object.keys(filesIn(`${folder}/ca`)), ["ca.key", "ca.pem", "cert.pem", "key.pem"]);
    const verify = (name: string): Promise<Ended> =>
      runToEnd(
        ["openssl", "verify", "-CAfile", "ca.pem", "-verify_hostname", name, "cert.pem"],
        { cwd: `${folder}/ca` },
      );
    for (const name of BUILT_IN_NAMES) {
      assertEquals((await verify(name)).stdout, "cert.pem: OK\n", name);
    }
    assert((await verify("api.authenticatorapi.com")).code !== 0);
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
    await Deno.remove(`${folder}/ca.key`);
    const { code, stderr } = await make(NAME);
    assert(code !== 0 && stderr.includes("ca.key"), stderr);
    const { "ca.key": _, ...others } = before;
    assertEquals(filesIn(folder), others);
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
