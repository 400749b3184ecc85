import type { CutMoment } from '../exchange/rule.ts'
import { type Selection, selector } from '../exchange/selection.ts'
import type { ConnectionLanding } from '../fault/fault.ts'
import { defineFault, type Fault } from '../fault/fault.ts'
import type { Statement, StatementReply } from './statement.ts'

/** A statement whose outcome its client never learned. */
export interface StatementLanding extends ConnectionLanding {
  readonly when: CutMoment
  readonly sql: string
  /** What the server answered; absent when it never got the statement. */
  readonly reply?: StatementReply
}

export interface CutStatementOptions extends Selection {
  readonly when: CutMoment
  /** Tried on the SQL of a Query, or of the Parse behind an executed portal. */
  readonly matching: RegExp
}

/**
 * Cuts the connection around a statement that commits by itself. `before-forward`: the server never gets it.
 * `after-forward`: the server has answered it, and the client never learns what.
 */
export function cutStatement(options: CutStatementOptions): Fault<StatementLanding> {
  const { when, matching } = options
  return cutWhere('cut-statement', when, options, ({ sql }) => fits(matching, sql))
}

/** The two cuts differ only in the statements that they pick. */
export function cutWhere(
  name: string,
  when: CutMoment,
  selection: Selection,
  picks: (statement: Statement) => boolean,
): Fault<StatementLanding> {
  const selects = selector(selection)
  return defineFault(name, (site, land) =>
    site.judge('postgres', (statement, { id }) => {
      if (!picks(statement) || !selects(site.random)) return undefined
      return {
        do: 'cut',
        when,
        landed: (reply) => land({ connectionId: id, when, sql: statement.sql, ...(reply && { reply }) }),
      }
    }),
  )
}

/** Unlike `test`, blind to what a global pattern matched before. */
export function fits(pattern: RegExp, sql: string): boolean {
  return sql.search(pattern) !== -1
}
