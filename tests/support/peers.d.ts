// The parts of npm packages that the QR tests and benchmarks compare against, or read pictures with.

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
