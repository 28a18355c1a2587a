/** Lines with padded columns, except the last one. Control characters are removed. Pure. */
export function formatColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const clean = rows.map((row) => row.map(printable));
  const widths: number[] = [];
  for (const row of clean) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  }
  return clean.map((row) =>
    row
      .map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}

/** Untrusted text on one line of a terminal, without control characters. Pure. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ");
}
