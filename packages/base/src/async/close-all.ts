/** Closes one after the other, the next ones also when one fails; then throws what the first that failed has thrown. */
export async function closeAll(...closers: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = []
  for (const close of closers) {
    try {
      await close()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
