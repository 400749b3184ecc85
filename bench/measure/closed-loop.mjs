/** However slow it is, a round ends. */
const LONGEST_MS = 15_000

/**
 * `callers` that each ask for the next piece of work when the last one is done. Only what ends inside the window counts
 * towards the rate: the ramp fills the pipes, the tail empties them, and neither says how fast the engine is. The window
 * opens when the ramp is over and as many pieces are done as there are callers, and stays open until that many more are:
 * a slow engine is measured for longer, not worse. `total` is all that was done, for figures per piece such as bytes of WAL.
 */
export async function closedLoop({ callers, rampMs, windowMs, once }) {
  const startedAt = performance.now()
  let opensAt
  let closedAt
  let total = 0
  let counted = 0
  const isOpen = () => {
    const now = performance.now()
    if (closedAt !== undefined) return false
    const isOver = opensAt !== undefined && now - opensAt >= windowMs && counted >= callers
    if (isOver || now - startedAt >= rampMs + windowMs + LONGEST_MS) closedAt = now
    return closedAt === undefined
  }
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (isOpen()) {
        await once(total)
        total += 1
        if (closedAt !== undefined) continue
        if (opensAt !== undefined) counted += 1
        else if (total >= callers && performance.now() - startedAt >= rampMs) opensAt = performance.now()
      }
    }),
  )
  const seconds = (closedAt - (opensAt ?? startedAt)) / 1000
  return { perSecond: (opensAt === undefined ? total : counted) / seconds, total }
}

/** The same work one piece at a time: how long each took, in milliseconds. */
export async function oneAtATime(count, once) {
  const tookMs = []
  for (let index = 0; index < count; index += 1) {
    const from = performance.now()
    await once(index)
    tookMs.push(performance.now() - from)
  }
  return tookMs
}
