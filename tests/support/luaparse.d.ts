// The parts of npm `luaparse` that the check of the store's scripts uses.

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
