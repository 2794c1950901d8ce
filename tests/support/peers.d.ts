// The parts of npm packages without types that tests and benchmarks compare against, or read with.

declare module "pngjs" {
  export class PNG {
    static readonly sync: {
      read(bytes: Uint8Array): {
        readonly width: number;
        readonly height: number;
        readonly depth: number;
        readonly colorType: number;
        readonly interlace: boolean;
        /** Red, green, blue and opacity of each pixel. */
        readonly data: Uint8Array<ArrayBuffer>;
      };
    };
  }
}

declare module "qrcode" {
  interface Segment {
    readonly data: string | Uint8Array;
    readonly mode: "numeric" | "alphanumeric" | "byte";
  }
  interface Symbol {
    readonly version: number;
    readonly maskPattern: number;
    readonly modules: { readonly size: number; readonly data: Uint8Array };
  }
  interface Options {
    readonly version?: number;
    readonly errorCorrectionLevel?: "L" | "M" | "Q" | "H";
    readonly maskPattern?: number;
  }
  const qrcode: { create(data: string | readonly Segment[], options?: Options): Symbol };
  export default qrcode;
}

declare module "jsqr" {
  interface Decoded {
    readonly data: string;
    readonly binaryData: readonly number[];
    readonly version: number;
    readonly chunks: readonly { readonly type: string; readonly assignmentNumber?: number }[];
  }
  const jsqr: {
    default(pixels: Uint8ClampedArray, width: number, height: number): Decoded | null;
  };
  export default jsqr;
}

declare module "luaparse" {
  interface Global {
    readonly name: string;
    readonly loc: { readonly start: { readonly line: number } };
  }
  interface Options {
    readonly luaVersion: "5.1";
    readonly scope: boolean;
    readonly locations: boolean;
  }
  const luaparse: {
    parse(script: string, options: Options): { readonly globals: readonly Global[] };
  };
  export default luaparse;
}
