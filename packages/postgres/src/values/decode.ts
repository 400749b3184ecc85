import { decodeArray } from './decode-array.ts'
import { decodeInstant } from './decode-instant.ts'

type Decoder = (text: string) => unknown

const same: Decoder = (text) => text
const bool: Decoder = (text) => text === 't'
const bytes: Decoder = (text) => Buffer.from(text.slice(2), 'hex')
const json: Decoder = (text) => JSON.parse(text)
const listOf =
  (element: Decoder): Decoder =>
  (text) =>
    decodeArray(text, element)

/** By type number of the catalogue. Whatever is not here (int8 and numeric among them) stays text: it is exact. */
const decoders = new Map<number, Decoder>([
  [16, bool],
  [17, bytes],
  [21, Number],
  [23, Number],
  [26, Number],
  [700, Number],
  [701, Number],
  [114, json],
  [3802, json],
  [1184, decodeInstant],
  [1000, listOf(bool)],
  [1001, listOf(bytes)],
  [1005, listOf(Number)],
  [1007, listOf(Number)],
  [1028, listOf(Number)],
  [1021, listOf(Number)],
  [1022, listOf(Number)],
  [199, listOf(json)],
  [3807, listOf(json)],
  [1185, listOf(decodeInstant)],
])

/** text, varchar, bpchar, name, int8, numeric, uuid */
for (const listType of [1009, 1015, 1014, 1003, 1016, 1231, 2951]) decoders.set(listType, listOf(same))

export function decoderOf(type: number): Decoder {
  return decoders.get(type) ?? same
}
