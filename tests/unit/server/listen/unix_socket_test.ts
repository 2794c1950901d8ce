import process from "node:process";
import { assertEquals } from "@std/assert/equals";
import { SocketFile } from "../../../../lib/server/listen/unix_socket.ts";
import { withFolder } from "../../../support/folder.ts";

function modeOf(path: string): number {
  return Deno.lstatSync(path).mode! & 0o777;
}

function filesIn(folder: string): readonly string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

function listenAt(path: string): Deno.Listener {
  return Deno.listen({ transport: "unix", path });
}

Deno.test({
  name: "a socket is open to its owner alone until it has its mode and its path",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withFolder(async (folder) => {
      const { umask } = process;
      // The test has no permission to set that of its process.
      let mask = 0o022;
      const setMask = (next: number): number => {
        const before = mask;
        mask = next;
        return before;
      };
      Object.assign(process, { umask: setMask });
      try {
        for (const mode of [0o600, 0o660, 0o666]) {
          const path = `${folder}/a.sock`;
          const file = new SocketFile(path);
          const [masked, listener] = file.bind(() => {
            const listener = Deno.listen({ transport: "unix", path: file.temporaryPath });
            return [0o777 & ~mask, listener];
          });
          assertEquals([masked, mask], [0o600, 0o022]);
          assertEquals([...Deno.readDirSync(folder)].map(({ name }) => `${folder}/${name}`), [
            file.temporaryPath,
          ]);
          await file.publish(mode);
          assertEquals(modeOf(path), mode);
          listener.close();
          file.remove();
          assertEquals([...Deno.readDirSync(folder)], []);
        }
      } finally {
        Object.assign(process, { umask });
      }
    }),
});

Deno.test({
  name:
    "a socket takes the path of none but a stale socket, and leaves no file where it is refused",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withFolder(async (folder) => {
      const path = `${folder}/a.sock`;
      const publish = async (): Promise<string> => {
        const file = new SocketFile(path);
        using _ = listenAt(file.temporaryPath);
        const outcome = await file.publish(0o600).then(() => "published", ({ code }) => code);
        assertEquals(filesIn(folder), ["a.sock"]);
        return outcome;
      };
      Deno.writeTextFileSync(path, "");
      assertEquals(await publish(), "ENOTSOCK");
      Deno.removeSync(path);
      assertEquals([await publish(), await publish()], ["published", "published"]);
      Deno.removeSync(path);
      using _ = listenAt(path);
      assertEquals(await publish(), "EADDRINUSE");
    }),
});

Deno.test({
  name: "a successor's socket stays, whether it comes before the removal or during it",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    for (const isDuring of [false, true]) {
      await withFolder(async (folder) => {
        const path = `${folder}/a.sock`;
        const file = new SocketFile(path);
        const { temporaryPath } = file;
        using _own = listenAt(temporaryPath);
        await file.publish(0o600);
        using _successor = listenAt(`${folder}/b.sock`);
        const { ino } = Deno.lstatSync(`${folder}/b.sock`);
        const succeed = (): void => {
          if (filesIn(folder).includes("b.sock")) Deno.renameSync(`${folder}/b.sock`, path);
        };
        if (!isDuring) succeed();
        // Read once the socket was found to be the server's own.
        const get = (): string => {
          succeed();
          return temporaryPath;
        };
        Object.defineProperty(file, "temporaryPath", { get });
        file.remove();
        assertEquals([filesIn(folder), Deno.lstatSync(path).ino], [["a.sock"], ino]);
      });
    }
  },
});

Deno.test("the path to bind is refused as too long where that of the socket is, and only there", () => {
  const lengths = [["s", 95], ["s", 101], ["s", 106], ["of-more-letters.sock", 10], ["ab", 103]];
  assertEquals(
    lengths.map(([name, folder]) =>
      new SocketFile(`/${"x".repeat(Number(folder) - 2)}/${name}`).temporaryPath.length
    ),
    [103, 103, 107, 30, 105],
  );
});
