import { createServer, type Server, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { fenceAccepts } from '@lockstep/coordination'
import type { Write } from './history.ts'

/** Something outside that workers write to, one line of JSON each. It knows nothing of locks but the fences it is shown. */
export class FencedResource implements AsyncDisposable {
  /** In the order of arrival. */
  readonly writes: Write[] = []
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #checks: boolean
  #highest: bigint | undefined

  private constructor(checks: boolean) {
    this.#checks = checks
    this.#server = createServer((socket) => this.#serve(socket))
  }

  /** `checks: false` takes every write, as a resource without a fence check does. */
  static async open({ checks = true } = {}): Promise<FencedResource> {
    const resource = new FencedResource(checks)
    await new Promise<void>((resolve) => resource.#server.listen(0, '127.0.0.1', resolve))
    return resource
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port
  }

  get refused(): Write[] {
    return this.writes.filter((write) => !write.accepted)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => this.#sockets.delete(socket))
    const lines = createInterface({ input: socket })
    lines.on('error', () => undefined) // the end of a killed worker
    lines.on('line', (line) => {
      const { id, worker, fence } = JSON.parse(line) as { id: number; worker: string; fence: string }
      const accepted = this.#take(worker, BigInt(fence))
      socket.write(`${JSON.stringify({ id, accepted })}\n`)
    })
  }

  #take(worker: string, fence: bigint): boolean {
    const accepted = !this.#checks || fenceAccepts(this.#highest, fence)
    if (accepted && (this.#highest === undefined || fence > this.#highest)) this.#highest = fence
    this.writes.push({ worker, fence, accepted })
    return accepted
  }
}
