import type { Inspector } from './dialogue.ts'
import { Framer, type Measure, NotThisProtocol } from './framer.ts'
import { Passages } from './passages.ts'

export interface ReaderPart {
  readonly measure: Measure
  /** Decides about one message: pass it, or not. */
  readonly message: (message: Buffer, out: Passages) => void
  /** Whether an unfinished message at the end of the stream still travels on. */
  readonly keepsRest: () => boolean
}

/** Reads both directions of a connection message by message, until that stops making sense; then bytes pass unexamined. */
export class Reader {
  readonly #onLost: () => void
  #lost = false

  constructor(onLost: () => void) {
    this.#onLost = onLost
  }

  /** Stops reading along, with the next message. */
  lose(): void {
    if (this.#lost) return
    this.#lost = true
    this.#onLost()
  }

  inspector(part: ReaderPart): Inspector {
    const frames = new Framer(part.measure)
    return {
      chunk: (bytes) => {
        const out = new Passages()
        if (this.#lost) out.pass(Buffer.concat([frames.drain(), bytes]))
        else this.#examine(frames, bytes, out, part)
        return out.list()
      },
      end: () => (part.keepsRest() ? [{ bytes: frames.drain() }] : []),
    }
  }

  #examine(frames: Framer, bytes: Buffer, out: Passages, part: ReaderPart): void {
    try {
      for (const message of frames.feed(bytes)) {
        part.message(message, out)
        if (this.#lost) break
      }
    } catch (error) {
      if (!(error instanceof NotThisProtocol)) throw error
      this.lose()
    }
    if (this.#lost) out.pass(frames.drain())
  }
}
