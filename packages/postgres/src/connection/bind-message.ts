/**
 * What runs a prepared statement, in one piece: Bind, Describe where the columns of its answer are not known yet, Execute, Sync. Its length is
 * counted first, so that nothing is copied while it grows.
 */
const [BIND, DESCRIBE] = [0x42, 0x44]
const [TEXT, BINARY] = [0, 1]
const NULL_LENGTH = -1
/** Of the unnamed portal, all rows. */
const EXECUTE_AND_SYNC = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4])
const DESCRIBE_PORTAL = Buffer.from([DESCRIBE, 0, 0, 0, 6, 0x50, 0])

export type WireValue = string | Uint8Array | null

export function runMessage(statement: string, values: readonly WireValue[], describe: boolean): Buffer {
  const lengths = values.map(byteLength)
  const nameLength = Buffer.byteLength(statement)
  // Behind its type: its length, no portal, the statement, formats, values, text for all columns.
  let bindLength = 4 + 1 + nameLength + 1 + 2 + 2 * values.length + 2 + 4
  for (const length of lengths) bindLength += 4 + Math.max(0, length)
  const tail = describe ? DESCRIBE_PORTAL.length : 0
  const message = Buffer.allocUnsafe(1 + bindLength + tail + EXECUTE_AND_SYNC.length)
  message[0] = BIND
  message.writeInt32BE(bindLength, 1)
  message[5] = 0
  let at = 6 + message.write(statement, 6)
  message[at] = 0
  at = message.writeInt16BE(values.length, at + 1)
  for (const value of values) at = message.writeInt16BE(value instanceof Uint8Array ? BINARY : TEXT, at)
  at = message.writeInt16BE(values.length, at)
  for (let index = 0; index < values.length; index += 1) {
    at = message.writeInt32BE(lengths[index]!, at)
    at = writeValue(message, values[index]!, at)
  }
  at = message.writeInt16BE(1, at)
  at = message.writeInt16BE(TEXT, at)
  if (describe) message.set(DESCRIBE_PORTAL, at)
  message.set(EXECUTE_AND_SYNC, at + tail)
  return message
}

const byteLength = (value: WireValue): number => {
  if (value === null) return NULL_LENGTH
  return typeof value === 'string' ? Buffer.byteLength(value) : value.byteLength
}

function writeValue(message: Buffer, value: WireValue, at: number): number {
  if (value === null) return at
  if (typeof value === 'string') return at + message.write(value, at)
  message.set(value, at)
  return at + value.byteLength
}
