import { InvalidOption } from '@lockstep/base'
import { InvalidRequest } from './request-errors.ts'

/** The engine checks what it is told by name; of a request those names are fields. */
export async function asFields<T>(where: 'body' | 'query', call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!InvalidOption.is(error)) throw error
    const { option } = error.details
    const field = where === 'body' ? `/${option}` : option
    throw new InvalidRequest({ errors: [{ in: where, field, text: error.message }] }, { cause: error })
  }
}
