// deno-lint-ignore-file no-console
const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  () => new Response(),
);
const ended = server.finished.then(() => "fulfilled", ({ message }) => `rejected: ${message}`);

// Takes all file descriptors but the one for the client's end of a connection.
const files: Deno.FsFile[] = [];
try {
  while (true) files.push(Deno.openSync("/dev/null"));
} catch {
  files.pop()!.close();
}
await Deno.connect({ hostname: "127.0.0.1", port: server.addr.port }).catch(() => {});
const goesOn = new Promise<undefined>((resolve) => setTimeout(resolve, 5_000, undefined));
const end = await Promise.race([ended, goesOn]);
files.forEach((file) => file.close());
console.log(
  end === undefined
    ? "gone: the server goes on after an accept that failed"
    : `fault: the server ends after an accept that failed (finished is ${end})`,
);
Deno.exit();
