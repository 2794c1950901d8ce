// The types of the few functions of the Deno standard library that this project uses. The npm
// package that `import_map.json` maps `@std/` to ships none; with the map pointed at `jsr:` this
// file is not needed.

declare module "@std/encoding/base32" {
  export function encodeBase32(data: Uint8Array): string;
  export function decodeBase32(b32: string): Uint8Array<ArrayBuffer>;
}

declare module "@std/http/etag" {
  export function eTag(entity: string): Promise<string>;
}

declare module "@std/assert/equals" {
  export function assertEquals<T>(actual: T, expected: T, message?: string): void;
}

declare module "@std/assert/match" {
  export function assertMatch(actual: string, expected: RegExp, message?: string): void;
}

declare module "@std/assert/rejects" {
  export function assertRejects<E extends Error>(
    action: () => PromiseLike<unknown>,
    errorClass: new (...args: never[]) => E,
    messageIncludes?: string,
  ): Promise<E>;
}

declare module "@std/assert/throws" {
  export function assertThrows<E extends Error>(
    action: () => unknown,
    errorClass: new (...args: never[]) => E,
    messageIncludes?: string,
  ): E;
}

declare module "@std/yaml/parse" {
  export function parse(content: string): unknown;
  export function parseAll(content: string): unknown;
}
