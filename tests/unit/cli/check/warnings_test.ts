import { assertEquals } from "@std/assert/equals";
import { certificateRisks, findRisks } from "../../../../lib/cli/check/warnings.ts";
import { CERTIFICATE, ENDED, ISSUED } from "../../../support/certificates.ts";
import { configOf, withProcess } from "../../../support/command.ts";
import { withFolder } from "../../../support/folder.ts";

/** The risks of options in an empty environment. */
async function risksOf(args: readonly string[]): Promise<readonly string[]> {
  const config = configOf(args);
  return await withProcess({ env: {} }, () => Promise.resolve(findRisks(config, new Map(), 0)));
}

Deno.test("findRisks() names the variables of Kubernetes that are ignored, in one line", async () => {
  const address = "tcp://10.0.0.1:80";
  const env = { AUTHENTICATOR_WEB_PORT: address, AUTHENTICATOR_PORT: address };
  const risksWith = (env: object): Promise<readonly string[]> =>
    withProcess({ env }, () => Promise.resolve(findRisks(configOf([]), new Map(), 0)));
  assertEquals(await risksWith(env), [
    "ignored: AUTHENTICATOR_PORT, AUTHENTICATOR_WEB_PORT. Kubernetes sets such a variable for a " +
    "Service; enableServiceLinks: false stops that.",
  ]);
  assertEquals(await risksWith({ AUTHENTICATOR_PORT: "8080" }), []);
});

Deno.test("findRisks() names the files with secrets that everybody can read", async () => {
  if (Deno.build.os === "windows") return;
  await withFolder(async (folder) => {
    const file = (name: string, mode: number): string => {
      const path = `${folder}/${name}`;
      Deno.writeTextFileSync(path, "");
      Deno.chmodSync(path, mode);
      return path;
    };
    const all = (mode: number): readonly string[] => [
      ...["--tls-cert", file("c", 0o644), "--tls-key", file("k", mode)],
      ...["--api-keys-file", file("a", mode), "--guard-key-file", file("g", mode)],
      ...["--seal-keys-file", file("s", mode)],
      ...["--guard", "rediss://127.0.0.1", "--guard-tls-ca", file("ca", 0o644)],
      ...["--guard-tls-cert", file("gc", 0o644), "--guard-tls-key", file("gk", mode)],
    ];
    const risk = (flag: string): string =>
      `everybody on this machine can read the file that ${flag} names.`;
    const secret = [
      ...[
        "--tls-key",
        "--api-keys-file",
        "--seal-keys-file",
        "--guard-key-file",
        "--guard-tls-key",
      ],
    ];
    assertEquals((await risksOf(all(0o604))).toSorted(), secret.map(risk).toSorted());
    assertEquals(await risksOf(all(0o670)), []);
  });
});

Deno.test({
  name: "findRisks() names the files that every user can write to, or put another in their place",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withFolder(async (folder) => {
      const [cert, key] = [`${folder}/cert`, `${folder}/key`];
      for (const path of [cert, key]) await Deno.writeTextFile(path, "", { mode: 0o600 });
      const risks = (): Promise<readonly string[]> =>
        risksOf(["--tls-cert", cert, "--tls-key", key]);
      await Deno.chmod(cert, 0o602);
      assertEquals(await risks(), [
        "the file that --tls-cert names can be written by every user of this machine.",
      ]);
      await Deno.chmod(cert, 0o600);
      await Deno.chmod(folder, 0o703);
      assertEquals(
        await risks(),
        ["--tls-cert", "--tls-key"].map((flag) =>
          `the file that ${flag} names is in a folder that every user of this machine can write to.`
        ),
      );
    }),
});

Deno.test("findRisks() names the first line of a key with a colon and without a name", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/keys`;
    const risks = async (...lines: readonly string[]): Promise<readonly string[]> => {
      await Deno.writeTextFile(path, `\uFEFF${lines.join("\n")}`, { mode: 0o600 });
      return await risksOf(["--api-keys-file", path]);
    };
    const key = "canary-canary-canary";
    const doubtful = (line: string): string =>
      `line ${line} of the file of --api-keys-file has a colon, and no name before it: the whole ` +
      "line is the key. A name begins with a letter, and has only letters, digits, dots, hyphens " +
      "and underscores.";
    assertEquals(await risks(`a:${key}`, key), []);
    assertEquals(await risks("", `9acc:${key}`), [doubtful("2")]);
    assertEquals(await risks(`9acc:${key}`, key, `_:${key}`, `a/b:${key}`), [
      doubtful("1 (and 2 more)"),
    ]);
    assertEquals(await risksOf(["--api-keys-file", "/dev/null"]), [
      "everybody on this machine can read the file that --api-keys-file names.",
    ]);
  });
});

Deno.test("findRisks() names keys that are no random ones, or are callers' too", async () => {
  await withFolder(async (folder) => {
    const [api, guard] = [`${folder}/api`, `${folder}/guard`];
    const key = "0123456789abcdef".repeat(2);
    const risks = async (apiLine: string, guardText: string): Promise<readonly string[]> => {
      Deno.writeTextFileSync(api, apiLine, { mode: 0o600 });
      Deno.writeTextFileSync(guard, guardText, { mode: 0o600 });
      const files = ["--api-keys-file", api, "--guard-key-file", guard];
      return (await risksOf(files)).map((risk) => risk.replace(/^.*? the file of /, ""));
    };
    const repeated = (flag: string, what = ""): string =>
      `${flag} has one character repeated${what}, which is easily guessed.`;
    assertEquals(await risks(`web:${key}`, `${key.toUpperCase()}\n`), []);
    assertEquals(await risks(`#\nweb:${"k".repeat(16)}`, "k".repeat(32)), [
      repeated("--api-keys-file", " as its key"),
      `the file of ${repeated("--guard-key-file")}`,
    ]);
    assertEquals(await risks(`web:${key}`, `${key}\n`), [
      "the file of --guard-key-file has a key of --api-keys-file, which callers have.",
    ]);
  });
});

Deno.test("certificateRisks() reads all certificates of the options", async () => {
  await withFolder((folder) => {
    const path = `${folder}/c.pem`;
    Deno.writeTextFileSync(path, CERTIFICATE);
    const at = (time: string, args: readonly string[]): unknown =>
      certificateRisks(configOf(args), Date.parse(time));
    const store = ["--guard", "rediss://127.0.0.1"];
    const flags = [
      ["--tls-cert", path, "--tls-key", "k.pem"],
      [...store, "--guard-tls-cert", path, "--guard-tls-key", "k.pem"],
      [...store, "--guard-tls-ca", path],
    ];
    for (const args of flags) {
      const subject = `the certificate of ${args[args.indexOf(path) - 1]}`;
      assertEquals(at("2126-10-27T10:23:29Z", args), [`${subject} expired on 2126-10-27.`]);
      // It is valid from its first second to its last.
      assertEquals(at("2026-11-20T10:23:28Z", args), []);
      const last = `${subject} expires on 2126-10-27, in 0 days.`;
      assertEquals(at("2126-10-27T10:23:28Z", args), [last]);
      Deno.writeTextFileSync(path, "no certificate");
      assertEquals(at("2126-10-27T10:23:29Z", args), []);
      Deno.writeTextFileSync(path, CERTIFICATE);
    }
  });
});

Deno.test("certificateRisks() reads the first certificate of a chain, which is the server's", async () => {
  await withFolder((folder) => {
    const path = `${folder}/c.pem`;
    const config = configOf(["--tls-cert", path, "--tls-key", "k.pem"]);
    for (const [text, count] of [[CERTIFICATE + ENDED, 0], [ENDED + CERTIFICATE, 1]] as const) {
      Deno.writeTextFileSync(path, text);
      assertEquals(certificateRisks(config, Date.parse("2027-01-01T00:00:00Z")).length, count);
    }
  });
});

Deno.test("certificateRisks() counts the authority that is valid the longest", async () => {
  await withFolder((folder) => {
    const path = `${folder}/ca.pem`;
    const config = configOf(["--guard", "rediss://127.0.0.1", "--guard-tls-ca", path]);
    for (const text of [ENDED + CERTIFICATE, CERTIFICATE + ENDED]) {
      Deno.writeTextFileSync(path, text);
      const nowMs = Date.parse("2027-01-01T00:00:00Z");
      assertEquals(certificateRisks(config, nowMs), []);
    }
  });
});

Deno.test("certificateRisks() misses the certificates between the server's and a root", async () => {
  await withFolder((folder) => {
    const path = `${folder}/c.pem`;
    const risks = (pem: string): readonly string[] => {
      Deno.writeTextFileSync(path, pem);
      const config = configOf(["--tls-cert", path, "--tls-key", "k.pem"]);
      return certificateRisks(config, Date.parse("2027-01-01T00:00:00Z"));
    };
    assertEquals(risks(ISSUED), [
      "the file of --tls-cert has one certificate: unless a root CA signed it, many callers do not " +
      "trust it. Put the intermediate certificates behind it.",
    ]);
    assertEquals(risks(ISSUED + CERTIFICATE), []);
    assertEquals(risks(CERTIFICATE), []);
  });
});
