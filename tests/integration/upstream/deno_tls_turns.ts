// deno-lint-ignore-file no-console
const folder = await Deno.makeTempDir();
const [keyFile, certFile] = [`${folder}/key.pem`, `${folder}/cert.pem`];
const bash = (script: string): Promise<Deno.CommandOutput> =>
  new Deno.Command("bash", { args: ["-c", script], stderr: "null", stdout: "null" }).output();
await bash(
  "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost " +
    `-keyout ${keyFile} -out ${certFile}`,
);
const [key, cert] = [Deno.readTextFileSync(keyFile), Deno.readTextFileSync(certFile)];
await Deno.remove(folder, { recursive: true });

const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, key, cert, onListen: () => {} },
  () => new Response("ok"),
);

// A timer of the server's thread, and the longest time that it has to wait.
let [last, longest] = [performance.now(), 0];
setInterval(() => {
  longest = Math.max(longest, performance.now() - last);
  last = performance.now();
}, 10);

// A body in chunks of one byte, for six seconds, by one client.
await bash(
  "(printf 'POST / HTTP/1.1\\r\\nHost: localhost\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n'; " +
    "yes $'1\\r\\na\\r') | " +
    `timeout 6 openssl s_client -quiet -connect 127.0.0.1:${server.addr.port}`,
);
await new Promise((resolve) => setTimeout(resolve, 100));
console.log(
  longest > 2_000
    ? `fault: no timer for ${Math.round(longest / 1_000)} seconds`
    : "gone: the timer has its turns",
);
Deno.exit();
