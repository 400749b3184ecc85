/** Statements under way at once; the others gather behind them. */
const AT_ONCE = 2
const MOST_TOGETHER = 200

interface Asked<Value> {
  readonly key: string
  readonly resolve: (value: Value | undefined) => void
  readonly reject: (error: unknown) => void
}

/**
 * Reads of single things, asked together: at once when nothing is under way, else with all that came meanwhile. A read is never
 * answered by a statement that left before it was asked for.
 */
export function gatherReads<Value>(
  read: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): (key: string) => Promise<Value | undefined> {
  let underWay = 0
  const waiting: Asked<Value>[] = []
  const send = (): void => {
    while (underWay < AT_ONCE && waiting.length > 0) {
      const together = waiting.splice(0, MOST_TOGETHER)
      underWay += 1
      void read([...new Set(together.map(({ key }) => key))])
        .then(
          (found) => {
            for (const { key, resolve } of together) resolve(found.get(key))
          },
          (error: unknown) => {
            for (const { reject } of together) reject(error)
          },
        )
        .finally(() => {
          underWay -= 1
          send()
        })
    }
  }
  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      send()
    })
}
