import type { Dialogue, Inspector } from '../exchange/dialogue.ts'
import type { Passages } from '../exchange/passages.ts'
import { Reader } from '../exchange/reader.ts'
import type { Cut, Exchanges, Verdict } from '../exchange/rule.ts'
import type { RuleBook } from '../exchange/rule-book.ts'
import type { Counters } from '../proxy/counters.ts'
import type { ProxyConnection } from '../proxy/link.ts'
import { readCommandTag, readSqlState } from './backend-message.ts'
import {
  type FrontendMessage,
  measureMessage,
  measureStartup,
  readFrontend,
  readStartup,
  typeOf,
} from './frontend-message.ts'
import { type AwaitedKind, ReplyQueue } from './reply-queue.ts'
import type { Statement, StatementReply } from './statement.ts'
import { StatementBook } from './statement-book.ts'

interface Judged {
  readonly statement: Statement
  readonly verdict: Verdict<StatementReply>
  delayed: boolean
}

/** A statement whose reply the client must not get; what was learned from that reply. */
interface Withheld {
  readonly statement: Statement
  readonly cut: Cut<StatementReply>
  readonly tags: string[]
  sqlState?: string
  readonly skipped?: true
  settled: boolean
}

const AWAITED: Readonly<Record<Exclude<FrontendMessage['type'], 'other'>, AwaitedKind>> = {
  query: 'query',
  parse: 'parse',
  bind: 'bind',
  describe: 'describe',
  execute: 'execute',
  close: 'close',
  sync: 'sync',
  'function-call': 'query',
  'copy-end': 'copy-end',
}

const ENCRYPTION_ACCEPTED = new Set(['S', 'G'])

/**
 * Follows one PostgreSQL connection. A request to be cut before it is forwarded is where forwarding stops, so neither an
 * Execute nor anything after it reaches the server. A request to be cut after is forwarded with the rest of its batch
 * (up to Sync: the server may hold answers back until then) and nothing more; its reply is kept from the client until it
 * proves that the statement is done. That is CommandComplete for a COMMIT, ReadyForQuery for anything else: outside a
 * transaction the server commits between the two.
 */
export class PostgresDialogue implements Dialogue {
  readonly requests: Inspector
  readonly replies: Inspector
  readonly #rules: RuleBook<Exchanges['postgres']>
  readonly #link: ProxyConnection
  readonly #counters: Counters
  readonly #book = new StatementBook()
  readonly #queue = new ReplyQueue<Judged>()
  readonly #reader: Reader
  #started = false
  #forwarding: 'all' | 'up-to-sync' | 'nothing' = 'all'
  #withheld: Withheld | undefined

  constructor(parts: { rules: RuleBook<Exchanges['postgres']>; link: ProxyConnection; counters: Counters }) {
    this.#rules = parts.rules
    this.#link = parts.link
    this.#counters = parts.counters
    this.#reader = new Reader(() => this.#onLost())
    this.requests = this.#reader.inspector({
      measure: (bytes) => (this.#started ? measureMessage(bytes) : measureStartup(bytes)),
      message: (message, out) => this.#onRequest(message, out),
      keepsRest: () => this.#forwarding === 'all',
    })
    this.replies = this.#reader.inspector({
      measure: (bytes) => (this.#awaitsEncryption(bytes) ? 1 : measureMessage(bytes)),
      message: (message, out) => this.#onReply(message, out),
      keepsRest: () => this.#withheld === undefined,
    })
  }

  #onRequest(message: Buffer, out: Passages): void {
    if (this.#forwarding === 'nothing') return
    if (!this.#started) {
      this.#onStartup(message, out)
      return
    }
    const request = readFrontend(message)
    const judged = this.#judge(request)
    const cut = judged?.verdict.cut
    if (judged && cut?.when === 'before-forward') {
      this.#forwarding = 'nothing'
      out.act(() => this.#cut(judged.statement, cut, undefined))
      return
    }
    out.pass(message)
    if (request.type === 'sync' && this.#forwarding === 'up-to-sync') this.#forwarding = 'nothing'
    if (cut) this.#forwarding = request.type === 'query' ? 'nothing' : 'up-to-sync'
    if (request.type === 'other') return
    const undo = this.#note(request)
    const expected = this.#queue.push({
      kind: AWAITED[request.type],
      ...(judged && { exchange: judged }),
      ...(undo && { undo }),
    })
    if (!expected && judged) this.#withhold(judged, { skipped: true })
  }

  #onStartup(message: Buffer, out: Passages): void {
    const kind = readStartup(message)
    if (kind === 'encryption-request') this.#queue.push({ kind: 'encryption-answer' })
    if (kind === 'startup') {
      this.#started = true
      this.#queue.push({ kind: 'startup' })
    }
    out.pass(message)
  }

  #note(request: FrontendMessage): (() => void) | undefined {
    if (request.type === 'parse') return this.#book.parse(request.name, request.sql)
    if (request.type === 'bind') this.#book.bind(request.portal, request.statement)
    if (request.type === 'close') this.#book.close(request.of, request.name)
    return undefined
  }

  #judge(request: FrontendMessage): Judged | undefined {
    if (request.type !== 'query' && request.type !== 'execute') return undefined
    const statement = request.type === 'query' ? this.#book.query(request.sql) : this.#book.execute(request.portal)
    if (statement.commits) this.#counters.commitsSeen++
    // The connection is about to die for an earlier statement of this batch.
    if (this.#forwarding !== 'all') return undefined
    return { statement, verdict: this.#rules.judge(statement, this.#link), delayed: false }
  }

  #onReply(message: Buffer, out: Passages): void {
    const type = typeOf(message)
    if (this.#queue.head?.kind === 'encryption-answer') {
      this.#queue.answered()
      if (message.length === 1 && ENCRYPTION_ACCEPTED.has(type)) this.#reader.lose()
      out.pass(message)
      return
    }
    const { owner, skipped } = this.#queue.advance(type)
    if (owner?.exchange) this.#withhold(owner.exchange, {})
    if (this.#withheld) this.#learn(this.#withheld, type, message, out)
    else {
      if (owner?.exchange) this.#delay(owner.exchange, out)
      out.pass(message)
    }
    for (const each of skipped) if (each.exchange) this.#withhold(each.exchange, { skipped: true })
  }

  #withhold({ statement, verdict: { cut } }: Judged, how: { readonly skipped?: true }): void {
    if (cut) this.#withheld ??= { statement, cut, tags: [], settled: false, ...how }
  }

  #learn(withheld: Withheld, type: string, message: Buffer, out: Passages): void {
    const { statement, cut, tags, skipped } = withheld
    if (withheld.settled) return
    if (type === 'C') tags.push(readCommandTag(message))
    if (type === 'E') withheld.sqlState = readSqlState(message)
    const committed = type === 'C' && statement.commits && statement.via === 'extended'
    if (type !== 'Z' && !committed) return
    withheld.settled = true
    this.#forwarding = 'nothing'
    const { sqlState } = withheld
    const reply: StatementReply = { tags, ...(sqlState !== undefined && { sqlState }), ...(skipped && { skipped }) }
    out.act(() => this.#cut(statement, cut, reply))
  }

  #delay(judged: Judged, out: Passages): void {
    if (judged.delayed) return
    judged.delayed = true
    for (const delay of judged.verdict.delays) {
      out.delay(delay.ms)
      delay.landed()
    }
  }

  #cut(statement: Statement, cut: Cut<StatementReply>, reply: StatementReply | undefined): void {
    this.#link.cut()
    if (statement.commits) this.#counters.commitsCut++
    cut.landed(reply)
  }

  #awaitsEncryption(bytes: Buffer): boolean {
    // Servers that know no such request answer with an ordinary error.
    return this.#queue.head?.kind === 'encryption-answer' && typeOf(bytes) !== 'E'
  }

  #onLost(): void {
    this.#counters.opaque++
    // Messages were kept back already; to go on would leave a hole in the stream.
    if (this.#withheld || this.#forwarding !== 'all') this.#link.cut()
  }
}
