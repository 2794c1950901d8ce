import process from "node:process";
import { assertEquals } from "@std/assert/equals";
import { SocketFile } from "../../../../lib/server/listen/unix_socket.ts";
import { withFolder } from "../../../support/folder.ts";

function modeOf(path: string): string {
  return (Deno.lstatSync(path).mode! & 0o777).toString(8);
}

Deno.test({
  name: "a socket is open to its owner alone until it has its mode and its path",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withFolder(async (folder) => {
      const before = process.umask(0o022);
      try {
        for (const mode of [0o600, 0o660, 0o666]) {
          const path = `${folder}/a.sock`;
          const file = new SocketFile(path);
          const [bound, listener] = file.bind(() => {
            const listener = Deno.listen({ transport: "unix", path: file.temporaryPath });
            return [modeOf(file.temporaryPath), listener];
          });
          assertEquals([bound, process.umask().toString(8)], ["600", "22"]);
          assertEquals([...Deno.readDirSync(folder)].map(({ name }) => `${folder}/${name}`), [
            file.temporaryPath,
          ]);
          await file.publish(mode);
          assertEquals(modeOf(path), mode.toString(8));
          listener.close();
          file.remove();
          assertEquals([...Deno.readDirSync(folder)], []);
        }
      } finally {
        process.umask(before);
      }
    }),
});
