const ZERO = 48
const any = /^(\d{4,6})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?([+-]\d\d)(?::(\d\d))?(?::(\d\d))?( BC)?$/

/**
 * `timestamptz` as epoch milliseconds; digits below a millisecond are dropped, as the clock of JavaScript would.
 * Every session of ours runs in UTC with ISO dates, so the first form is the one that is met.
 */
export function decodeInstant(text: string): number {
  // 2026-11-15 20:41:07[.123456]+00
  if (text.length >= 22 && text[4] === '-' && text[10] === ' ' && text.endsWith('+00')) {
    const year = two(text, 0) * 100 + two(text, 2)
    if (year >= 100) {
      return Date.UTC(year, two(text, 5) - 1, two(text, 8), two(text, 11), two(text, 14), two(text, 17), millis(text))
    }
  }
  if (text === 'infinity') return Number.POSITIVE_INFINITY
  if (text === '-infinity') return Number.NEGATIVE_INFINITY
  return decodeUnusual(text)
}

function two(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1)
}

function digit(text: string, at: number): number {
  return text.charCodeAt(at) - ZERO
}

/** The server leaves out zeros at the end of the fraction. */
function millis(text: string): number {
  const end = text.length - 3
  let value = 0
  for (let at = 20; at < 23; at++) value = value * 10 + (at < end ? digit(text, at) : 0)
  return value
}

function decodeUnusual(text: string): number {
  const found = any.exec(text)
  if (found === null) return Number.NaN
  const year = found[11] === undefined ? Number(found[1]) : 1 - Number(found[1])
  const sign = found[8]?.startsWith('-') === true ? -1 : 1
  const offsetSeconds = Math.abs(Number(found[8])) * 3600 + Number(found[9] ?? 0) * 60 + Number(found[10] ?? 0)
  return utc(year, found) - sign * offsetSeconds * 1000
}

function utc(year: number, parts: RegExpExecArray): number {
  const millis = parts[7] === undefined ? 0 : Number(parts[7].padEnd(3, '0').slice(0, 3))
  const [month, day, hour, minute, second] = [parts[2], parts[3], parts[4], parts[5], parts[6]].map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ]
  if (year >= 100) return Date.UTC(year, month - 1, day, hour, minute, second, millis)
  // Date.UTC takes years below 100 for 19xx.
  return new Date(Date.UTC(2000, month - 1, day, hour, minute, second, millis)).setUTCFullYear(year, month - 1, day)
}
