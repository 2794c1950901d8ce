import { X509Certificate } from "node:crypto";
import { fileURLToPath } from "node:url";
import { generateKeyPairSync } from "node:crypto";
import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import {
  readStoreFiles,
  readTls,
  tlsVersion,
  validityOf,
} from "../../../../lib/server/files/tls.ts";
import { UsageError } from "../../../../lib/config/option.ts";
import { CERTIFICATE, PRIVATE_KEY } from "../../../support/certificates.ts";
import { configOf } from "../../../support/command.ts";
import { withFolder } from "../../../support/folder.ts";

const OTHER_KEY = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
  .export({ type: "pkcs8", format: "pem" }).toString();

/** Files of TLS, and what reads them. */
interface Setup {
  readonly server: (cert: string, key: string) => ReturnType<typeof readTls>;
  readonly store: (args: readonly string[]) => ReturnType<typeof readStoreFiles>;
  readonly file: (name: string) => string;
}

async function setup(run: (setup: Setup) => void): Promise<void> {
  await withFolder((folder) => {
    const file = (name: string): string => `${folder}/${name}`;
    Deno.writeTextFileSync(file("cert"), CERTIFICATE);
    Deno.writeTextFileSync(file("key"), PRIVATE_KEY);
    Deno.writeTextFileSync(file("other"), OTHER_KEY);
    Deno.writeTextFileSync(file("canary"), "canary");
    const guard = ["--guard", "rediss://store"];
    run({
      server: (cert, key) => readTls(configOf(["--tls-cert", file(cert), "--tls-key", file(key)])),
      store: (args) => readStoreFiles(configOf([...guard, ...args])),
      file,
    });
  });
}

function messageOf(read: () => unknown): string {
  return assertThrows(read, UsageError).message;
}

Deno.test("readTls() reads a certificate and its key, and nothing where none are named", async () => {
  assertEquals(readTls(configOf([])), undefined);
  await setup(({ server }) => {
    assertEquals(server("cert", "key"), { cert: CERTIFICATE, key: PRIVATE_KEY });
  });
});

Deno.test("readTls() names the file and its flaw", async () => {
  await setup(({ server }) => {
    const wrong = [["none", "key"], ["cert", "none"], ["canary", "key"], ["cert", "canary"]];
    assertEquals(wrong.map(([cert, key]) => messageOf(() => server(cert!, key!))), [
      "the file of --tls-cert cannot be read: there is no such file or folder",
      "the file of --tls-key cannot be read: there is no such file or folder",
      "the file of --tls-cert does not hold a PEM certificate",
      "the file of --tls-key does not hold a PEM private key without password",
    ]);
    assertEquals(
      messageOf(() => server("cert", "other")),
      "the key of --tls-key does not match the first certificate of --tls-cert",
    );
  });
});

Deno.test("readTls() and readStoreFiles() pass over a byte order mark", async () => {
  await setup(({ server, store, file }) => {
    Deno.writeTextFileSync(file("cert"), `\uFEFF${CERTIFICATE}`);
    Deno.writeTextFileSync(file("key"), `\uFEFF${PRIVATE_KEY}`);
    assertEquals(server("cert", "key"), { cert: CERTIFICATE, key: PRIVATE_KEY });
    assertEquals(store(["--guard-tls-ca", file("cert")]), { ca: CERTIFICATE });
  });
});

Deno.test("readTls() refuses a certificate that Deno cannot use", () => {
  // Made once as the others, but by `openssl x509 -req -days 36500`, which adds no extensions.
  const [cert, key] = ["cert", "key"].map((kind) =>
    fileURLToPath(new URL(`../../../support/certificates/version1_${kind}.pem`, import.meta.url))
  );
  const config = configOf(["--tls-cert", cert!, "--tls-key", key!]);
  assertEquals(
    messageOf(() => readTls(config)),
    "the certificate of --tls-cert cannot be used with the key of --tls-key: it must be of X.509 " +
      "version 3, and the key of RSA with 2048 bits or more, P-256, P-384, P-521 or Ed25519",
  );
  // As a client it can show more.
  const store = ["--guard", "rediss://store", "--guard-tls-cert", cert!, "--guard-tls-key", key!];
  assertEquals(Object.keys(readStoreFiles(configOf(store))), ["cert", "key"]);
});

Deno.test("readTls() checks each certificate of a chain", async () => {
  await setup(({ server, file }) => {
    const broken = CERTIFICATE.replace(/\n[^-]+\n/, "\nAAAA\n");
    const cut = CERTIFICATE.slice(0, CERTIFICATE.length / 2);
    const results = [CERTIFICATE, broken, cut].map((second) => {
      Deno.writeTextFileSync(file("chain"), `${CERTIFICATE}a comment\n${second}`);
      return second === CERTIFICATE
        ? server("chain", "key")?.key
        : messageOf(() => server("chain", "key"));
    });
    const wrong = "the file of --tls-cert does not hold a PEM certificate";
    assertEquals(results, [PRIVATE_KEY, wrong, wrong]);
  });
});

Deno.test("readStoreFiles() reads an authority, a certificate and its key, each where it is named", async () => {
  await setup(({ store, file }) => {
    const ca = ["--guard-tls-ca", file("cert")];
    const pair = ["--guard-tls-cert", file("cert"), "--guard-tls-key", file("key")];
    assertEquals(store([]), {});
    assertEquals(store(ca), { ca: CERTIFICATE });
    assertEquals(store(pair), { cert: CERTIFICATE, key: PRIVATE_KEY });
    assertEquals(store([...ca, ...pair]), { ca: CERTIFICATE, cert: CERTIFICATE, key: PRIVATE_KEY });
    assertEquals(
      ["none", "canary"].map((name) => messageOf(() => store(["--guard-tls-ca", file(name)]))),
      [
        "the file of --guard-tls-ca cannot be read: there is no such file or folder",
        "the file of --guard-tls-ca does not hold a PEM certificate",
      ],
    );
  });
});

Deno.test("readStoreFiles() reads a password of one line", async () => {
  await setup(({ store, file }) => {
    const password = (text: string): unknown => {
      Deno.writeTextFileSync(file("password"), text);
      return store(["--guard-password-file", file("password")]).password;
    };
    assertEquals(["p@/#?", "p\n", " p \r\n"].map(password), ["p@/#?", "p", " p "]);
    const wrong = "the file of --guard-password-file must hold one line, the password";
    for (const text of ["", "\n", "a\nb", "a\n\n"]) {
      assertEquals(messageOf(() => password(text)), wrong);
    }
  });
});

Deno.test("tlsVersion() differs after each change of a file: of its time, its length, or the file in its place", async () => {
  await setup(({ file }) => {
    const config = configOf(["--tls-cert", file("cert"), "--tls-key", file("key")]);
    const date = new Date(0);
    const versions = new Set<string>();
    const look = (): number => versions.add(tlsVersion(config)).size;
    assertEquals([look(), look()], [1, 1]);
    let expected = 1;
    for (const name of ["cert", "key"]) {
      const put = (text: string, to = file(name)): void => {
        Deno.writeTextFileSync(to, text);
        Deno.utimeSync(to, date, date);
      };
      put("a");
      assertEquals(look(), ++expected, "length");
      Deno.utimeSync(file(name), date, new Date(1));
      assertEquals(look(), ++expected, "time");
      put("b", file("next"));
      Deno.renameSync(file("next"), file(name));
      assertEquals(look(), ++expected, "file");
      Deno.removeSync(file(name));
      assertEquals(look(), ++expected, "none");
    }
  });
});

Deno.test("the validity of a certificate is counted in whole days, and ends with its last millisecond", () => {
  const { validFrom, validTo } = new X509Certificate(CERTIFICATE);
  const [fromMs, untilMs] = [Date.parse(validFrom), Date.parse(validTo)];
  const day = 86_400_000;
  const until = "2126-10-27";
  const rows = [
    [fromMs - 1, `is not valid before ${new Date(fromMs).toISOString().slice(0, 10)}`, true],
    [fromMs, `is valid until ${until}`, false],
    [untilMs - 21 * day, `is valid until ${until}`, false],
    [untilMs - 21 * day + 1, `expires on ${until}, in 20 days`, true],
    [untilMs - 2 * day + 1, `expires on ${until}, in 1 day`, true],
    [untilMs - day + 1, `expires on ${until}, in 0 days`, true],
    [untilMs, `expires on ${until}, in 0 days`, true],
    [untilMs + 1, `expired on ${until}`, true],
  ] as const;
  for (const [nowMs, clause, isUrgent] of rows) {
    assertEquals(validityOf(CERTIFICATE, nowMs), { untilMs, clause, isUrgent });
  }
});
