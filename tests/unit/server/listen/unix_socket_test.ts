import process from "node:process";
import { assertEquals } from "@std/assert/equals";
import { SocketFile } from "../../../../lib/server/listen/unix_socket.ts";
import { withFolder } from "../../../support/folder.ts";

function modeOf(path: string): number {
  return Deno.lstatSync(path).mode! & 0o777;
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
