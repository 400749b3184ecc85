import { InvalidLockName } from '../errors.ts'

const LONGEST = 512
const MOST_BYTES = 1_024
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** Names travel as UTF-8 and are shown to people: what would not arrive as it was sent, or could not be read, is refused. */
export function checkLeaseName(name: string): string {
  if (typeof name !== 'string') throw new InvalidLockName({ name: String(name), rule: 'it must be a string' })
  if (name.length === 0) throw new InvalidLockName({ name, rule: 'it is empty' })
  if (name.length > LONGEST) throw new InvalidLockName({ name, rule: `it is longer than ${LONGEST} characters` })
  if (CONTROL.test(name)) throw new InvalidLockName({ name, rule: 'it holds a control character' })
  if (Buffer.byteLength(name) > MOST_BYTES)
    throw new InvalidLockName({ name, rule: `it is longer than ${MOST_BYTES} bytes` })
  if (LONE_SURROGATE.test(name)) throw new InvalidLockName({ name, rule: 'it holds half of a character' })
  return name
}

const LONE_SURROGATE = /\p{Surrogate}/u
