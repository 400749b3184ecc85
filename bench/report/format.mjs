/** Three digits that matter, thousands apart: 12,345 · 123 · 12.3 · 1.23 · 0.123. */
export function digits(value) {
  if (value === undefined || !Number.isFinite(value)) return '–'
  const size = Math.abs(value)
  if (size >= 100) return Math.round(value).toLocaleString('en-US')
  return value.toFixed(size >= 10 ? 1 : size >= 1 ? 2 : 3)
}

/** Columns as wide as their longest cell; the first one left, the others as `align` says ('l' or 'r' per column). */
export function table(header, rows, align) {
  const all = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column].length)))
  const line = (row) =>
    row
      .map((cell, column) => (align[column] === 'r' ? cell.padStart(widths[column]) : cell.padEnd(widths[column])))
      .join('  ')
      .trimEnd()
  return [line(header), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)].join('\n')
}
