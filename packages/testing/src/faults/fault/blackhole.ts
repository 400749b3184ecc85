import { defineFault, type Fault } from './fault.ts'
import { onLanes } from './on-lanes.ts'

/**
 * Silence: connections are accepted and stay open, nothing is read, nothing is sent, and neither side learns that the
 * other closed. Senders feel back-pressure. Lifted, everything goes on where it stopped. It strikes once per connection.
 */
export function blackhole(): Fault {
  return defineFault('blackhole', (site, land) =>
    onLanes(site, undefined, (link, direction) => {
      if (direction === 'requests') land({ connectionId: link.id })
      return { shut: true }
    }),
  )
}
