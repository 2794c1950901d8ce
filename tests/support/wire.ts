/**
 * A connection to the program that can send any bytes.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { RunningProgram } from "./program.ts";

// Far above what any reply takes; it only keeps a test from hanging.
const PATIENCE_MS = 300_000;

/** A connection. */
export class Wire {
  private text = "";
  private ended = false;

  private constructor(private readonly connection: Deno.Conn) {}

  /** Connects to a program. */
  static async to(program: RunningProgram): Promise<Wire> {
    const { hostname, port } = new URL(program.url);
    return new Wire(await Deno.connect({ hostname, port: Number(port) }));
  }

  /**
   * Connects to a program and sends text at once: Bun closes a connection that is silent for ten
   * seconds, which can pass on a busy machine while others connect.
   */
  static async saying(program: RunningProgram, text: string): Promise<Wire> {
    const wire = await Wire.to(program);
    await wire.send(text);
    return wire;
  }

  /** Sends text, each character one byte; false once the other side takes no more. */
  async send(text: string): Promise<boolean> {
    const bytes = Buffer.from(text, "latin1");
    try {
      for (let sent = 0; sent < bytes.length;) {
        sent += await this.connection.write(bytes.subarray(sent));
      }
      return true;
    } catch {
      return false;
    }
  }

  /** Receives until the text is complete, or the other side closes. */
  async receive(until: (text: string) => boolean): Promise<string> {
    const timer = setTimeout(() => this.close(), PATIENCE_MS);
    while (!this.ended && !until(this.text)) this.ended = !await this.more();
    clearTimeout(timer);
    return this.text;
  }

  /** Waits until the other side closes. */
  async isClosed(): Promise<boolean> {
    await this.receive(() => false);
    return this.ended;
  }

  /** Closes it. */
  close(): void {
    try {
      this.connection.close();
    } catch {
      // It was closed before.
    }
  }

  private async more(): Promise<boolean> {
    const buffer = new Uint8Array(65_536);
    try {
      const length = await this.connection.read(buffer);
      if (length === null) return false;
      this.text += Buffer.from(buffer.subarray(0, length)).toString("latin1");
      return true;
    } catch {
      // A reset is a way to close as well.
      return false;
    }
  }
}

/** Whether the head of the final reply is there in whole, which may come in pieces. */
export function hasHead(received: string): boolean {
  return /^HTTP\/1\.[01] (?!100 )\d{3} [^]*?\r\n\r\n/m.test(received);
}

/** The status of the final reply in what was received; `closed` when there is none. */
export function statusIn(received: string): string {
  const statuses = [...received.matchAll(/^HTTP\/1\.[01] (\d{3}) /gm)].map(([, status]) => status!);
  return statuses.find((status) => status !== "100") ?? "closed";
}
