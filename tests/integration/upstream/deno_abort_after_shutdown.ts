// deno-lint-ignore-file no-console
const stopper = new AbortController();
const options = { hostname: "127.0.0.1", port: 0, onListen: () => {}, signal: stopper.signal };
const server = Deno.serve(options, () => new Response("ok"));
await server.shutdown();
const end = (line: string): void => {
  console.log(line);
  Deno.exit();
};
for (const type of ["error", "unhandledrejection"]) {
  addEventListener(type, (event) => {
    event.preventDefault();
    const { message } = (event as ErrorEvent).error ?? (event as PromiseRejectionEvent).reason;
    end(`fault: ${type}, outside of any catch: ${message}`);
  });
}
try {
  stopper.abort();
} catch (error) {
  end(`gone: abort() throws: ${error}`);
}
await new Promise((resolve) => setTimeout(resolve, 500));
end("gone: no error");
