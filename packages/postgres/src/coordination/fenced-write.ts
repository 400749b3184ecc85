import { InvalidOption } from '@lockstep/base'
import { StaleFence } from '@lockstep/coordination'

/** The two pieces of an UPDATE that checks a fence by itself, in a column of the row that it changes. */
export interface FencedWrite {
  /** For SET: `"fence" = $3` */
  readonly set: string
  /** For WHERE: `"fence" <= $3` */
  readonly where: string
}

/**
 * For a table with a fence column of its own (`fence bigint not null default 0`), which needs no guard row and no second
 * statement. No row was touched: either it is not there, or a later fence was (`requireFenced`).
 *
 *     const { set, where } = fencedWrite('$3')
 *     `update account set balance = $2, ${set} where id = $1 and ${where}`
 */
export function fencedWrite(parameter: string, column = 'fence'): FencedWrite {
  if (!/^\$[1-9]\d*$/.test(parameter))
    throw new InvalidOption({ option: 'parameter', rule: 'a placeholder such as $3', value: parameter })
  const quoted = `"${column.replaceAll('"', '""')}"`
  return { set: `${quoted} = ${parameter}`, where: `${quoted} <= ${parameter}` }
}

/** Throws `STALE_FENCE` when a fenced write touched nothing. To be used where the row is known to exist. */
export function requireFenced(touched: number, write: { readonly resource: string; readonly fence: bigint }): void {
  if (touched === 0) throw new StaleFence({ resource: write.resource, fence: write.fence })
}
