/**
 * So many waiters of one process that take one lock in turn with those of other processes, hold it for a moment and ask again at once.
 * Answers when each got it and began to give it back, on the machine's wall clock with fractions, which all processes share.
 */
export async function contend({ waiters, holdMs, seconds, acquire }) {
  const until = performance.now() + seconds * 1000
  const now = () => performance.timeOrigin + performance.now()
  const turns = []
  await Promise.all(
    Array.from({ length: waiters }, async (_, waiter) => {
      while (performance.now() < until) {
        const release = await acquire(waiter)
        const gotAt = now()
        await hold(holdMs)
        const freedAt = now()
        turns.push({ waiter, gotAt, freedAt })
        await release()
      }
    }),
  )
  return turns
}

/** Timers are whole milliseconds: short holds spin through the event loop. */
async function hold(ms) {
  const until = performance.now() + ms
  while (performance.now() < until) await new Promise((resolve) => setImmediate(resolve))
}

/** Turns of several processes put together: the gaps between one's giving back and the next one's getting, and each waiter's share of the fair one. */
export function handOvers(processes) {
  const turns = processes.flatMap((list, process) =>
    list.map((turn) => ({ ...turn, waiter: `${process}/${turn.waiter}` })),
  )
  turns.sort((a, b) => a.gotAt - b.gotAt)
  const gapsMs = []
  for (let index = 1; index < turns.length; index += 1) {
    if (turns[index].waiter !== turns[index - 1].waiter) gapsMs.push(turns[index].gotAt - turns[index - 1].freedAt)
  }
  const counts = new Map()
  for (const { waiter } of turns) counts.set(waiter, (counts.get(waiter) ?? 0) + 1)
  const overlaps = gapsMs.filter((gap) => gap < -0.05).length
  return { gapsMs, turnCount: turns.length, counts, overlaps }
}
