import { connect, type Socket } from 'node:net'
import { errorCode } from '@lockstep/base'

/** One end of a connection that remembers all it got and how it ended. */
export class Peer implements Disposable {
  readonly socket: Socket
  /** `ended` after a goodbye, else the code of the error. */
  readonly fate: Promise<string>
  #chunks: Buffer[] = []
  #length = 0
  readonly #waiting = new Set<() => void>()

  constructor(socket: Socket) {
    this.socket = socket
    let fate = 'destroyed'
    socket.on('data', (bytes: Buffer) => {
      this.#chunks.push(bytes)
      this.#length += bytes.length
      for (const check of this.#waiting) check()
    })
    socket.on('end', () => {
      fate = 'ended'
    })
    socket.on('error', (error) => {
      fate = errorCode(error) ?? error.message
    })
    this.fate = new Promise((resolve) => socket.once('close', () => resolve(fate)))
  }

  get received(): Buffer {
    this.#chunks = [Buffer.concat(this.#chunks)]
    return this.#chunks[0]!
  }

  get text(): string {
    return this.received.toString()
  }

  write(bytes: string | Uint8Array): void {
    this.socket.write(bytes)
  }

  /** Resolves with what was received when `found` holds; rejects when the connection ends before. */
  async until(found: () => boolean): Promise<Buffer> {
    let check = (): void => {}
    const seen = new Promise<void>((resolve) => {
      check = () => {
        if (found()) resolve()
      }
      this.#waiting.add(check)
      check()
    })
    const over = this.fate.then((fate) => {
      if (!found()) throw new Error(`connection over (${fate}) after ${this.#length} bytes`)
    })
    over.catch(() => {})
    await Promise.race([seen, over])
    this.#waiting.delete(check)
    return this.received
  }

  count(bytes: number): Promise<Buffer> {
    return this.until(() => this.#length >= bytes)
  }

  [Symbol.dispose](): void {
    this.socket.destroy()
  }
}

/** Resolves when connected; rejects with the error of the attempt. */
export function connectPeer(
  address: { readonly host: string; readonly port: number },
  options: { readonly allowHalfOpen?: boolean } = {},
): Promise<Peer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address.host, port: address.port, ...options })
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(new Peer(socket))
    })
  })
}

/** How a new connection ends, be it while connecting. */
export async function fateOfNew(address: { readonly host: string; readonly port: number }): Promise<string> {
  try {
    return await (await connectPeer(address)).fate
  } catch (error) {
    return errorCode(error) ?? String(error)
  }
}

/** Round trips past every fault: what would have arrived by now has. */
export async function settle(echo: { readonly host: string; readonly port: number }, trips = 20): Promise<void> {
  using bypass = await connectPeer(echo)
  for (let trip = 1; trip <= trips; trip++) {
    bypass.write('.')
    await bypass.count(trip)
  }
}
