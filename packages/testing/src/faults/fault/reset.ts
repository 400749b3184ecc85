import { defineFault, type Fault } from './fault.ts'

export interface ResetOptions {
  /** Also resets every connection made while the fault is in force, right after accepting it. @default false */
  readonly newConnections?: boolean
}

/** Ends every present connection by RST, on both sides. */
export function reset(options: ResetOptions = {}): Fault {
  const { newConnections = false } = options
  return defineFault('reset', (site, land) =>
    site.eachLink((link, arrival) => {
      if (arrival === 'present' || newConnections) {
        link.reset()
        land({ connectionId: link.id })
      }
      return undefined
    }),
  )
}
