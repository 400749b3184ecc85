import type { Direction } from '../proxy/valve.ts'
import { defineFault, type Fault, requireAtLeast } from './fault.ts'

export interface CutAfterOptions {
  /** Counted per connection from the moment the fault applies to it. 0 cuts before the first byte. */
  readonly bytes: number
  readonly direction: Direction
}

/** Cuts each connection when exactly `bytes` bytes were forwarded in `direction`. */
export function cutAfter(options: CutAfterOptions): Fault {
  const { bytes, direction } = options
  requireAtLeast('bytes', 0, bytes)
  return defineFault('cut-after', (site, land) =>
    site.eachLink((link) => {
      let left = bytes
      const cut = (): void => {
        link.cut()
        land({ connectionId: link.id })
      }
      return link.lane(direction).attach({
        admit(wanted) {
          if (left > 0) return Math.min(wanted, left)
          cut()
          return 0
        },
        passed(count) {
          left -= count
          if (left === 0) cut()
        },
      })
    }),
  )
}
