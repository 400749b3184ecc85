import type { Direction } from '../proxy/valve.ts'
import { defineFault, type Fault } from './fault.ts'

/**
 * Only `passes` gets through; what is sent the other way is read and lost, a close included. When it is lifted,
 * connections that lost something are reset: a TCP stream never has a hole. It strikes whenever something is lost.
 */
export function oneWay(passes: Direction): Fault {
  const lost: Direction = passes === 'requests' ? 'replies' : 'requests'
  return defineFault('one-way', (site, land) =>
    site.eachLink((link) => {
      let hole = false
      const detach = link.lane(lost).attach({
        swallow(count) {
          hole = true
          site.counters.bytesVanished += count
          land({ connectionId: link.id })
        },
      })
      return () => {
        if (hole) link.reset()
        else detach()
      }
    }),
  )
}
