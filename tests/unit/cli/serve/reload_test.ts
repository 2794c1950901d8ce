import { X509Certificate } from "node:crypto";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { keysInWords, Reload, type Renewable } from "../../../../lib/cli/serve/reload.ts";
import { UsageError } from "../../../../lib/config/option.ts";
import type { KeyFileOption, ServerKeys } from "../../../../lib/server/files/keys.ts";
import type { ServerState } from "../../../../lib/server/server.ts";
import { tlsVersion } from "../../../../lib/server/files/tls.ts";
import { ListenError } from "../../../../lib/server/listen/error.ts";
import {
  CERTIFICATE,
  CLIENT_CERTIFICATE,
  CLIENT_KEY,
  ENDED,
  PRIVATE_KEY,
  STORE_CERTIFICATE,
  STORE_KEY,
} from "../../../support/certificates.ts";
import { configOf, withProcess } from "../../../support/command.ts";
import { withFolder } from "../../../support/folder.ts";

Deno.test("keysInWords() has the number of keys, and their names", () => {
  const none = null;
  const all = [[], [none], [none, none], ["a"], ["b", "a", "b"], ["a", none, none], [none, "a"]];
  assertEquals(all.map((names) => keysInWords(names)), [
    "0 keys",
    "1 key",
    "2 keys",
    "1 key: a",
    "3 keys: b (2), a",
    "3 keys: a, 2 without a name",
    "2 keys: a, 1 without a name",
  ]);
});

type Parts = Partial<
  & Pick<Renewable, "changedOptions" | "listener" | "tls" | "version">
  & { readonly renewKeys: Renewable["service"]["keys"]["renew"] }
>;

/** A server's reload, its log, and its service. */
function reloadOf(args: readonly string[], parts: Parts = {}): {
  readonly reload: Reload;
  readonly lines: string[];
  readonly service: Renewable["service"];
} {
  const lines: string[] = [];
  const log = {
    info: (message: string) => void lines.push(`info: ${message}`),
    warn: (message: string) => void lines.push(`warn: ${message}`),
    error: (message: string, cause: unknown) => void lines.push(`error: ${message}: ${cause}`),
    request: () => {},
  };
  const noKeys = fails(new TypeError("There are no keys"));
  const { listener = { renew: no }, renewKeys = noKeys, tls, version = "" } = parts;
  const { changedOptions = () => [] } = parts;
  const state: ServerState = {
    isReady: true,
    drops: 0,
    get refusedReloads() {
      return 0;
    },
    set refusedReloads(_count) {
      lines.push("counted");
    },
  };
  const service = { log, state, keys: { renew: renewKeys } };
  const reload = new Reload(configOf(args), {
    changedOptions,
    listener,
    service,
    tls,
    version,
  });
  return { reload, lines, service };
}

function no(): Promise<boolean> {
  return Promise.resolve(false);
}

/** Log lines of a server after SIGHUP, which are those of its status too, but for causes. */
async function linesOfReload(
  args: readonly string[],
  parts: Parts = {},
): Promise<readonly string[]> {
  const { reload, lines, service } = reloadOf(args, parts);
  await reload.all();
  const clauses = lines.filter((line) => line !== "counted")
    .map((line) => line.replace(/^error: (.*): \w+Error: .*|^\w+: /, "$1"));
  assertEquals(service.state.lastReload?.lines, clauses);
  return lines;
}

function fails(error: Error): () => never {
  return () => {
    throw error;
  };
}

Deno.test("Reload logs a line for each file", async () => {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/cert`, CERTIFICATE);
    await Deno.writeTextFile(`${folder}/key`, PRIVATE_KEY, { mode: 0o600 });
    const keys = ["--api-keys-file", "keys"];
    const tls = ["--tls-cert", `${folder}/cert`, "--tls-key", `${folder}/key`];
    const shown: unknown[] = [];
    const listener = { renew: (tls: unknown) => Promise.resolve(shown.push(tls) > 0) };
    const renewed = {
      listener,
      renewKeys: () => ({ names: ["a", null], isChanged: true }),
    };
    const newCertificate = "info: the certificate was read again: it is valid until 2126-10-27";
    const newKeys = "info: the API keys were read again: 2 keys: a, 1 without a name";
    assertEquals(await linesOfReload([], renewed), [
      "info: SIGHUP: there are no certificate and no keys to read again",
    ]);
    assertEquals(await linesOfReload(keys, renewed), [newKeys]);
    assertEquals(shown, []);
    assertEquals(await linesOfReload([...tls, ...keys], renewed), [newCertificate, newKeys]);
    assertEquals(shown, [{ cert: CERTIFICATE, key: PRIVATE_KEY }]);
    // A server that stops shows no other certificate.
    assertEquals(await linesOfReload(tls), []);
    const broken = {
      listener: { renew: fails(new TypeError("no certificate")) },
      renewKeys: fails(new UsageError("line 1 is no key")),
    };
    assertEquals(await linesOfReload([...tls, ...keys], broken), [
      "counted",
      "error: the old certificate is kept: TypeError: no certificate",
      "counted",
      "warn: the old API keys are kept: line 1 is no key",
    ]);
    await Deno.remove(`${folder}/cert`);
    assertEquals(await linesOfReload(tls, { listener }), [
      "counted",
      "warn: the old certificate is kept: the file of --tls-cert cannot be read: " +
      "there is no such file or folder",
    ]);
  });
});

Deno.test("a reload fails when the file of options has changed, and still reads the keys", async () => {
  const renewKeys = (): ReturnType<ServerKeys["renew"]> => ({ names: ["a"], isChanged: true });
  const keys = ["--api-keys-file", "keys"];
  const changedOptions = (): readonly string[] => ["AUTHENTICATOR_WINDOW", "AUTHENTICATOR_HTML"];
  const refused = [
    "counted",
    "warn: the old options are kept: a restart is needed, since the file of --config has changed: " +
    "AUTHENTICATOR_WINDOW and AUTHENTICATOR_HTML",
  ];
  assertEquals(await linesOfReload([], { changedOptions }), refused);
  assertEquals(await linesOfReload(keys, { changedOptions, renewKeys }), [
    ...refused,
    "info: the API keys were read again: 1 key: a",
  ]);
  assertEquals(
    await linesOfReload([], { changedOptions: fails(new UsageError("line 1 is wrong")) }),
    ["counted", "warn: the old options are kept: line 1 is wrong"],
  );
});

Deno.test("a certificate that cannot be used is tried again each minute, and each reason is logged once", async () => {
  await withFolder(async (folder) => {
    const [cert, key] = [`${folder}/cert`, `${folder}/key`];
    const write = async (certificate: string): Promise<void> => {
      // Renamed, as a change in one step is: the file has another number, if not another time.
      await Deno.writeTextFile(`${folder}/new`, certificate);
      await Deno.utime(`${folder}/new`, 1, 1);
      await Deno.rename(`${folder}/new`, cert);
    };
    await Deno.writeTextFile(key, PRIVATE_KEY, { mode: 0o600 });
    await write(CERTIFICATE);
    const shown: unknown[] = [];
    let fault: Error | undefined;
    const listener = {
      renew: (tls: unknown): Promise<boolean> =>
        fault === undefined ? Promise.resolve(shown.push(tls) > 0) : Promise.reject(fault),
    };
    const args = ["--tls-cert", cert, "--tls-key", key];
    const tls = { cert: CERTIFICATE, key: PRIVATE_KEY };
    const { reload, lines, service } = reloadOf(args, {
      listener,
      tls,
      version: tlsVersion(configOf(args)),
    });
    const look = async (): Promise<readonly string[]> => {
      await reload.changedCertificate();
      return lines.splice(0);
    };
    assertEquals(service.state.certificateUntilMs, Date.parse("2126-10-27T10:23:28Z"));
    assertEquals(await look(), []);
    await write(CERTIFICATE);
    const same = "the certificate is unchanged: it is valid until 2126-10-27";
    assertEquals([await look(), await look(), shown], [[`info: ${same}`], [], []]);
    await write(ENDED);
    const kept = "warn: the old certificate, which is valid until 2126-10-27, is kept: ";
    assertEquals(await look(), [
      "counted",
      `${kept}the key of --tls-key does not match the first certificate of --tls-cert`,
    ]);
    assertEquals(await look(), []);
    await write(`${CERTIFICATE}\n`);
    fault = new ListenError({ hostname: "127.0.0.1", port: 1 }, "EADDRINUSE");
    assertEquals(await look(), ["counted", `${kept}${fault.message}`]);
    assertEquals(await look(), []);
    // The files are those of the last look.
    fault = undefined;
    assertEquals([await look(), shown], [
      ["info: the certificate was read again: it is valid until 2126-10-27"],
      [{ cert: `${CERTIFICATE}\n`, key: PRIVATE_KEY }],
    ]);
    assertEquals(await look(), []);
    assertEquals(service.state.lastReload?.lines, [
      "the certificate was read again: it is valid until 2126-10-27",
    ]);
    // After SIGHUP, the next look does not read the same files again.
    await write(CERTIFICATE);
    await reload.all();
    assertEquals([lines.splice(0).length, await look(), shown.length], [1, [], 2]);
  });
});

Deno.test("a failure of the certificate that went is logged again when it returns, and so it is after SIGHUP", async () => {
  await withFolder(async (folder) => {
    const [cert, key] = [`${folder}/cert`, `${folder}/key`];
    await Deno.writeTextFile(cert, CERTIFICATE);
    await Deno.writeTextFile(key, PRIVATE_KEY, { mode: 0o600 });
    const args = ["--tls-cert", cert, "--tls-key", key];
    const tls = { cert: CERTIFICATE, key: PRIVATE_KEY };
    const version = tlsVersion(configOf(args));
    const { reload, lines } = reloadOf(args, { tls, version });
    const linesOf = async (act: "all" | "changedCertificate"): Promise<readonly string[]> => {
      await reload[act]();
      return lines.splice(0);
    };
    const failed = [
      "counted",
      "warn: the old certificate, which is valid until 2126-10-27, is kept: the key of --tls-key " +
      "does not match the first certificate of --tls-cert",
    ];
    const unchanged = "info: the certificate is unchanged: it is valid until 2126-10-27";
    for (let round = 1; round <= 3; round++) {
      await Deno.rename(cert, `${folder}/kept`);
      await Deno.writeTextFile(cert, ENDED);
      assertEquals(await linesOf("changedCertificate"), failed, `round ${round}`);
      assertEquals(await linesOf("changedCertificate"), []);
      assertEquals(await linesOf("all"), failed, `round ${round}`);
      assertEquals(await linesOf("changedCertificate"), []);
      // The files of before are back, or new ones with the same certificate are there.
      if (round !== 2) await Deno.rename(`${folder}/kept`, cert);
      else {
        await Deno.writeTextFile(`${folder}/new`, CERTIFICATE);
        await Deno.rename(`${folder}/new`, cert);
      }
      assertEquals(await linesOf("changedCertificate"), round === 2 ? [unchanged] : []);
    }
  });
});

Deno.test("the end of the certificate is that of the one in use, after each of three renewals", async () => {
  await withFolder(async (folder) => {
    const args = ["--tls-cert", `${folder}/cert`, "--tls-key", `${folder}/key`];
    const put = async (cert: string, key: string): Promise<number> => {
      await Deno.writeTextFile(`${folder}/cert`, cert);
      await Deno.writeTextFile(`${folder}/key`, key, { mode: 0o600 });
      return Date.parse(new X509Certificate(cert).validTo);
    };
    const pairs = [
      [STORE_CERTIFICATE, STORE_KEY],
      [CERTIFICATE, PRIVATE_KEY],
      [CLIENT_CERTIFICATE, CLIENT_KEY],
    ] as const;
    const ends: number[] = [await put(CERTIFICATE, PRIVATE_KEY)];
    const tls = { cert: CERTIFICATE, key: PRIVATE_KEY };
    const listener = { renew: () => Promise.resolve(true) };
    const { reload, service } = reloadOf(args, { listener, tls });
    for (const [cert, key] of pairs) {
      ends.push(await put(cert, key));
      assert(ends.at(-1) !== ends.at(-2), "the certificates end at different times");
      await reload.all();
      assertEquals(service.state.certificateUntilMs, ends.at(-1));
    }
  });
});

Deno.test("Reload detects a file that was replaced while the server started, and renews it once", async () => {
  await withFolder(async (folder) => {
    const [cert, key] = [`${folder}/cert`, `${folder}/key`];
    await Deno.writeTextFile(cert, CERTIFICATE);
    await Deno.writeTextFile(key, PRIVATE_KEY, { mode: 0o600 });
    const args = ["--tls-cert", cert, "--tls-key", key];
    const version = tlsVersion(configOf(args));
    await Deno.writeTextFile(cert, `${CERTIFICATE}\n`);
    const tls = { cert: CERTIFICATE, key: PRIVATE_KEY };
    const listener = { renew: () => Promise.resolve(true) };
    const { reload, lines } = reloadOf(args, { listener, tls, version });
    await Promise.all([reload.changedCertificate(), reload.all()]);
    assertEquals(
      lines,
      ["was read again", "is unchanged"]
        .map((what) => `info: the certificate ${what}: it is valid until 2126-10-27`),
    );
  });
});

Deno.test("an unchanged file is logged as unchanged, and a credential as systemd's copy of the start", async () => {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/keys`, `1st:${"k".repeat(32)}\n`, { mode: 0o600 });
    const keys = ["--api-keys-file", `${folder}/keys`];
    const renewKeys = (): ReturnType<ServerKeys["renew"]> => ({ names: [null], isChanged: false });
    const risk =
      "warn: line 1 of the file of --api-keys-file has a colon, and no name before it: " +
      "the whole line is the key. A name begins with a letter, and has only letters, digits, dots, " +
      "hyphens and underscores.";
    assertEquals(await linesOfReload(keys, { renewKeys }), [
      "info: the API keys are unchanged: 1 key",
      risk,
    ]);
    const sealKeys = ["--seal-keys-file", `${folder}/keys`];
    const renewBoth = (option: KeyFileOption): ReturnType<ServerKeys["renew"]> =>
      option === "apiKeysFile" ? renewKeys() : { names: ["new", "old"], isChanged: true };
    assertEquals(await linesOfReload([...keys, ...sealKeys], { renewKeys: renewBoth }), [
      "info: the API keys are unchanged: 1 key",
      "info: the seal keys were read again: 2 keys: new, old",
      risk,
    ]);
    const refused = { renewKeys: fails(new UsageError("line 2 is no key")) };
    assertEquals(await linesOfReload(sealKeys, refused), [
      "counted",
      "warn: the old seal keys are kept: line 2 is no key",
    ]);
    const env = { CREDENTIALS_DIRECTORY: folder };
    await withProcess({ env }, async () => {
      assertEquals(await linesOfReload(keys, { renewKeys }), [
        "warn: the API keys are unchanged: 1 key; the file is systemd's copy of the start: " +
        "to use a newer one, restart",
        risk,
      ]);
    });
  });
});

Deno.test("SIGHUP warns of files that others can read, as the start does", async () => {
  if (Deno.build.os === "windows") return;
  await withFolder(async (folder) => {
    const write = (name: string, text: string): void => {
      Deno.writeTextFileSync(`${folder}/${name}`, text);
      Deno.chmodSync(`${folder}/${name}`, 0o604);
    };
    write("cert", CERTIFICATE);
    write("key", PRIVATE_KEY);
    write("api", `web:${"k".repeat(32)}\n`);
    write("seal", "");
    const files = [
      ...["--tls-cert", `${folder}/cert`, "--tls-key", `${folder}/key`],
      ...["--api-keys-file", `${folder}/api`, "--seal-keys-file", `${folder}/seal`],
    ];
    const listener = { renew: () => Promise.resolve(true) };
    const renewKeys = (): ReturnType<ServerKeys["renew"]> => ({ names: ["a"], isChanged: true });
    const lines = await linesOfReload(files, { listener, renewKeys });
    const risk = (flag: string): string =>
      `warn: everybody on this machine can read the file that ${flag} names.`;
    assertEquals(lines.slice(3), [
      ...["--tls-key", "--api-keys-file", "--seal-keys-file"].map(risk),
      "warn: line 1 of the file of --api-keys-file has one character repeated as its key, which is " +
      "easily guessed.",
    ]);
  });
});

Deno.test("a certificate that ends soon, or is systemd's copy of the start, is logged as a warning", async () => {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/cert`, CERTIFICATE);
    await Deno.writeTextFile(`${folder}/key`, PRIVATE_KEY, { mode: 0o600 });
    const args = ["--tls-cert", `${folder}/cert`, "--tls-key", `${folder}/key`];
    const tls = { cert: CERTIFICATE, key: PRIVATE_KEY };
    const unchanged = "the certificate is unchanged: it";
    const { now } = Date;
    try {
      Date.now = () => Date.parse("2126-10-22T12:00:00Z");
      assertEquals(await linesOfReload(args, { tls }), [
        `warn: ${unchanged} expires on 2126-10-27, in 4 days`,
      ]);
    } finally {
      Date.now = now;
    }
    await withProcess({ env: { CREDENTIALS_DIRECTORY: folder } }, async () => {
      assertEquals(await linesOfReload(args, { tls }), [
        `warn: ${unchanged} is valid until 2126-10-27; the file is systemd's copy of the start: ` +
        "to use a newer one, restart",
      ]);
    });
  });
});
