/**
 * What somebody who mistyped a name may have meant.
 *
 * @module
 */

/**
 * The known name that is nearest to what was typed: the shortest whose first words it is, or else
 * the one with the fewest changes; undefined when none is near: when more than a third of its
 * characters, or more than three, would have to change. Capital letters are as good as small ones.
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
 * How many characters must be put in, left out or replaced, or neighbours swapped, to make one text
 * of another.
 */
function editDistance(from: string, to: string): number {
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
