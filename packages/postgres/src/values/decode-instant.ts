const usual = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?\+00$/
const any = /^(\d{4,6})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?([+-]\d\d)(?::(\d\d))?(?::(\d\d))?( BC)?$/

/**
 * `timestamptz` as epoch milliseconds; digits below a millisecond are dropped, as the clock of JavaScript would.
 * Every session of ours runs in UTC with ISO dates, so the first form is the one that is met.
 */
export function decodeInstant(text: string): number {
  const found = usual.exec(text)
  if (found !== null) return utc(Number(found[1]), found)
  if (text === 'infinity') return Number.POSITIVE_INFINITY
  if (text === '-infinity') return Number.NEGATIVE_INFINITY
  return decodeUnusual(text)
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
