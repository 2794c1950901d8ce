// deno-lint-ignore-file no-console
const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  () => new Response("ok"),
);
const connection = await Deno.connect({ hostname: "127.0.0.1", port: server.addr.port });
await connection.write(new TextEncoder().encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
await connection.write(new Uint8Array([0, 0, 0, 4, 0, 0, 0, 0, 0]));
const reply = new Uint8Array(1_024);
await connection.read(reply);
const speaksHttp2 = reply[3] === 4;

// The options of Deno.serve().
const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["types"] }).output();
const types = new TextDecoder().decode(stdout);
const names = [...types.matchAll(/interface Serve\w*Options\b.*?\{(.*?)^ {2}\}/gms)]
  .flatMap(([, members]) => [...members!.matchAll(/^ {4}(?:readonly )?(\w+)\??[:(]/gm)])
  .map(([, name]) => name!);
const switches = names.filter((name) => /alpn|http|h2|version/i.test(name));
console.log(
  speaksHttp2 && names.includes("onListen") && switches.length === 0
    ? "fault: HTTP/2 on a plain port, and no option to turn it off"
    : `gone: HTTP/2 is ${speaksHttp2 ? "spoken" : "not spoken"}; options: ${switches.join(", ")}`,
);
Deno.exit();
