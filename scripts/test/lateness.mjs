/** Words of the runner, the browser and our own waits for something that did not come in time. */
const LATE_WORDS = [
  /^(Test|Hook) timed out in \d+\s?ms/,
  /^Waited in vain until /,
  /^it never was so: /,
  /^it did not happen within /,
  / did not end: /,
  /^not ended: /,
  / did not get the lock any more$/,
]
/** A server or a connection that went while the machine stood still: nothing was answered wrongly. */
const LATE_CODES = new Set([
  'CONNECTION_LOST',
  'DATABASE_BUSY',
  'DATABASE_TIMEOUT',
  'DATABASE_UNAVAILABLE',
  'PROVIDER_UNAVAILABLE',
  'TIMED_OUT',
  'ECONNREFUSED',
  'ECONNRESET',
])

/**
 * Whether a failure only says that something came too late for the test, or not while it looked. A value that is wrong, a checker that
 * found something and a crash are not late, however busy the machine was. An error that only says where is what it was caused by.
 */
export function isLate(error) {
  const { name, code, message = '', cause } = error
  if (name === 'TimeoutError' || LATE_CODES.has(code) || LATE_WORDS.some((words) => words.test(message))) return true
  if (cause === undefined || cause === null) return false
  return cause.message === 'Matcher did not succeed in time.' || isLate(cause)
}
