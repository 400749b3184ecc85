import type { Dialogue, Inspector } from '../exchange/dialogue.ts'
import type { Passages } from '../exchange/passages.ts'
import { Reader } from '../exchange/reader.ts'
import type { Cut, DelayReply, Exchanges } from '../exchange/rule.ts'
import type { RuleBook } from '../exchange/rule-book.ts'
import type { Counters } from '../proxy/counters.ts'
import type { ProxyConnection } from '../proxy/link.ts'
import { type CommandReply, toCommand } from './command.ts'
import { ExpectedReplies } from './expected-replies.ts'
import { firstLine, measureReply, measureRequest, readWords } from './resp.ts'

interface Awaited {
  left: number
  readonly delays: DelayReply[]
  readonly cut?: Cut<CommandReply>
}

/**
 * Follows one Redis connection. A command to be cut before it is forwarded is where forwarding stops. A command to be
 * cut after is the last one forwarded; its reply is proof that it was executed and never reaches the client.
 */
export class RedisDialogue implements Dialogue {
  readonly requests: Inspector
  readonly replies: Inspector
  readonly #rules: RuleBook<Exchanges['redis']>
  readonly #link: ProxyConnection
  readonly #counters: Counters
  readonly #reader: Reader
  readonly #expected = new ExpectedReplies()
  readonly #queue: Awaited[] = []
  #forwarding = true
  #done = false

  constructor(parts: { rules: RuleBook<Exchanges['redis']>; link: ProxyConnection; counters: Counters }) {
    this.#rules = parts.rules
    this.#link = parts.link
    this.#counters = parts.counters
    this.#reader = new Reader(() => this.#onLost())
    this.requests = this.#reader.inspector({
      measure: measureRequest,
      message: (message, out) => this.#onRequest(message, out),
      keepsRest: () => this.#forwarding,
    })
    this.replies = this.#reader.inspector({
      measure: measureReply,
      message: (message, out) => this.#onReply(message, out),
      keepsRest: () => this.#queue[0]?.cut === undefined,
    })
  }

  #onRequest(message: Buffer, out: Passages): void {
    if (!this.#forwarding) return
    const words = readWords(message)
    if (words.length === 0) {
      out.pass(message)
      return
    }
    const command = toCommand(words)
    const { cut, delays } = this.#rules.judge(command, this.#link)
    if (cut?.when === 'before-forward') {
      this.#forwarding = false
      out.act(() => this.#cut(cut, undefined))
      return
    }
    out.pass(message)
    const left = this.#expected.of(command)
    if (left === undefined) this.#reader.lose()
    else if (left > 0) this.#queue.push({ left, delays: [...delays], ...(cut && { cut }) })
    if (cut === undefined) return
    this.#forwarding = false
    // No reply is due, so there is nothing to wait for.
    if (!left) out.act(() => this.#cut(cut, undefined))
  }

  #onReply(message: Buffer, out: Passages): void {
    if (this.#done) return
    const head = this.#expected.isReply(message) ? this.#queue[0] : undefined
    if (head && --head.left === 0) this.#queue.shift()
    if (!head?.cut) {
      for (const delay of head?.delays.splice(0) ?? []) {
        out.delay(delay.ms)
        delay.landed()
      }
      out.pass(message)
      return
    }
    if (head.left > 0) return
    const { cut } = head
    this.#done = true
    const reply: CommandReply = { head: firstLine(message) }
    out.act(() => this.#cut(cut, reply))
  }

  #cut(cut: Cut<CommandReply>, reply: CommandReply | undefined): void {
    this.#link.cut()
    cut.landed(reply)
  }

  #onLost(): void {
    this.#counters.opaque++
    // Commands were kept back already; to go on would leave a hole in the stream.
    if (!this.#forwarding) this.#link.cut()
  }
}
