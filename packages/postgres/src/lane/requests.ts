import type { Reply, Request } from '../connection/request.ts'
import { UnexpectedRowCount } from '../db/errors.ts'
import type { Given, Queries } from '../db/queries.ts'
import type { Statement } from '../db/statement.ts'
import { encodeParameter } from '../values/encode.ts'

/** Whether statements are prepared under their names. A transaction pooler hands each one to another session. */
export type Preparation = 'named' | 'unnamed'

/** Anything that can answer a request: a lane for single statements, a transaction for its own. */
export type Send = (request: Request, fate: { readonly readOnly: boolean }) => Promise<Reply>

export function toRequest<P>(statement: Statement<P, unknown>, params: P, preparation: Preparation): Request {
  const given = statement.bind(params)
  const values = new Array<string | Uint8Array | null>(given.length)
  for (let index = 0; index < given.length; index++) values[index] = encodeParameter(given[index])
  const { name, text } = statement
  // What a user's own text is, nobody has named.
  return preparation === 'named' && name !== '' ? { name, text, values, prepareAs: name } : { name, text, values }
}

/** The statement verbs over one way of sending. */
export function queriesOver(send: Send, preparation: Preparation): Queries {
  const reply = <P>(statement: Statement<P, unknown>, given: Given<P>): Promise<Reply> =>
    send(toRequest(statement, given[0] as P, preparation), statement)
  const rows = async <P, R>(statement: Statement<P, R>, given: Given<P>): Promise<R[]> =>
    (await reply(statement, given)).rows as R[]

  return {
    many: (statement, ...given) => rows(statement, given),
    async one(statement, ...given) {
      const found = await rows(statement, given)
      const [row] = found
      if (row === undefined || found.length > 1) throw unexpected(statement.name, 'one', found.length)
      return row
    },
    async maybeOne(statement, ...given) {
      const found = await rows(statement, given)
      if (found.length > 1) throw unexpected(statement.name, 'at most one', found.length)
      return found[0]
    },
    run: async (statement, ...given) => (await reply(statement, given)).touched,
    async script(sql) {
      await send({ name: SCRIPT, text: sql }, { readOnly: false })
    },
  }
}

export const SCRIPT = 'script'

function unexpected(statement: string, expected: string, found: number): Error {
  return new UnexpectedRowCount({ statement, expected, found })
}
