import { Duplex } from 'node:stream'

export interface WireEnd {
  /** Hands whole protocol messages to the session. */
  send(bytes: Uint8Array): void
  /** The driver has let go of the session. */
  detach(): void
}

/** "You are in" and "idle", as a server says them. */
const welcome = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])
const TERMINATE = 0x58

/**
 * What the `pg` driver takes for a socket. The hand-shake is answered here, since the session in the worker is
 * already begun; everything later goes to the worker, one message to it for all that was written in one go.
 */
export class WorkerStream extends Duplex {
  readonly #wire: WireEnd
  #gathered: Uint8Array[] = []
  #isGreeted = false

  constructor(wire: WireEnd) {
    super()
    this.#wire = wire
  }

  connect(): void {
    queueMicrotask(() => this.emit('connect'))
  }

  setNoDelay(): void {}
  setKeepAlive(): void {}
  ref(): void {}
  unref(): void {}

  receive(bytes: Uint8Array): void {
    if (!this.destroyed) this.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  }

  override _read(): void {}

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, done: () => void): void {
    this.#gather(chunk)
    done()
  }

  override _writev(chunks: { chunk: Uint8Array }[], done: () => void): void {
    for (const { chunk } of chunks) this.#gather(chunk)
    done()
  }

  override _final(done: () => void): void {
    done()
    this.destroy()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#gathered = []
    this.#wire.detach()
    done(error)
  }

  #gather(chunk: Uint8Array): void {
    if (!this.#isGreeted) {
      this.#isGreeted = true
      this.push(welcome)
    } else if (chunk[0] !== TERMINATE && this.#gathered.push(chunk) === 1) {
      queueMicrotask(() => this.#flush())
    }
  }

  #flush(): void {
    if (this.#gathered.length === 0) return
    // A copy of exactly these bytes: the driver's buffers are slices of larger ones.
    const bytes = new Uint8Array(this.#gathered.reduce((sum, chunk) => sum + chunk.length, 0))
    let at = 0
    for (const chunk of this.#gathered) {
      bytes.set(chunk, at)
      at += chunk.length
    }
    this.#gathered = []
    this.#wire.send(bytes)
  }
}
