/**
 * Suggestions for misspelt names.
 *
 * @module
 */

/**
 * Finds the known name nearest to a typed one. That is the shortest name that begins with the typed
 * words; without one, the name at the least edit distance, ignoring case. The distance is at most
 * three, and at most a third of the characters.
 *
 * @returns undefined when no name is near.
 */
export function nearestOf(typed: string, known: Iterable<string>): string | undefined {
  const names = [...known];
  const longer = names.filter((name) => name.startsWith(`${typed}-`));
  let nearest = longer.sort((a, b) => a.length - b.length)[0];
  if (nearest !== undefined) return nearest;
  let fewest = Math.min(3, Math.floor(typed.length / 3)) + 1;
  for (const name of names) {
    const changes = editDistance(typed.toLowerCase(), name.toLowerCase());
    if (changes < fewest) [nearest, fewest] = [name, changes];
  }
  return nearest;
}

/**
 * Computes the edit distance between two texts: insertions, deletions, replacements, and swaps of
 * neighbours.
 */
export function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = rows[i - 1]![j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwapped = from[i - 2] === to[j - 1] && from[i - 1] === to[j - 2];
      const swapped = isSwapped ? rows[i - 2]![j - 2]! + 1 : Infinity;
      next.push(Math.min(replaced, swapped, rows[i - 1]![j]! + 1, next[j - 1]! + 1));
    }
    rows.push(next);
  }
  return rows[from.length]![to.length]!;
}
