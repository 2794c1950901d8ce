/**
 * Small mistakes in sources: those of Stryker's instrumenter in TypeScript, the like in Lua, and a
 * draw of them by lines.
 *
 * @module
 */

/// <reference types="./luaparse.d.ts" />

import { Instrumenter, type InstrumenterOptions } from "@stryker-mutator/instrumenter";
import luaparse from "luaparse";
import { createHash } from "node:crypto";

/** One small mistake. */
export interface Mutant {
  /** The source, from the root of the project. */
  readonly file: string;
  /** Line, from 1. */
  readonly line: number;
  /** Offset of the original text in its file. */
  readonly at: number;
  /** The text that is replaced. */
  readonly original: string;
  /** The mistake. */
  readonly replacement: string;
}

const OPTIONS: InstrumenterOptions = {
  plugins: null,
  excludedMutations: [],
  ignorers: [],
  noHeader: false,
};
const LOGGER = {
  isDebugEnabled: () => false,
  debug: () => {},
  info: () => {},
  warn: () => {},
} as unknown as ConstructorParameters<typeof Instrumenter>[0];

/** Lists all mistakes in sources, given as texts by their file. */
export async function mutantsOf(
  texts: ReadonlyMap<string, string>,
): Promise<readonly Mutant[]> {
  const scripts = [...texts].filter(([file]) => file.endsWith(".lua"));
  const sources = [...texts].filter(([file]) => !file.endsWith(".lua"))
    .map(([name, content]) => ({ name, content, mutate: true }));
  const { mutants } = await new Instrumenter(LOGGER).instrument(sources, OPTIONS);
  const ofSources = mutants.map(({ fileName: file, replacement, location: { start, end } }) => {
    const text = texts.get(file)!;
    const at = offsetOf(text, start);
    const original = text.slice(at, offsetOf(text, end));
    return { file, line: start.line + 1, at, original, replacement };
  });
  return [...ofSources, ...scripts.flatMap(([file, text]) => luaMutants(file, text))];
}

function offsetOf(text: string, { line, column }: { line: number; column: number }): number {
  let start = 0;
  for (let i = 0; i < line; i++) start = text.indexOf("\n", start) + 1;
  return start + column;
}

/** Operators of Lua, and the mistaken ones in their place. */
const LUA_OPERATORS: Readonly<Record<string, readonly string[]>> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "==": ["~="],
  "~=": ["=="],
  "and": ["or"],
  "or": ["and"],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "^": ["*"],
};

function luaMutants(file: string, text: string): readonly Mutant[] {
  const mutants: Mutant[] = [];
  const add = (at: number, end: number, ...replacements: readonly string[]): void => {
    const line = text.slice(0, at).split("\n").length;
    const original = text.slice(at, end);
    for (const replacement of replacements) mutants.push({ file, line, at, original, replacement });
  };
  luaparse.parse(text, {
    luaVersion: "5.1",
    locations: true,
    ranges: true,
    onCreateNode: ({ type, range: [start, end], operator, value, ...node }) => {
      if (operator !== undefined && node.left && node.right) {
        // Nothing but blanks and brackets is around the operator.
        const at = text.indexOf(operator, node.left.range[1]);
        add(at, at + operator.length, ...LUA_OPERATORS[operator] ?? []);
      } else if (operator === "not") add(start, node.argument!.range[0], "");
      else if (type === "NumericLiteral") add(start, end, String(Number(value) + 1));
      else if (type === "BooleanLiteral") {
        add(start, end, String(text.slice(start, end) !== "true"));
      } else if (type === "StringLiteral") add(start, end, end - start > 2 ? "''" : "'?'");
      else if (type === "CallStatement" || type === "AssignmentStatement") add(start, end, "");
      else if (type === "IfClause" || type === "ElseifClause") {
        add(...node.condition!.range, "true", "false");
      }
    },
  });
  return mutants;
}

/**
 * Draws mistakes by lines: each line that can have one is as likely as any other, and has one of its
 * mistakes, in an order that the seed alone decides.
 */
export function drawByLines(
  mutants: readonly Mutant[],
  size: number,
  seed: string,
): readonly Mutant[] {
  const rank = (...words: readonly unknown[]): string =>
    createHash("sha256").update([seed, ...words].join("\0")).digest("hex");
  const lines = Map.groupBy(mutants, ({ file, line }) => `${file}:${line}`);
  return [...lines].map(([line, each]) => ({ each, key: rank(line) }))
    .sort((one, other) => one.key < other.key ? -1 : 1)
    .slice(0, size)
    .map(({ each }) =>
      each.toSorted((one, other) => {
        const keyOf = ({ at, replacement }: Mutant): string => rank(at, replacement);
        return keyOf(one) < keyOf(other) ? -1 : 1;
      })[0]!
    );
}
