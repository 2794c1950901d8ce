/**
 * The penalty rules of ISO/IEC 18004:2015 clause 7.8.3.1 once more, module by module and line by
 * line, to compare with: nothing here is shared with the encoder.
 */

/** Whether the module in column x and row y is dark. */
export type Modules = (x: number, y: number) => boolean;

/** The points of each rule for a symbol of `size` modules. */
export function naivePenalty(
  modules: Modules,
  size: number,
): { readonly n1: number; readonly n2: number; readonly n3: number; readonly n4: number } {
  let n1 = 0;
  let n3 = 0;
  for (let i = 0; i < size; i++) {
    const row = Array.from({ length: size }, (_, j) => modules(j, i));
    const column = Array.from({ length: size }, (_, j) => modules(i, j));
    for (const line of [row, column]) {
      n1 += runPoints(line);
      n3 += 40 * finderLikePatterns(line);
    }
  }
  let blocks = 0;
  let dark = 0;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const colour = modules(x, y);
      if (colour) dark++;
      if (x + 1 === size || y + 1 === size) continue;
      const others = [modules(x + 1, y), modules(x, y + 1), modules(x + 1, y + 1)];
      if (others.every((other) => other === colour)) blocks++;
    }
  }
  return { n1, n2: 3 * blocks, n3, n4: 10 * steps(dark, size * size) };
}

/** The sum of the points of all rules. */
export function naivePoints(modules: Modules, size: number): number {
  const { n1, n2, n3, n4 } = naivePenalty(modules, size);
  return n1 + n2 + n3 + n4;
}

/** The lengths of the runs of a line, and whether each is dark. */
function runsOf(line: readonly boolean[]): { readonly dark: boolean; readonly length: number }[] {
  const runs: { dark: boolean; length: number }[] = [];
  for (const dark of line) {
    const last = runs.at(-1);
    if (last?.dark === dark) last.length++;
    else runs.push({ dark, length: 1 });
  }
  return runs;
}

function runPoints(line: readonly boolean[]): number {
  let points = 0;
  for (const { length } of runsOf(line)) if (length >= 5) points += 3 + (length - 5);
  return points;
}

/** Dark runs of 1, 1 and 3 in 1:1:3:1:1 with a light run of 4 or more before or after. */
function finderLikePatterns(line: readonly boolean[]): number {
  const quietZone = [false, false, false, false];
  const runs = runsOf([...quietZone, ...line, ...quietZone]);
  let count = 0;
  for (let i = 1; i + 5 < runs.length; i++) {
    const pattern = runs.slice(i, i + 5);
    if (!pattern[0]!.dark || pattern.map(({ length }) => length).join() !== "1,1,3,1,1") continue;
    if (runs[i - 1]!.length >= 4 || runs[i + 5]!.length >= 4) count++;
  }
  return count;
}

/** k, where the percentage of dark modules lies from 50 ± 5 k up to 50 ± 5 (k + 1). */
function steps(dark: number, modules: number): number {
  let k = 0;
  while (Math.abs(100 * dark - 50 * modules) >= 5 * (k + 1) * modules) k++;
  return k;
}
