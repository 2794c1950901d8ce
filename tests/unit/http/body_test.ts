import process from "node:process";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { parseMediaType } from "../../../lib/bindings/media_type.ts";
import {
  type BodyContext,
  MAX_BODY_BYTES,
  MAX_CHUNKS,
  MAX_CHUNKS_AT_ONCE,
  readBody,
} from "../../../lib/http/body.ts";
import { BodyLimit, MAX_LONG_BODIES } from "../../../lib/http/body_limit.ts";
import { Fault, type FaultCode } from "../../../lib/operations/fault.ts";

/** Context of a request whose body is XML. */
function contextOf(request: Request, bodyLimit = new BodyLimit(), isTls?: boolean): BodyContext {
  return { request, mediaType: parseMediaType("text/xml"), parts: { bodyLimit, isTls } };
}

interface Body {
  readonly body: BodyInit;
  readonly headers?: Readonly<Record<string, string>>;
}

async function read(
  { body, headers = {} }: Body,
  timeoutMs?: number,
): Promise<string> {
  const request = new Request("http://localhost/", {
    method: "POST",
    body,
    headers: { "content-type": "text/xml", ...headers },
  });
  const mediaType = parseMediaType(request.headers.get("content-type"));
  const parts = { bodyLimit: new BodyLimit(timeoutMs), isTls: false };
  const bytes = await readBody({ request, mediaType, parts });
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

async function faultOf(body: Body, timeoutMs?: number): Promise<readonly [FaultCode, string]> {
  const fault = await assertRejects(() => read(body, timeoutMs), Fault);
  return [fault.code, fault.message];
}

/** A body in chunks, with whether its rest was cancelled. */
function chunks(
  sizes: Iterable<number>,
  end: "close" | "hang" | "break",
): {
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly state: { cancelled: boolean; pulled: number };
} {
  const state = { cancelled: false, pulled: 0 };
  const iterator = sizes[Symbol.iterator]();
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller): Promise<void> {
      const next = iterator.next();
      if (!next.done) {
        state.pulled += next.value;
        controller.enqueue(new Uint8Array(next.value).fill(0x61));
      } else if (end === "close") controller.close();
      else if (end === "break") controller.error(new Error("connection reset"));
      else await new Promise(() => {});
    },
    cancel(): void {
      state.cancelled = true;
    },
  }, { highWaterMark: 0 });
  return { stream, state };
}

Deno.test("readBody() accepts 65,536 bytes in chunks, and stops reading at one more", async () => {
  const most = await read({ body: chunks([60_000, MAX_BODY_BYTES - 60_000], "close").stream });
  assertEquals(most.length, MAX_BODY_BYTES);
  const more = chunks([60_000, MAX_BODY_BYTES - 60_000, 1, 1_000], "hang");
  assertEquals(await faultOf({ body: more.stream }), [
    "body-too-large",
    "The body is longer than 65536 bytes.",
  ]);
  assertEquals(more.state, { cancelled: false, pulled: MAX_BODY_BYTES + 1 });
});

Deno.test("readBody() counts the bytes it receives, not the declared length", async () => {
  const headers = { "content-length": "5" };
  const most = chunks([MAX_BODY_BYTES], "close").stream;
  assertEquals((await read({ body: most, headers })).length, MAX_BODY_BYTES);
  const body = chunks([MAX_BODY_BYTES, 1], "close").stream;
  assertEquals((await faultOf({ body, headers }))[0], "body-too-large");
});

Deno.test("readBody() reads an empty body", async () => {
  assertEquals(await read({ body: new Uint8Array() }), "");
  assertEquals(await read({ body: null as unknown as BodyInit }), "");
});

Deno.test("readBody() times out on a body that never arrives", async () => {
  for (const headers of [{}, { "content-length": "10" }]) {
    assertEquals(await faultOf({ body: chunks([3], "hang").stream, headers }, 20), [
      "timeout",
      "The body did not arrive within 0.02 seconds.",
    ]);
  }
});

for (const isTls of [false, true]) {
  const when = isTls ? "once the reply has had the time to arrive" : "at once";
  Deno.test(`readBody() cancels its reader of a late body ${when}`, async () => {
    for (const [, type] of KINDS) {
      const cancelled = Promise.withResolvers<void>();
      let isCancelled = false;
      const body = new ReadableStream({
        ...(type && { type }),
        pull: () => new Promise(() => {}),
        cancel: () => {
          isCancelled = true;
          cancelled.resolve();
        },
      } as UnderlyingSource);
      const request = new Request("http://localhost/", { method: "POST", body });
      const fault = await assertRejects(
        () => readBody(contextOf(request, new BodyLimit(20), isTls)),
        Fault,
      );
      assertEquals([fault.code, isCancelled], ["timeout", !isTls]);
      await cancelled.promise;
      await new Promise((resolve) => setTimeout(resolve, 0));
      assertEquals(request.body?.locked, false);
    }
  });
}

Deno.test("readBody() refuses a body that breaks off, or that another reader has", async () => {
  for (const headers of [{}, { "content-length": "10" }]) {
    assertEquals(await faultOf({ body: chunks([3], "break").stream, headers }), [
      "unreadable",
      "The body broke off.",
    ]);
    // Code in front of the handler reads it.
    const request = new Request("http://localhost/", { method: "POST", body: "a", headers });
    request.body!.getReader();
    await assertRejects(() => readBody(contextOf(request)), Fault, "The body broke off.");
  }
});

Deno.test("readBody() accepts another limit, for a declared length and for chunks", async () => {
  const request = (headers: Readonly<Record<string, string>>): Request =>
    new Request("http://localhost/", { method: "POST", body: "abcd", headers });
  for (const headers of [{}, { "content-length": "4" }]) {
    const context = (): BodyContext => contextOf(request(headers));
    assertEquals((await readBody(context(), 4)).length, 4);
    await assertRejects(
      () => readBody(context(), 3),
      Fault,
      "The body is longer than 3 bytes.",
    );
  }
});

Deno.test("readBody() refuses a long body when too many are being read, and a short one never", async () => {
  const limit = new BodyLimit(60_000);
  const post = async (
    body: BodyInit,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<number> => {
    const request = new Request("http://localhost/", { method: "POST", body, headers });
    return (await readBody(contextOf(request, limit, false))).length;
  };
  const ends: (() => void)[] = [];
  const long = Array.from({ length: MAX_LONG_BODIES }, () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    ends.push(resolve);
    return post(new ReadableStream({ pull: (stream) => promise.then(() => stream.close()) }));
  });
  const lengths: readonly Readonly<Record<string, string>>[] = [
    {},
    { "content-length": "4097" },
    { "content-length": "1", "transfer-encoding": "chunked" },
  ];
  for (const headers of lengths) {
    await assertRejects(
      () => post("a", headers),
      Fault,
      "No more than 256 long bodies are read at once.",
    );
  }
  for (const length of ["1", "4096"]) {
    assertEquals(await post("a", { "content-length": length }), 1);
  }
  ends.forEach((end) => end());
  await Promise.all(long);
  assertEquals(await post("a"), 1);
});

Deno.test("readBody() drops a body that does not arrive in time, and reads another in its place", async () => {
  const limit = new BodyLimit(1);
  for (let i = 0; i <= MAX_LONG_BODIES; i += 32) {
    await Promise.all(Array.from({ length: 32 }, () => {
      const init = { method: "POST", body: new ReadableStream() };
      const request = new Request("http://localhost/", init);
      return assertRejects(
        () => readBody(contextOf(request, limit, false)),
        Fault,
        "The body did not arrive within 0.001 seconds.",
      );
    }));
  }
});

// How bodies come: the platform's own streams, and those that fill a buffer of their reader.
const KINDS: readonly (readonly [string, "bytes" | undefined])[] = [
  ["a stream", undefined],
  ["a stream of bytes", "bytes"],
];

for (const [kind, type] of KINDS) {
  Deno.test(`readBody() keeps the order of ${kind} for every division into chunks`, async () => {
    const text = Array.from({ length: 9_000 }, (_, i) => String(i % 7_919)).join(" ");
    for (const size of [1_000, 16_384, 16_385, 40_000]) {
      const pieces = new TextEncoder().encode(text);
      let from = 0;
      const body = new ReadableStream({
        ...(type && { type }),
        pull: (controller: ReadableByteStreamController) => {
          controller.enqueue(pieces.slice(from, from += size));
          if (from >= pieces.length) {
            controller.close();
            controller.byobRequest?.respond(0);
          }
        },
      } as UnderlyingSource);
      assertEquals(await read({ body }) === text, true, `${size}`);
    }
  });
}

Deno.test("readBody() copies the bytes of a body in chunks of a byte four times at most", async () => {
  const { prototype } = Uint8Array;
  const { set } = prototype;
  let copied = 0;
  prototype.set = function (source: ArrayLike<number>, offset?: number): void {
    copied += source.length;
    set.call(this, source, offset);
  };
  const length = MAX_CHUNKS;
  try {
    const { stream } = chunks(new Array<number>(length).fill(1), "close");
    assertEquals((await read({ body: stream }, 60_000)).length, length);
  } finally {
    delete (prototype as Partial<typeof prototype>).set;
  }
  assert(copied >= length && copied <= 4 * length, `${copied}`);
});

Deno.test("readBody() refuses every coding of a body, in any case and place, and ignores all else", async () => {
  const codings =
    "aes128gcm br compress dcb dcz deflate exi gzip pack200-gzip x-compress x-gzip zstd";
  const withCoding = (value: string): Body => ({
    body: "a",
    headers: { "content-encoding": value },
  });
  for (const coding of codings.split(" ")) {
    const values = [
      coding,
      coding.toUpperCase(),
      `${coding};q=1`,
      `${coding} ; q="1"`,
      `"${coding}"`,
    ];
    for (const value of [...values, `utf-8 ,${coding}`, `${coding}, identity`]) {
      assertEquals((await faultOf(withCoding(value)))[0], "unsupported-media-type", value);
    }
  }
  for (
    const value of ["", "identity", "UTF-8", "text/xml; charset=gzip", "q=gzip", "gzip2", "a gzip"]
  ) {
    assertEquals(await read(withCoding(value)), "a", value);
  }
});

Deno.test("readBody() accepts 4,096 chunks and not one more, and leaves the rest to the runtime", async () => {
  const most = chunks(new Array<number>(MAX_CHUNKS).fill(16), "close");
  assertEquals((await read({ body: most.stream })).length, MAX_BODY_BYTES);
  const more = chunks(new Array<number>(MAX_CHUNKS + 1).fill(1), "hang");
  assertEquals(await faultOf({ body: more.stream }), [
    "body-too-large",
    "The body comes in more than 4096 chunks.",
  ]);
  assertEquals(more.state, { cancelled: false, pulled: MAX_CHUNKS + 1 });
});

Deno.test("readBody() accepts 64 chunks at once over TLS, or where it may be, and not one more, unless the length is declared", async () => {
  // The scheme of an absolute target is the caller's.
  const url = "http://localhost/";
  for (const isTls of [true, undefined]) {
    const readTls = async (
      sizes: Iterable<number>,
      headers: Readonly<Record<string, string>> = {},
    ): Promise<number> => {
      const { stream } = chunks(sizes, "close");
      const request = new Request(url, { method: "POST", body: stream, headers });
      return (await readBody(contextOf(request, new BodyLimit(), isTls))).length;
    };
    const most = new Array<number>(MAX_CHUNKS_AT_ONCE).fill(1);
    const more = [...most, 1];
    assertEquals(await readTls(most), MAX_CHUNKS_AT_ONCE);
    const fault = await assertRejects(() => readTls(more), Fault);
    assertEquals([fault.code, fault.message], [
      "body-too-large",
      "More than 64 chunks of the body come at once.",
    ]);
    assertEquals(await readTls(more, { "content-length": "5000" }), more.length);
  }
});

Deno.test("readBody() accepts more than 64 chunks over TLS where they come one after another", async () => {
  let left = 2 * MAX_CHUNKS_AT_ONCE;
  const body = new ReadableStream({
    async pull(controller): Promise<void> {
      await new Promise((resolve) => setTimeout(resolve, 0));
      if (left-- === 0) controller.close();
      else controller.enqueue(new Uint8Array(1));
    },
  }, { highWaterMark: 0 });
  const request = new Request("https://localhost/", { method: "POST", body });
  const bytes = await readBody(contextOf(request, new BodyLimit(), true));
  assertEquals(bytes.length, 2 * MAX_CHUNKS_AT_ONCE);
});

Deno.test("readBody() keeps its turn between the chunks of a body", async () => {
  let hadItsTurn = false;
  const timer = setTimeout(() => hadItsTurn = true, 0);
  const { stream } = chunks(new Array<number>(MAX_CHUNKS).fill(1), "close");
  assertEquals((await read({ body: stream }, 60_000)).length, MAX_CHUNKS);
  assertEquals(hadItsTurn, false);
  clearTimeout(timer);
});

Deno.test("readBody() gives up a body without a declared length while the memory grows by 64 MiB", async () => {
  const { rss } = process.memoryUsage;
  let bytes = 0;
  process.memoryUsage.rss = () => bytes;
  const lengths: readonly Readonly<Record<string, string>>[] = [
    {},
    { "content-length": "10", "transfer-encoding": "chunked" },
    { "content-length": "5000" },
  ];
  try {
    for (const headers of lengths) {
      const { stream, state } = chunks([3], "hang");
      const timer = setTimeout(() => bytes += 64 * 2 ** 20, 0);
      const isDeclared = headers["content-length"] === "5000";
      const [code, message] = await faultOf({ body: stream, headers }, isDeclared ? 20 : 60_000);
      assertEquals(code, isDeclared ? "timeout" : "busy");
      if (!isDeclared) {
        assertEquals(message, "The bodies that are being read take too much memory.");
      }
      assertEquals(state.cancelled, true);
      clearTimeout(timer);
    }
  } finally {
    process.memoryUsage.rss = rss;
  }
});

// Scheme, length of the body, whether it is too long, and size of the buffer.
const OFFERS = [
  [false, 3, false, 4_352],
  [false, MAX_BODY_BYTES + 1, true, 4_352],
  [true, 3, false, 135_168],
  [true, MAX_BODY_BYTES + 1, true, 135_168],
] as const;

Deno.test("readBody() offers a stream of bytes a buffer above the limits of the runtime, and lets go of it", async () => {
  for (const [isTls, length, isTooLong, bufferBytes] of OFFERS) {
    const offered = new Set<number | undefined>();
    let left: number = length;
    const body = new ReadableStream({
      type: "bytes",
      pull: (controller: ReadableByteStreamController) => {
        const { byobRequest } = controller;
        offered.add(byobRequest?.view?.byteLength);
        const size = Math.min(left, byobRequest?.view?.byteLength ?? 0);
        left -= size;
        if (size === 0) controller.close();
        byobRequest?.respond(size);
      },
    });
    const request = new Request("http://localhost/", { method: "POST", body });
    const outcome = readBody(contextOf(request, new BodyLimit(), isTls));
    if (isTooLong) await assertRejects(() => outcome, Fault);
    else assertEquals((await outcome).length, length);
    assertEquals([...offered], [bufferBytes]);
    // The runtime must be able to take the rest.
    assertEquals(request.body?.locked, false);
  }
});
