/** What did not go as planned lately; `undefined`: all of it did. */
export function missedText(
  lately: { readonly late: number; readonly skipped: number } | undefined,
): string | undefined {
  const { late = 0, skipped = 0 } = lately ?? {}
  const parts = [...(late > 0 ? [`${late} late`] : []), ...(skipped > 0 ? [`${skipped} skipped`] : [])]
  return parts.length === 0 ? undefined : parts.join(', ')
}
