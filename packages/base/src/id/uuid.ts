import type { Clock } from '../clock/clock.ts'
import type { Random } from '../random/random.ts'

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Makes uuids of version 7 that rise within one process, so that new rows land at the right edge of an index. */
export function uuidSource(clock: Clock, random: Random): () => string {
  let lastMs = -1
  let counter = 0
  return () => {
    const nowMs = Math.floor(clock.now())
    const tail = random.bytes(9)
    if (nowMs > lastMs) {
      lastMs = nowMs
      counter = tail[8]! // a random start leaves 3,840 ids or more in this millisecond
    } else {
      counter += 1
      if (counter > 0xfff) {
        lastMs += 1 // borrow from the future instead of waiting; a clock that went back is ridden out the same way
        counter = 0
      }
    }
    return format(lastMs, counter, tail)
  }
}

function format(ms: number, counter: number, tail: Uint8Array): string {
  const high = Math.floor(ms / 0x1_0000)
  const low = ms & 0xffff
  const b = (shift: number): string => HEX[(high >>> shift) & 0xff]!
  return (
    `${b(24)}${b(16)}${b(8)}${b(0)}-${HEX[low >>> 8]}${HEX[low & 0xff]}` +
    `-${HEX[0x70 | (counter >>> 8)]}${HEX[counter & 0xff]}` +
    `-${HEX[0x80 | (tail[0]! & 0x3f)]}${HEX[tail[1]!]}` +
    `-${HEX[tail[2]!]}${HEX[tail[3]!]}${HEX[tail[4]!]}${HEX[tail[5]!]}${HEX[tail[6]!]}${HEX[tail[7]!]}`
  )
}

export function isUuid(text: string): boolean {
  return UUID.test(text)
}

/** When a uuid of version 7 was made, in milliseconds since 1970 by the clock of whoever made it. Makes no garbage: it is asked often. */
export function uuidTime(uuid: string): number {
  let ms = 0
  for (let at = 0; at < 13; at += 1) {
    const code = uuid.charCodeAt(at)
    if (code !== HYPHEN) ms = ms * 16 + (code >= LETTERS ? code - LETTERS + 10 : code - DIGITS)
  }
  return ms
}

const HYPHEN = 45
const DIGITS = 48
const LETTERS = 97
