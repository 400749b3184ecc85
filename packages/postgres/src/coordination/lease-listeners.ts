import type { Logger } from '@lockstep/base'
import type { LeaseListener, LeaseNotice, Listening } from '@lockstep/coordination'
import type { Db, Subscription } from '../db/db.ts'
import type { LeaseChannel } from './lease-channel.ts'
import { orRefuse } from './refuse.ts'

/** Who hears what is sent to which address, over the one connection of the database that listens. */
export class LeaseListeners {
  readonly #db: Db
  readonly #channelOf: LeaseChannel
  readonly #logger: Logger
  readonly #open = new Set<Subscription>()

  constructor(db: Db, channelOf: LeaseChannel, logger: Logger) {
    this.#db = db
    this.#channelOf = channelOf
    this.#logger = logger
  }

  async listen(address: string, listener: LeaseListener): Promise<Listening> {
    // The database says "read everything anew" when listening begins, too. Nothing can have been missed before that.
    let flows = false
    let isOver = false
    const subscription = await orRefuse('listen', () =>
      this.#db.listen(this.#channelOf(address)!, {
        onMessage: (payload) => {
          const notice = isOver ? undefined : this.#read(payload)
          if (notice !== undefined) listener.onNotice(notice)
        },
        onResync: () => {
          if (flows && !isOver) listener.onGap()
        },
      }),
    )
    flows = true
    this.#open.add(subscription)
    return {
      close: async () => {
        isOver = true
        if (this.#open.delete(subscription)) await subscription.close()
      },
    }
  }

  async close(): Promise<void> {
    const open = [...this.#open]
    this.#open.clear()
    await Promise.all(open.map((each) => each.close()))
  }

  /** Anybody who may connect can send to any channel: what is not ours is passed over. */
  #read(payload: string): LeaseNotice | undefined {
    try {
      return toNotice(JSON.parse(payload) as WireNotice)
    } catch (error) {
      this.#logger.warn('a message on a lease channel cannot be read', { error })
      return undefined
    }
  }
}

/** As migration 0006 writes it. */
interface WireNotice {
  readonly kind: LeaseNotice['kind']
  readonly name: string
  readonly token: string
  readonly fence: string
  readonly at: number
  readonly reason: string
}

function toNotice({ kind, name, token, fence, at, reason }: WireNotice): LeaseNotice | undefined {
  switch (kind) {
    case 'granted':
      return { kind, name, token, fence: BigInt(fence), at }
    case 'revoked':
    case 'yield':
      return { kind, name, token, reason }
    default:
      return undefined
  }
}
