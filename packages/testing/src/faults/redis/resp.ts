/** RESP2 and RESP3 framing: where a value ends, and the little that faults read from one. */

const CR = 0x0d
const LF = 0x0a

/** Types whose line announces this many times as many values as its number. */
const VALUES_PER_ITEM: Readonly<Record<string, number>> = { '*': 1, '~': 1, '>': 1, '%': 2, '|': 2 }
const LINES = new Set(['+', '-', ':', ',', '#', '_', '('])
const BULKS = new Set(['$', '=', '!'])

/** The shortest value there is: `_\r\n`. */
const SHORTEST_VALUE_BYTES = 3

/** Length of the reply that `bytes` begins with, by the rules of `Measure`. */
export function measureReply(bytes: Buffer): number {
  return endOfValue(bytes, 0)
}

/** A request is an array of bulk strings, or a line as typed into a terminal. */
export function measureRequest(bytes: Buffer): number {
  if (bytes[0] === 0x2a) return endOfValue(bytes, 0)
  // A TLS greeting: nothing in it is a line.
  if (bytes[0] === 0x16) return Number.NaN
  const newline = bytes.indexOf(LF)
  return newline === -1 ? bytes.length + 1 : newline + 1
}

/** The words of a request; none for an empty line or array, which servers ignore. */
export function readWords(request: Buffer): readonly string[] {
  if (request[0] === 0x2a) return readStrings(request)
  const line = request.toString('utf8').trim()
  return Array.from(line.matchAll(/"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|(\S+)/g), (m) => m[1] ?? m[2] ?? m[3] ?? '')
}

/** First line of a value without its line end: `+OK`, `:1`, `-WRONGTYPE …`, `$5`, `*2`. */
export function firstLine(value: Buffer): string {
  const end = value.indexOf(CR)
  return value.toString('utf8', 0, end === -1 ? value.length : end)
}

/** The first string in an array or push: what kind of message it is. */
export function kindOf(value: Buffer): string {
  return (readStrings(value)[0] ?? '').toLowerCase()
}

/** The strings directly inside an array or push, bulk or simple. */
function readStrings(value: Buffer): readonly string[] {
  const strings: string[] = []
  for (let at = lineEnd(value, 0); at < value.length; at = endOfValue(value, at)) {
    const head = lineEnd(value, at)
    const type = String.fromCharCode(value[at] ?? 0)
    if (type === '+') strings.push(value.toString('utf8', at + 1, head - 2))
    else if (type === '$') strings.push(value.toString('utf8', head, endOfValue(value, at) - 2))
  }
  return strings
}

/** Offset behind the value at `at`; beyond the buffer when there is more to come. */
function endOfValue(bytes: Buffer, at: number): number {
  const head = lineEnd(bytes, at)
  if (Number.isNaN(head) || head > bytes.length) return head
  const type = String.fromCharCode(bytes[at] ?? 0)
  if (LINES.has(type)) return head
  const count = Number(bytes.toString('latin1', at + 1, head - 2))
  if (!Number.isInteger(count)) return Number.NaN
  if (BULKS.has(type)) return count < 0 ? head : head + count + 2
  const perItem = VALUES_PER_ITEM[type]
  if (perItem === undefined) return Number.NaN
  let end = head
  for (let left = count * perItem; left > 0; left--) {
    end = endOfValue(bytes, end)
    if (Number.isNaN(end)) return end
    if (end > bytes.length) return end + (left - 1) * SHORTEST_VALUE_BYTES
  }
  // Attributes precede the value that they describe.
  return type === '|' ? endOfValue(bytes, end) : end
}

function lineEnd(bytes: Buffer, at: number): number {
  const newline = bytes.indexOf(LF, at)
  return newline === -1 ? Math.max(bytes.length, at) + 1 : newline + 1
}
