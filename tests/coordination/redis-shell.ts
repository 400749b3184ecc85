import { connect, type Socket } from 'node:net'

type Reply = string | number | null | Error | Reply[]

/** A bare connection to Redis, for what the tests do to the server behind the product's back. */
export class RedisShell implements AsyncDisposable {
  readonly #socket: Socket
  readonly #waiting: ((reply: Reply) => void)[] = []
  #unread = Buffer.alloc(0)

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk) => this.#read(chunk))
    socket.on('error', () => undefined)
  }

  static open(url: string): Promise<RedisShell> {
    const { hostname, port } = new URL(url)
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => resolve(new RedisShell(socket)))
      socket.once('error', reject)
    })
  }

  send(...command: readonly string[]): Promise<Reply> {
    const parts = command.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`)
    this.#socket.write(`*${command.length}\r\n${parts.join('')}`)
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** One figure of INFO. */
  async info(field: string): Promise<string | undefined> {
    return new RegExp(`^${field}:(.*)$`, 'm').exec(String(await this.send('INFO')))?.[1]?.trim()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, chunk])
    for (let read = parse(this.#unread, 0); read !== undefined; read = parse(this.#unread, 0)) {
      this.#unread = this.#unread.subarray(read.next)
      this.#waiting.shift()?.(read.reply)
    }
  }
}

function parse(from: Buffer, start: number): { reply: Reply; next: number } | undefined {
  const end = from.indexOf('\r\n', start)
  if (end === -1) return undefined
  const line = from.toString('utf8', start + 1, end)
  const after = end + 2
  switch (String.fromCharCode(from[start]!)) {
    case ':':
      return { reply: Number(line), next: after }
    case '-':
      return { reply: new Error(line), next: after }
    case '$':
      return bulk(from, Number(line), after)
    case '*':
      return list(from, Number(line), after)
    default:
      return { reply: line, next: after }
  }
}

function bulk(from: Buffer, size: number, start: number): { reply: Reply; next: number } | undefined {
  if (size < 0) return { reply: null, next: start }
  if (from.length < start + size + 2) return undefined
  return { reply: from.toString('utf8', start, start + size), next: start + size + 2 }
}

function list(from: Buffer, size: number, start: number): { reply: Reply; next: number } | undefined {
  const items: Reply[] = []
  let next = start
  for (let i = 0; i < size; i += 1) {
    const item = parse(from, next)
    if (item === undefined) return undefined
    items.push(item.reply)
    next = item.next
  }
  return { reply: items, next }
}
