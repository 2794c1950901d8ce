/**
 * The server within the memory that its systemd unit allows, while callers take as much of it as
 * they can.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { MAX_BODY_BYTES } from "../../../lib/http/body.ts";
import { eventually } from "../../support/eventually.ts";
import { descriptorCount, peakResidentBytes } from "../../support/process.ts";
import { statusIn, Wire } from "../../support/http.ts";
import { type FaultedServer, withFaultedServer } from "../../support/faulted_server.ts";

const UNIT = new URL("../../../deploy/authenticator.service", import.meta.url);
const CALLERS = 400;
const SECRETS = 20_000;
const BATCH = 100;

function allowedBytes(): number {
  return Number(/^MemoryMax=(\d+)M$/m.exec(Deno.readTextFileSync(UNIT))![1]) * 2 ** 20;
}

function post(path: string, type: string, length: number): string {
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n` +
    `Content-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;
}

// As many elements with as many attributes as fit.
function costlyEnvelope(): string {
  const start = '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>';
  const attributes = Array.from({ length: 60 }, (_, i) => `a${i}=''`).join(" ");
  const row = `<b ${attributes}/>`;
  return start + row.repeat(Math.floor((MAX_BODY_BYTES - start.length) / row.length));
}

async function together({ program }: FaultedServer, text: string): Promise<Wire[]> {
  const wires: Wire[] = [];
  while (wires.length < CALLERS) {
    wires.push(
      ...await Promise.all(Array.from({ length: BATCH }, () => Wire.saying(program.url, text))),
    );
  }
  return wires;
}

async function takeMuch(server: FaultedServer): Promise<void> {
  const envelope = costlyEnvelope();
  const costly = await together(
    server,
    post("/api.asmx", "text/xml; charset=utf-8", envelope.length) + envelope,
  );
  await answered(costly);
  const form = post("/api.asmx/ValidatePin", "application/x-www-form-urlencoded", MAX_BODY_BYTES);
  const almost = await together(server, form + "a".repeat(MAX_BODY_BYTES - 1));
  await server.assertHealthy();
  await answered(almost);
}

async function answered(wires: readonly Wire[]): Promise<void> {
  await Promise.all(wires.map(async (wire) => {
    const received = await wire.receive((text) => statusIn(text) !== "closed");
    wire.close();
    assert(["408", "500", "503"].includes(statusIn(received)), statusIn(received));
  }));
}

// A wrong pin for each, which the guard remembers.
async function failForMany(server: FaultedServer): Promise<void> {
  const wire = await Wire.to(server.program.url);
  for (let sent = 0; sent < SECRETS; sent += BATCH) {
    const requests = Array.from(
      { length: BATCH },
      (_, i) =>
        `GET /Validate.aspx?Pin=1&SecretCode=${sent + i} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    );
    await wire.send(requests.join(""));
    await wire.receive((text) => text.split("\r\n\r\nFalse").length > sent + BATCH);
  }
  wire.close();
}

Deno.test("the memory limit of the systemd unit suffices for hostile callers", async () => {
  await withFaultedServer({}, async (server) => {
    const { pid } = server.program;
    const before = descriptorCount(pid);
    for (let round = 0; round < 2; round++) await takeMuch(server);
    await failForMany(server);
    await server.assertHealthy();
    await eventually(() => descriptorCount(pid) <= before + 2, "descriptors come back");
    const peak = peakResidentBytes(pid);
    assert(peak < allowedBytes(), `it took ${peak} bytes`);
  });
});
