import type { TSchema } from 'typebox'
import { InvalidRequest } from '../problem/request-errors.ts'
import { partCheck } from './check-part.ts'

/** The check of a body, for what stands as `options` inside another: it says the same, with the place where they stand. */
export function optionsCheck(schema: TSchema): (options: unknown) => void {
  const check = partCheck('body', schema)
  return (options) => {
    try {
      check(options)
    } catch (error) {
      if (!InvalidRequest.is(error)) throw error
      const errors = error.details.errors.map((each) => ({
        ...each,
        field: `/options${each.field}`,
        text: each.text.replace(/ (of|from) the body\b/, ' $1 the options'),
      }))
      throw new InvalidRequest({ errors }, { cause: error })
    }
  }
}
