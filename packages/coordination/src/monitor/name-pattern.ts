/**
 * The name of a lock with its ids replaced, so that statistics of `order:17` and `order:18` are one line: `order:*`.
 * Ids are uuids, long hexadecimal or base32 words with a digit in them, and numbers; the version in `v2` stays.
 */
export function namePattern(name: string): string {
  return name.replace(IDS, '*').replace(NUMBERS, '*')
}

const IDS =
  /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?<![0-9a-z])(?=[a-z]*\d)(?:[0-9a-f]{12,}|[0-9a-hjkmnp-tv-z]{26})(?![0-9a-z])/gi
const NUMBERS = /(?<!(?<![a-z])v|\d)\d+/gi
