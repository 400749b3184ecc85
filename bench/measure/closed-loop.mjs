/**
 * `callers` that each ask for the next piece of work when the last one is done. Only what ends inside the window counts
 * towards the rate: the ramp fills the pipes, the tail empties them, and neither says how fast the engine is.
 * `total` is everything that was done, for figures per piece such as bytes of WAL.
 */
export async function closedLoop({ callers, rampMs, windowMs, once }) {
  const opensAt = performance.now() + rampMs
  const closesAt = opensAt + windowMs
  let total = 0
  let counted = 0
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() < closesAt) {
        await once(total)
        total += 1
        const now = performance.now()
        if (now >= opensAt && now < closesAt) counted += 1
      }
    }),
  )
  return { perSecond: counted / (windowMs / 1000), total }
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
