import { assertEquals } from "@std/assert/equals";
import { keysInWords, Reload, type Renewable } from "../../../lib/cli/serve/reload.ts";
import { UsageError } from "../../../lib/config/option.ts";
import type { CallerKey } from "../../../lib/http/api_keys.ts";
import { CERTIFICATE, ENDED, PRIVATE_KEY } from "../certificate.ts";
import { configOf, withFolder } from "../command.ts";

function keysOf(...names: (string | undefined)[]): readonly CallerKey[] {
  return names.map((name, i) => ({ name, key: `key ${i}` }));
}

Deno.test("keysInWords() says how many keys there are, and whose", () => {
  const none = undefined;
  const all = [[], [none], [none, none], ["a"], ["b", "a", "b"], ["a", none, none], [none, "a"]];
  assertEquals(all.map((names) => keysInWords(keysOf(...names))), [
    "0 keys",
    "1 key",
    "2 keys",
    "1 key: a",
    "3 keys: b (2), a",
    "3 keys: a, 2 without a name",
    "2 keys: a, 1 without a name",
  ]);
});

type Parts = Partial<Pick<Renewable, "listener" | "tls"> & Pick<Renewable["service"], "renewKeys">>;

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
  const { listener = { renew: () => false }, renewKeys = () => undefined, tls } = parts;
  const service = { renewKeys, log, certificateUntilMs: undefined };
  return { reload: new Reload(configOf(args), { listener, service, tls }), lines, service };
}

/** Log lines of a server that was told to read again. */
function told(args: readonly string[], parts: Parts = {}): readonly string[] {
  const { reload, lines } = reloadOf(args, parts);
  reload.all();
  return lines;
}

function fails(error: Error): () => never {
  return () => {
    throw error;
  };
}

Deno.test("Reload says in a line for each file what came of it", async () => {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/cert`, CERTIFICATE);
    await Deno.writeTextFile(`${folder}/key`, PRIVATE_KEY);
    const keys = ["--api-keys-file", "keys"];
    const tls = ["--tls-cert", `${folder}/cert`, "--tls-key", `${folder}/key`];
    const shown: unknown[] = [];
    const listener = { renew: (tls: unknown) => shown.push(tls) > 0 };
    const renewed = { listener, renewKeys: () => keysOf("a", undefined) };
    const newCertificate = "info: the certificate was read again: it is valid until 2126-10-27";
    const newKeys = "info: the API keys were read again: 2 keys: a, 1 without a name";
    assertEquals(told([], renewed), [
      "info: SIGHUP: there are no certificate and no API keys to read again",
    ]);
    assertEquals(told(keys, renewed), [newKeys]);
    assertEquals(shown, []);
    assertEquals(told([...tls, ...keys], renewed), [newCertificate, newKeys]);
    assertEquals(shown, [{ cert: CERTIFICATE, key: PRIVATE_KEY }]);
    // A server that stops shows no other certificate.
    assertEquals(told([...tls, ...keys]), []);
    const broken = {
      listener: { renew: fails(new TypeError("no certificate")) },
      renewKeys: fails(new UsageError("line 1 is no key")),
    };
    assertEquals(told([...tls, ...keys], broken), [
      "error: the old certificate is kept: TypeError: no certificate",
      "warn: the old API keys are kept: line 1 is no key",
    ]);
    await Deno.remove(`${folder}/cert`);
    assertEquals(told(tls, { listener }), [
      "warn: the old certificate is kept: the file of --tls-cert cannot be read: " +
      "there is no such file or folder",
    ]);
  });
});

Deno.test("Reload reads a certificate that has changed, once, and says what it is", async () => {
  await withFolder(async (folder) => {
    const [cert, key] = [`${folder}/cert`, `${folder}/key`];
    const write = async (certificate: string): Promise<void> => {
      // Renamed, as a change in one step is: the file has another number, if not another time.
      await Deno.writeTextFile(`${folder}/new`, certificate);
      await Deno.utime(`${folder}/new`, 1, 1);
      await Deno.rename(`${folder}/new`, cert);
    };
    await Deno.writeTextFile(key, PRIVATE_KEY);
    await write(CERTIFICATE);
    const shown: unknown[] = [];
    const listener = { renew: (tls: unknown) => shown.push(tls) > 0 };
    const tls = { cert: CERTIFICATE, key: PRIVATE_KEY };
    const { reload, lines, service } = reloadOf(["--tls-cert", cert, "--tls-key", key], {
      listener,
      tls,
    });
    assertEquals(service.certificateUntilMs, Date.parse("2126-10-27T10:23:28Z"));
    reload.changedCertificate();
    assertEquals(lines, []);
    await write(CERTIFICATE);
    reload.changedCertificate();
    const same = "the certificate was read again, the same as before: it is valid until 2126-10-27";
    assertEquals([lines.splice(0), shown], [[`info: ${same}`], []]);
    await write(ENDED);
    reload.changedCertificate();
    reload.changedCertificate();
    assertEquals(lines.splice(0), [
      "warn: the old certificate is kept: the key of --tls-key does not match the first " +
      "certificate of --tls-cert",
    ]);
    // Told by SIGHUP, it does not look at the same files again. The first certificate is the server's.
    const chain = CERTIFICATE + ENDED;
    await write(chain);
    reload.all();
    reload.changedCertificate();
    await Deno.writeTextFile(key, PRIVATE_KEY.trimEnd());
    reload.changedCertificate();
    const line = "info: the certificate was read again: it is valid until 2126-10-27";
    assertEquals([lines.splice(0), shown], [
      [line, line],
      [{ cert: chain, key: PRIVATE_KEY }, { cert: chain, key: PRIVATE_KEY.trimEnd() }],
    ]);
    assertEquals(service.certificateUntilMs, Date.parse("2126-10-27T10:23:28Z"));
  });
});
