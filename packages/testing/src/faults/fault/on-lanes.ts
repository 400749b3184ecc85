import type { FaultSite } from '../proxy/fault-site.ts'
import type { Link } from '../proxy/link.ts'
import { DIRECTIONS, type Direction, type Valve } from '../proxy/valve.ts'

/** Puts a valve on every connection, present and new, in the direction asked for or in both. */
export function onLanes(
  site: FaultSite,
  direction: Direction | undefined,
  valve: (link: Link, direction: Direction) => Valve,
): () => void {
  const directions = direction === undefined ? DIRECTIONS : [direction]
  return site.eachLink((link) => {
    const detach = directions.map((each) => link.lane(each).attach(valve(link, each)))
    return () => {
      for (const undo of detach) undo()
    }
  })
}
