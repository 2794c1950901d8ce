// deno-lint-ignore-file no-console
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import process from "node:process";

const path = `${mkdtempSync(`${tmpdir()}/bun-`)}/socket`;
const first = Bun.serve({ unix: path, fetch: () => new Response("first") });
rmSync(path);
Bun.serve({ unix: path, fetch: () => new Response("second") });
await first.stop();
console.log(
  existsSync(path)
    ? "gone: the socket of the second server is still there"
    : "fault: the stop of the first server removed the socket of the second",
);
process.exit();
