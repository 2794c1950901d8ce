// deno-lint-ignore-file no-console
import process from "node:process";

const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("ok") });
const url = `http://127.0.0.1:${server.port}/`;
const [get, head] = await Promise.all([fetch(url), fetch(url, { method: "HEAD" })]);
const hasDate = (reply: Response): string => reply.headers.has("date") ? "a Date" : "no Date";
console.log(
  `${hasDate(head) === "no Date" ? "fault" : "gone"}: GET has ${hasDate(get)}, ` +
    `HEAD has ${hasDate(head)}`,
);
process.exit();
