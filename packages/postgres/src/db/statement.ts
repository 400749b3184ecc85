import { InvalidOption } from '@lockstep/base'

/** One SQL statement of the product: its text never changes, values reach it only through parameters. */
export interface Statement<P, R> {
  /** Also the name it is prepared under, so it is unique in the product. */
  readonly name: string
  readonly text: string
  /** Sending it twice changes nothing: a lost reply is `CONNECTION_LOST`, not `COMMIT_UNKNOWN`. */
  readonly readOnly: boolean
  readonly bind: (params: P) => readonly unknown[]
  /** Never set. Carries the type of a row. */
  readonly row?: R
}

/** Longer names are cut by the server, and two of them could then meet. */
const LONGEST_NAME = 63

export function statement<P = undefined, R = never>(
  name: string,
  bind: (params: P) => readonly unknown[],
  text: string,
  options: { readonly readOnly?: boolean } = {},
): Statement<P, R> {
  if (!/^[a-z][a-z0-9_]*$/.test(name) || name.length > LONGEST_NAME) {
    throw new InvalidOption({ option: 'name', rule: `snake_case of at most ${LONGEST_NAME} characters`, value: name })
  }
  return { name, text, bind, readOnly: options.readOnly === true }
}
