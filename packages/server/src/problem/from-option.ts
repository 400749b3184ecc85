import { InvalidOption } from '@lockstep/base'
import { InvalidRequest } from './request-errors.ts'

/** The engine checks what it is told by name; of a request those names are fields. `renamed`: fields that stand elsewhere in the body than the option says. */
export async function asFields<T>(
  where: 'body' | 'query',
  call: () => Promise<T>,
  renamed: Readonly<Record<string, string>> = {},
): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!InvalidOption.is(error)) throw error
    const [first = '', ...inner] = error.details.option.split('.')
    const path = [renamed[first] ?? first, ...inner]
    const field = where === 'body' ? `/${path.join('/')}` : path.join('.')
    const text = error.message.replace(/^Option "[^"]*"/, `"${path.join(where === 'body' ? '/' : '.')}"`)
    throw new InvalidRequest({ errors: [{ in: where, field, text }] }, { cause: error })
  }
}
