import type { CutMoment } from '../exchange/rule.ts'
import type { Selection } from '../exchange/selection.ts'
import type { Fault } from '../fault/fault.ts'
import { cutWhere, fits, type StatementLanding } from './cut-statement.ts'

export interface CutCommitOptions extends Selection {
  /** Only transactions in which some statement matches; the message that carries the COMMIT counts as one. */
  readonly matching?: RegExp
}

/**
 * Cuts the connection around a COMMIT, so that the client cannot tell whether its transaction happened.
 * `before-forward`: it did not. `after-forward`: the server has answered, so it did, unless the reply of the landing
 * says otherwise (`sqlState`, or the tag ROLLBACK).
 */
export function cutCommit(when: CutMoment, options: CutCommitOptions = {}): Fault<StatementLanding> {
  const { matching } = options
  return cutWhere(
    'cut-commit',
    when,
    options,
    ({ commits, transaction }) => commits && (matching === undefined || transaction.some((sql) => fits(matching, sql))),
  )
}
