import type { Server } from 'node:http'
import type { Clock } from '@lockstep/base'

export interface Departures {
  /** Settles when all that was answered until then is on its way. */
  left(): Promise<void>
}

/**
 * So many leave before the turn is over: the first of a crowd does not wait for all of it. Fewer would leave before the commits that this turn has
 * begun, which are sent at its end as well, and each answer is a write to the system: the store would wait for dozens of them.
 */
const TOGETHER = 256

/**
 * Answers that become ready in one turn of the event loop leave at its end, one right behind the other. A write wakes whoever reads: where each
 * answer leaves as soon as it is made, a reader on the same machine falls asleep in between, and waking it takes longer than making the answer. One
 * commit ends the waits of dozens of requests at once, and a turn of the loop reads from dozens of connections, so there is nearly always company.
 *
 * Node corks a connection while an answer is written to it and uncorks it at the end; that last step is what is put off.
 */
export function leaveTogether(server: Server, clock: Pick<Clock, 'soon'>): Departures {
  const ready: (() => void)[] = []
  const leave = (): void => {
    for (const go of ready.splice(0)) go()
  }
  let isPlanned = false
  const atItsEnd = (): void => {
    isPlanned = false
    leave()
  }
  server.on('connection', (socket) => {
    const uncork = socket.uncork.bind(socket)
    let isReady = false
    const go = (): void => {
      isReady = false
      uncork()
    }
    socket.uncork = () => {
      if (socket.writableCorked !== 1) return uncork() // an inner one, or there is nothing to let go
      if (isReady) return
      isReady = true
      if (ready.push(go) === TOGETHER) return leave()
      if (isPlanned) return
      isPlanned = true
      clock.soon(atItsEnd)
    }
  })
  const left = (): Promise<void> =>
    new Promise((resolve) => {
      clock.soon(() => {
        leave() // whoever asked goes on before what was planned after it
        resolve()
      })
    })
  return { left }
}
