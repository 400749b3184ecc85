import { setTimeout as delay } from 'node:timers/promises'

export interface Heard {
  readonly id: string
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what the wire carries
  readonly data: any
}

/** A reader of server-sent events that remembers everything. */
export class StreamReader implements AsyncDisposable {
  readonly heard: Heard[] = []
  readonly comments: string[] = []
  /** Also moved by blocks that have an id and nothing else. */
  lastId = ''
  ended = false
  readonly #abort = new AbortController()
  readonly #done: Promise<void>

  private constructor(response: Response, abort: AbortController) {
    this.#abort = abort
    this.#done = this.#read(response).finally(() => {
      this.ended = true
    })
  }

  static async open(
    url: string,
    query = '',
    lastId?: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<StreamReader> {
    const abort = new AbortController()
    const response = await fetch(`${url}/api/v1/streams/events${query}`, {
      headers: { ...headers, ...(lastId === undefined ? {} : { 'last-event-id': lastId }) },
      signal: abort.signal,
    })
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
    return new StreamReader(response, abort)
  }

  /** Facts and changes, without what the stream says of itself. */
  get events(): Heard[] {
    return this.heard.filter(({ event }) => event !== 'ready' && event !== 'reset')
  }

  async until(what: string, look: (reader: StreamReader) => boolean, limitMs = 90_000): Promise<void> {
    const deadline = performance.now() + limitMs
    while (!look(this)) {
      if (performance.now() > deadline) throw new Error(`Waited in vain until ${what}`)
      await delay(20)
    }
  }

  /** Settles when the server has ended it. */
  over(): Promise<void> {
    return this.#done
  }

  async close(): Promise<void> {
    this.#abort.abort()
    await this.#done
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #read(response: Response): Promise<void> {
    let rest = ''
    try {
      for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
        const blocks = (rest + text).split('\n\n')
        rest = blocks.pop()!
        for (const block of blocks) this.#take(block)
      }
    } catch {
      // Cut off, by us or by the server: what was heard counts.
    }
  }

  #take(block: string): void {
    const fields = new Map<string, string>()
    for (const line of block.split('\n')) {
      if (line.startsWith(':')) this.comments.push(line.slice(1).trim())
      else fields.set(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim())
    }
    this.lastId = fields.get('id') ?? this.lastId
    const data = fields.get('data')
    if (data !== undefined)
      this.heard.push({ id: fields.get('id') ?? '', event: fields.get('event') ?? 'message', data: JSON.parse(data) })
  }
}
