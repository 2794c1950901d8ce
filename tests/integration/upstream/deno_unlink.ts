// deno-lint-ignore-file no-console
const path = `${await Deno.makeTempDir()}/socket`;
const first = Deno.serve({ path, onListen: () => {} }, () => new Response("first"));
await Deno.remove(path);
Deno.serve({ path, onListen: () => {} }, () => new Response("second"));
await first.shutdown();
const isThere = await Deno.lstat(path).then(() => true, () => false);
console.log(
  isThere
    ? "gone: the socket of the second server is still there"
    : "fault: the shutdown of the first server removed the socket of the second",
);
Deno.exit();
