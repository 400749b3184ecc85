/** A flush takes whatever gathered meanwhile, up to this many. */
const MOST = 1_000

/**
 * One queue for all commits of the process. A connection that is free takes the whole queue at once; with an idle queue
 * that is a single commit, without waiting. `connections` are functions that flush a batch and answer its moment.
 */
export function groupCommit(connections) {
  const free = [...connections]
  let queue = []
  let looking = false

  const pump = async () => {
    looking = false
    while (queue.length > 0 && free.length > 0) {
      const batch = queue.slice(0, MOST)
      queue = queue.slice(MOST)
      void send(free.pop(), batch)
    }
  }
  const send = async (flush, batch) => {
    try {
      const at = await flush(batch)
      for (const { resolve } of batch) resolve(at)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    free.push(flush)
    look()
  }
  // After the turn: those whose commits were just acknowledged come back with their next ones in the same turn.
  const look = () => {
    if (looking) return
    looking = true
    setImmediate(pump)
  }

  return (id, seq, data, ended = false) =>
    new Promise((resolve, reject) => {
      queue.push({ id, seq, data, ended, resolve, reject })
      look()
    })
}
