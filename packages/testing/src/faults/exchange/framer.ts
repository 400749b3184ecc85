/**
 * Length of the message that `bytes` begins with. A number above `bytes.length` says "not before there are that many
 * bytes"; `NaN` says that this is not the protocol.
 */
export type Measure = (bytes: Buffer) => number

/** Cuts a byte stream into messages, whatever chunks it comes in. */
export class Framer {
  readonly #measure: Measure
  #held: Buffer[] = []
  #heldBytes = 0
  #needed = 1

  constructor(measure: Measure) {
    this.#measure = measure
  }

  /** Complete messages, one at a time: the measure may change its mind between two. Throws `NotThisProtocol`. */
  *feed(chunk: Buffer): Generator<Buffer, void, void> {
    this.#hold(chunk)
    while (this.#heldBytes >= this.#needed) {
      const bytes = this.drain()
      const length = this.#measure(bytes)
      if (length <= bytes.length) {
        this.#hold(bytes.subarray(length))
        yield bytes.subarray(0, length)
      } else {
        this.#hold(bytes)
        if (Number.isNaN(length)) throw new NotThisProtocol()
        this.#needed = length
      }
    }
  }

  /** Takes out what no complete message covers. */
  drain(): Buffer {
    const [first] = this.#held
    const bytes = this.#held.length === 1 && first ? first : Buffer.concat(this.#held)
    this.#held = []
    this.#heldBytes = 0
    this.#needed = 1
    return bytes
  }

  #hold(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#held.push(bytes)
    this.#heldBytes += bytes.length
  }
}

/** Tells a dialogue to stop reading along; never leaves the faults. */
export class NotThisProtocol extends Error {
  override readonly name = 'NotThisProtocol'
}
