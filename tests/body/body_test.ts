import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { parseMediaType } from "../../lib/binding/media_type.ts";
import { MAX_BODY_BYTES, readBody } from "../../lib/body/body.ts";
import { BodyTurns, MAX_BODIES } from "../../lib/body/body_turns.ts";
import { Fault, type FaultCode } from "../../lib/service/fault.ts";

const RULES = { mediaTypes: ["text/xml"], timeoutMs: 1_000, turns: new BodyTurns() };

interface Body {
  readonly body: BodyInit;
  readonly headers?: Readonly<Record<string, string>>;
}

function read({ body, headers = {} }: Body, timeoutMs = RULES.timeoutMs): Promise<string> {
  const request = new Request("http://localhost/", {
    method: "POST",
    body,
    headers: { "content-type": "text/xml", ...headers },
  });
  const mediaType = parseMediaType(request.headers.get("content-type"));
  return readBody(request, mediaType, { ...RULES, timeoutMs });
}

async function faultOf(body: Body, timeoutMs?: number): Promise<readonly [FaultCode, string]> {
  const fault = await assertRejects(() => read(body, timeoutMs), Fault);
  return [fault.code, fault.message];
}

/** A body that arrives in chunks, and that tells whether its rest was refused. */
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

function* endless(): Generator<number> {
  for (;;) yield 1_000;
}

Deno.test("readBody() takes 65,536 bytes in chunks and not one more", async () => {
  const most = await read({ body: chunks([60_000, MAX_BODY_BYTES - 60_000], "close").stream });
  assertEquals(most.length, MAX_BODY_BYTES);
  const more = chunks([60_000, MAX_BODY_BYTES - 60_000, 1], "close");
  assertEquals(await faultOf({ body: more.stream }), [
    "body-too-large",
    "The body is longer than 65536 bytes.",
  ]);
});

Deno.test("readBody() stops reading an endless body at the limit, and leaves the rest", async () => {
  const { stream, state } = chunks(endless(), "hang");
  assertEquals((await faultOf({ body: stream }))[0], "body-too-large");
  assertEquals(state, { cancelled: false, pulled: 66_000 });
});

Deno.test("readBody() answers a declared length over the limit without waiting for a byte", async () => {
  const { stream, state } = chunks([], "hang");
  const headers = { "content-length": String(MAX_BODY_BYTES + 1) };
  assertEquals((await faultOf({ body: stream, headers }))[0], "body-too-large");
  assertEquals(state.pulled, 0);
});

Deno.test("readBody() takes a declared length at the limit", async () => {
  const headers = { "content-length": String(MAX_BODY_BYTES) };
  assertEquals((await read({ body: "a".repeat(MAX_BODY_BYTES), headers })).length, MAX_BODY_BYTES);
});

Deno.test("readBody() counts what comes, whatever length was declared", async () => {
  const headers = { "content-length": "5" };
  const most = chunks([MAX_BODY_BYTES], "close").stream;
  assertEquals((await read({ body: most, headers })).length, MAX_BODY_BYTES);
  const body = chunks([MAX_BODY_BYTES, 1], "close").stream;
  assertEquals((await faultOf({ body, headers }))[0], "body-too-large");
});

Deno.test("readBody() gives up on a body that does not come", async () => {
  for (const headers of [{}, { "content-length": "10" }]) {
    assertEquals(await faultOf({ body: chunks([3], "hang").stream, headers }, 20), [
      "timeout",
      "The body did not arrive within 0.02 seconds.",
    ]);
  }
});

Deno.test("readBody() refuses a body that breaks off", async () => {
  for (const headers of [{}, { "content-length": "10" }]) {
    assertEquals(await faultOf({ body: chunks([3], "break").stream, headers }), [
      "unreadable",
      "The body broke off.",
    ]);
  }
});

Deno.test("readBody() takes one byte order mark off and no second one", async () => {
  assertEquals(await read({ body: "\uFEFF<a/>" }), "<a/>");
  assertEquals(await read({ body: "\uFEFF\uFEFF<a/>" }), "\uFEFF<a/>");
});

// Bytes, and the place of the first one that is not UTF-8.
const NOT_UTF_8: readonly (readonly [string, readonly number[], string])[] = [
  ["a lone continuation byte", [0x61, 0x80], "line 1, column 2"],
  ["an overlong form", [0x0a, 0xc0, 0xaf], "line 2, column 1"],
  ["a surrogate", [0x61, 0x0d, 0x0a, 0x62, 0xed, 0xa0, 0x80], "line 2, column 2"],
  ["a code point over U+10FFFF", [0xf4, 0x90, 0x80, 0x80], "line 1, column 1"],
  ["ISO-8859-1", [0xf0, 0x9f, 0x94, 0x91, 0xe9, 0x20], "line 1, column 2"],
  ["a character cut off at the end", [0x61, 0x62, 0xe2, 0x82], "line 1, column 3"],
  ["UTF-16", [0xff, 0xfe, 0x3c, 0x00], "line 1, column 1"],
  ["a bad byte after a CR alone", [0x61, 0x0d, 0x62, 0x80], "line 2, column 2"],
  ["a bad byte after a LF alone", [0x61, 0x0a, 0x62, 0x80], "line 2, column 2"],
  ["a bad byte after two line ends", [0x0d, 0x0a, 0x0a, 0x80], "line 3, column 1"],
];

for (const [what, bytes, place] of NOT_UTF_8) {
  Deno.test(`readBody() refuses ${what} and says where`, async () => {
    assertEquals(await faultOf({ body: new Uint8Array(bytes) }), [
      "unreadable",
      `The body is not UTF-8 (${place}).`,
    ]);
  });
}

Deno.test("readBody() takes a charset that is said twice, and no two", async () => {
  for (const charset of ["utf-8; charset=UTF-8", '"utf8"; charset=utf-8']) {
    const headers = { "content-type": `text/xml; charset=${charset}` };
    assertEquals(await read({ body: "a", headers }), "a");
  }
  for (const charset of ["utf-8; charset=latin1", "latin1; charset=utf-8", "; charset="]) {
    const headers = { "content-type": `text/xml; charset=${charset}` };
    assertEquals(await faultOf({ body: "a", headers }), [
      "unsupported-media-type",
      "The charset of the Content-Type must be utf-8.",
    ]);
  }
});

Deno.test("readBody() refuses any other media type, and names those that are allowed", async () => {
  const request = new Request("http://localhost/", { method: "POST", body: "a" });
  const rules = { ...RULES, mediaTypes: ["text/xml", "application/json"] };
  const fault = await assertRejects(
    () => readBody(request, parseMediaType("text/plain"), rules),
    Fault,
    "The Content-Type must be text/xml or application/json.",
  );
  assertEquals(fault.code, "unsupported-media-type");
});

Deno.test("readBody() takes a content coding of none, in either case, and no other", async () => {
  for (const coding of ["identity", "Identity", ""]) {
    assertEquals(await read({ body: "a", headers: { "content-encoding": coding } }), "a");
  }
  assertEquals(await faultOf({ body: "a", headers: { "content-encoding": "gzip" } }), [
    "unsupported-media-type",
    "The Content-Encoding must be identity.",
  ]);
});

Deno.test("readBody() lets a short body pass long ones that take their time", async () => {
  const turns = new BodyTurns();
  const post = (
    body: BodyInit,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<string> => {
    const request = new Request("http://localhost/", { method: "POST", body, headers });
    return readBody(request, parseMediaType("text/xml"), { ...RULES, timeoutMs: 60_000, turns });
  };
  const ends: (() => void)[] = [];
  const long = Array.from({ length: MAX_BODIES }, () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    ends.push(resolve);
    return post(new ReadableStream({ pull: (stream) => promise.then(() => stream.close()) }));
  });
  // A long one waits for the turn of another, and so does one that says nothing of its length.
  const order: string[] = [];
  const lengths: readonly Readonly<Record<string, string>>[] = [
    {},
    { "content-length": "4097" },
    { "content-length": "1", "transfer-encoding": "chunked" },
  ];
  const waiting = lengths.map((headers) => post("a", headers).then(() => order.push("long")));
  for (const length of ["1", "4096"]) {
    assertEquals(await post("a", { "content-length": length }), "a");
  }
  order.push("short");
  ends.forEach((end) => end());
  await Promise.all([...long, ...waiting]);
  assertEquals(order, ["short", "long", "long", "long"]);
});

// How bodies come: the platform's own streams, and those that fill a buffer of their reader.
const KINDS: readonly (readonly [string, "bytes" | undefined])[] = [
  ["a stream", undefined],
  ["a stream of bytes", "bytes"],
];

for (const [kind, type] of KINDS) {
  Deno.test(`readBody() keeps the order of ${kind}, whatever its chunks are`, async () => {
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

Deno.test("readBody() lets others have their turn between the pieces of a body in crumbs", async () => {
  let hadItsTurn = false;
  setTimeout(() => hadItsTurn = true, 0);
  const { stream } = chunks(new Array<number>(1_000).fill(1), "close");
  assertEquals((await read({ body: stream }, 60_000)).length, 1_000);
  assertEquals(hadItsTurn, true);
});

Deno.test("readBody() reads an empty body", async () => {
  assertEquals(await read({ body: new Uint8Array() }), "");
  assertEquals(await read({ body: null as unknown as BodyInit }), "");
});

Deno.test("readBody() offers a stream of bytes a small buffer, and lets go of it", async () => {
  for (const [length, isTooLong] of [[3, false], [MAX_BODY_BYTES + 1, true]] as const) {
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
    const outcome = readBody(request, parseMediaType("text/xml"), RULES);
    if (isTooLong) await assertRejects(() => outcome, Fault);
    else assertEquals((await outcome).length, length);
    assertEquals([...offered], [4_096]);
    // The runtime must be able to take the rest.
    assertEquals(request.body?.locked, false);
  }
});
