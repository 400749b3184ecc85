import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { errorCode } from '@lockstep/base'

/**
 * Ports below the range from which Linux takes the local ports of outgoing connections. From within that range a
 * port that refuses for a while may be taken by any client, even by one that connects to itself.
 */
const FIRST_PORT = 20_000
const LAST_PORT = 32_767
const ATTEMPTS = 100

/** A port that can stop listening, so that clients see ECONNREFUSED, and listen again under the same number. */
export class PortListener {
  readonly host: string
  #port: number
  readonly #accept: (socket: Socket) => void
  #server: Server | undefined
  #wanted = false
  #opening: Promise<void> | undefined
  #gone: Promise<unknown> = Promise.resolve()

  constructor(host: string, port: number, accept: (socket: Socket) => void) {
    this.host = host
    this.#port = port
    this.#accept = accept
  }

  get port(): number {
    return this.#port
  }

  /** Resolves when the port accepts, or was shut again meanwhile. */
  async open(): Promise<void> {
    this.#wanted = true
    if (this.#server) return
    this.#opening ??= this.#start().finally(() => {
      this.#opening = undefined
    })
    await this.#opening
  }

  /** Refuses at once. Connections already accepted stay; resolves when the last of them is gone. */
  async shut(): Promise<void> {
    this.#wanted = false
    this.#stop()
    await this.#opening
    await this.#gone
  }

  async #start(): Promise<void> {
    this.#server = await this.#listen()
    // Shut meanwhile: a server told to close before it listens would listen all the same.
    if (!this.#wanted) this.#stop()
  }

  #stop(): void {
    const server = this.#server
    if (server === undefined) return
    this.#server = undefined
    this.#gone = Promise.all([this.#gone, new Promise((resolve) => server.close(resolve))])
  }

  async #listen(): Promise<Server> {
    if (this.#port !== 0) return this.#listenOn(this.#port)
    for (let attempt = 1; ; attempt++) {
      const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT + 1))
      try {
        const server = await this.#listenOn(port)
        this.#port = port
        return server
      } catch (error) {
        if (errorCode(error) !== 'EADDRINUSE' || attempt === ATTEMPTS) throw error
      }
    }
  }

  async #listenOn(port: number): Promise<Server> {
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, this.#accept)
    server.listen({ host: this.host, port })
    await once(server, 'listening')
    return server
  }
}
