import type { Dialogue } from '../exchange/dialogue.ts'
import type { RuleBooks } from '../exchange/rule-book.ts'
import { PostgresDialogue } from '../postgres/postgres-dialogue.ts'
import { RedisDialogue } from '../redis/redis-dialogue.ts'
import type { Counters } from './counters.ts'
import type { ProxyConnection } from './link.ts'
import type { Protocol } from './target.ts'

/** How each protocol is followed. A protocol without an entry does not compile. */
export const dialogues: Readonly<
  Record<Protocol, (books: RuleBooks, link: ProxyConnection, counters: Counters) => Dialogue>
> = {
  postgres: (books, link, counters) => new PostgresDialogue({ rules: books.postgres, link, counters }),
  redis: (books, link, counters) => new RedisDialogue({ rules: books.redis, link, counters }),
}
