import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Never answers. */
  readonly hang?: true
}

/** A real HTTP server that notes what came and answers as it is told. */
export interface HttpSink extends AsyncDisposable {
  readonly url: string
  readonly received: Received[]
  answer: (request: Received) => Answer
  /** Settles when so many requests have come. */
  until(count: number): Promise<void>
}

export async function openHttpSink(): Promise<HttpSink> {
  const received: Received[] = []
  const waiting = new Set<() => void>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const came = { method, url, headers, body: Buffer.concat(chunks).toString() }
      received.push(came)
      for (const look of waiting) look()
      const { status = 200, headers: out = {}, body = '', hang } = sink.answer(came)
      if (hang !== true) response.writeHead(status, out).end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const sink: HttpSink = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: () => ({}),
    until: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (received.length < count) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return sink
}
