// deno-lint-ignore-file no-console
const stopper = new AbortController();
const begun = Promise.withResolvers<void>();
const options = { hostname: "127.0.0.1", port: 0, onListen: () => {}, signal: stopper.signal };
const server = Deno.serve(options, () => {
  begun.resolve();
  return new Promise<Response>(() => {});
});

// A request that is not answered, for which the shutdown waits.
const connection = await Deno.connect({ hostname: "127.0.0.1", port: server.addr.port });
await connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
await begun.promise;
void server.shutdown();

const end = (line: string): void => {
  console.log(line);
  Deno.exit();
};
addEventListener("error", (event) => {
  event.preventDefault();
  end(`fault: an error outside of any catch: ${event.error.message}`);
});
try {
  stopper.abort();
} catch (error) {
  end(`gone: abort() throws: ${error}`);
}
await new Promise((resolve) => setTimeout(resolve, 2_000));
end("gone: no error");
