// The parts of npm `luaparse` that the check of the store's scripts and their mutants use.

declare module "luaparse" {
  interface Global {
    readonly name: string;
    readonly loc: { readonly start: { readonly line: number } };
  }
  interface Options {
    readonly luaVersion: "5.1";
    readonly scope?: boolean;
    readonly locations: boolean;
    readonly ranges?: boolean;
    readonly onCreateNode?: (node: Node) => void;
  }
  interface Node {
    readonly type: string;
    readonly range: readonly [start: number, end: number];
    readonly loc: { readonly start: { readonly line: number } };
    readonly operator?: string;
    readonly value?: unknown;
    readonly left?: Node;
    readonly right?: Node;
    readonly argument?: Node;
    readonly condition?: Node;
  }
  const luaparse: {
    parse(script: string, options: Options): { readonly globals: readonly Global[] };
  };
  export default luaparse;
}
