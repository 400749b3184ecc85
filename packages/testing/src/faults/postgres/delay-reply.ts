import { type Selection, selector } from '../exchange/selection.ts'
import { type ConnectionLanding, defineFault, type Fault, requireAtLeast } from '../fault/fault.ts'
import { fits } from './cut-statement.ts'

export interface DelayReplyOptions extends Selection {
  /** Tried on the SQL of a Query, or of the Parse behind an executed portal. */
  readonly matching: RegExp
  readonly ms: number
}

export interface DelayLanding extends ConnectionLanding {
  readonly sql: string
}

/** The server answers in time, the client hears of it `ms` later, and of everything after it too. */
export function delayReply(options: DelayReplyOptions): Fault<DelayLanding> {
  const { matching, ms } = options
  requireAtLeast('ms', 0, ms)
  const selects = selector(options)
  return defineFault('delay-reply', (site, land) =>
    site.judge('postgres', ({ sql }, { id }) => {
      if (!fits(matching, sql) || !selects(site.random)) return undefined
      return { do: 'delay-reply', ms, landed: () => land({ connectionId: id, sql }) }
    }),
  )
}
