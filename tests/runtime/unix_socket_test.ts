import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { assertThrows } from "@std/assert/throws";
import { runToEnd } from "../support/child.ts";
import { ListenError } from "../../lib/runtime/listen_error.ts";
import { claimSocket, type SocketClaim } from "../../lib/runtime/unix_socket.ts";

const MODE = 0o640;
const IN_USE = "the socket is in use by another program (stop it, or choose another path)";

/** A folder for a socket. A file stands for one where nobody asks what it is. */
interface Scene {
  readonly path: string;
  /** Claims the path, and finds nobody there. */
  readonly claim: () => Promise<SocketClaim>;
  readonly files: () => string[];
}

function failing(code: string): () => Promise<never> {
  return () => Promise.reject(Object.assign(new Error("canary"), { code }));
}

function test(name: string, act: (scene: Scene) => Promise<void>): void {
  Deno.test({
    name,
    ignore: Deno.build.os === "windows",
    fn: async () => {
      const folder = await Deno.makeTempDir();
      const path = `${folder}/a.sock`;
      const claim = (): Promise<SocketClaim> => claimSocket(path, MODE, failing("ENOENT"));
      const files = (): string[] => [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
      try {
        await act({ path, claim, files });
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}

function put(path: string, text: string): void {
  Deno.writeTextFileSync(path, text);
}

// By another process, since a test may not: a socket that nobody listens on any more.
async function leaveSocket(path: string): Promise<void> {
  const script = `Deno.listen({ transport: "unix", path: ${JSON.stringify(path)} }); Deno.exit();`;
  assertEquals((await runToEnd([Deno.execPath(), "eval", script])).stderr, "");
  assert(Deno.lstatSync(path).isSocket);
}

test("a socket gets to its place with its mode, and leaves nothing beside it", async (scene) => {
  const { bind, release } = await scene.claim();
  let hidden = "";
  const opened = bind((path) => {
    hidden = path;
    const folder = path.slice(0, path.lastIndexOf("/"));
    // Nobody else may enter, and nobody finds it among what is not hidden.
    assertEquals(Deno.statSync(folder).mode! & 0o777, 0o700);
    assert(folder.startsWith(`${scene.path.replace(/[^/]*$/, "")}.`), folder);
    put(path, "new");
    assertEquals(scene.files().includes("a.sock"), false);
    return "opened";
  });
  assert(hidden !== scene.path);
  assertEquals([opened, scene.files()], ["opened", ["a.sock"]]);
  assertEquals(Deno.statSync(scene.path).mode! & 0o777, MODE);
  release();
  assertEquals(scene.files(), []);
  release();
});

test("a claim that was never bound, or whose socket was replaced, removes nothing", async (scene) => {
  const { bind, release } = await scene.claim();
  release();
  put(scene.path, "other");
  release();
  assertEquals(scene.files(), ["a.sock"]);
  Deno.removeSync(scene.path);
  bind((path) => put(path, "ours"));
  // Another file while ours is still there, so that it is not given the same number.
  put(`${scene.path}.other`, "other");
  Deno.renameSync(`${scene.path}.other`, scene.path);
  release();
  assertEquals(scene.files(), ["a.sock"]);
});

test("of two that found the path free, the second to come leaves the first alone", async (scene) => {
  const { bind } = await scene.claim();
  const { message } = assertThrows(() => {
    bind((path) => {
      put(path, "second");
      put(scene.path, "first");
    });
  }, ListenError);
  assert(message.endsWith(`: ${IN_USE}`), message);
  assertEquals([Deno.readTextFileSync(scene.path), scene.files()], ["first", ["a.sock"]]);
});

test("what fails while a socket is made is said in the words for a socket, and cleared away", async (scene) => {
  const { bind } = await scene.claim();
  const code = (code: string): Error => Object.assign(new Error("canary"), { code });
  for (
    const [thrown, reason] of [
      [code("EACCES"), "this user may not create a file in its folder"],
      [code("canary"), "the address cannot be used"],
      [new ListenError({ path: "" }, "EMFILE"), "too many files are open"],
    ] as const
  ) {
    const { message } = assertThrows(() => {
      bind((path) => {
        put(path, "half");
        throw thrown;
      });
    }, ListenError);
    assertEquals(message, `cannot listen on the socket: ${reason}`);
    assertEquals(scene.files(), []);
  }
});

test("what can have no second name gets to its place by a new one", async (scene) => {
  const { bind } = await scene.claim();
  // A folder stands for a socket on a file system without second names.
  bind((path) => Deno.mkdirSync(path));
  assert(Deno.statSync(scene.path).isDirectory);
  assertEquals(scene.files(), ["a.sock"]);
});

test("a socket in a folder that is not there is refused in the words for a socket", async (scene) => {
  const path = `${scene.path}/none/a.sock`;
  const { bind } = await claimSocket(path, MODE, failing("ENOENT"));
  const { message } = assertThrows(() => bind(() => {}), ListenError);
  assertEquals(message, "cannot listen on the socket: its folder does not exist");
});

test("a path on which nothing can stand is refused in the words for a socket", async (scene) => {
  put(scene.path, "no folder");
  const cases = [
    [`${scene.path}/a.sock`, "what its path names as a folder is none"],
    [`${scene.path}${"a".repeat(300)}`, "the path is too long for a socket"],
  ] as const;
  for (const [path, reason] of cases) {
    // Whatever a caller would hear there.
    const claim = (): Promise<SocketClaim> => claimSocket(path, MODE, failing("ENOENT"));
    const { message } = await assertRejects(claim, ListenError);
    assertEquals(message, `cannot listen on the socket: ${reason}`);
  }
});

test("a path is not claimed where somebody answers, or where it cannot be told", async ({ path }) => {
  const cases = [
    [() => Promise.resolve(), IN_USE],
    [failing("EACCES"), "the path is taken by a socket of another user"],
    [failing("EPERM"), "the path is taken by a socket of another user"],
    [failing("ENAMETOOLONG"), "the path is too long for a socket"],
  ] as const;
  for (const [connect, reason] of cases) {
    const { message } = await assertRejects(() => claimSocket(path, MODE, connect), ListenError);
    assertEquals(message, `cannot listen on the socket: ${reason}`);
  }
});

test("what is no socket is not claimed, whoever answers", async ({ path, files }) => {
  put(path, "text");
  for (const code of ["ECONNREFUSED", "ENOENT", "EACCES"]) {
    const { message } = await assertRejects(
      () => claimSocket(path, MODE, failing(code)),
      ListenError,
    );
    assert(message.endsWith("the path is taken by something that is not a socket"), message);
  }
  assertEquals([Deno.readTextFileSync(path), files()], ["text", ["a.sock"]]);
});

test("a socket that nobody answers on is replaced", async ({ path, claim, files }) => {
  await leaveSocket(path);
  const { bind } = await claim();
  bind((path) => put(path, "new"));
  assertEquals([Deno.readTextFileSync(path), files()], ["new", ["a.sock"]]);
});

test("of two that found the same socket, the second to come leaves the first alone", async (scene) => {
  const { path, claim, files } = scene;
  for (const left of [[], ["a.sock"]]) {
    await leaveSocket(path);
    const { bind } = await claim();
    const { message } = assertThrows(() => {
      bind((hidden) => {
        put(hidden, "second");
        // The file of the first has another number, for the one that it replaces is still there.
        if (left.length > 0) put(`${path}.first`, "first");
        Deno.renameSync(path, `${path}.old`);
        if (left.length > 0) Deno.renameSync(`${path}.first`, path);
        Deno.removeSync(`${path}.old`);
      });
    }, ListenError);
    assert(message.endsWith(IN_USE), message);
    assertEquals(files(), left);
  }
  assertEquals(Deno.readTextFileSync(path), "first");
});
