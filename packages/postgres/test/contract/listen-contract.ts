import { describe, expect, it } from 'vitest'
import { notify, type Subscriber } from '../../src/index.ts'
import type { Contract } from '../db-contract.ts'
import { errorOf, until } from '../open-test-database.ts'

interface Recorder extends Subscriber {
  readonly messages: string[]
  resyncCount: number
}

export function recorder(): Recorder {
  const messages: string[] = []
  return {
    messages,
    resyncCount: 0,
    onMessage: (payload) => messages.push(payload),
    onResync() {
      this.resyncCount++
    },
  }
}

export function listenContract(contract: Contract): void {
  const say = (channel: string, payload: string): Promise<number> => contract.db.run(notify, { channel, payload })

  describe('listening', () => {
    it('delivers the messages of a channel, in order, to each of its subscribers', async () => {
      const [one, two, other] = [recorder(), recorder(), recorder()]
      await using _one = await contract.db.listen('news', one)
      await using _two = await contract.db.listen('news', two)
      await using _other = await contract.db.listen('Other "channel"', other)
      for (const payload of ['first', '', 'third']) await say('news', payload)
      await say('Other "channel"', 'elsewhere')
      await until(() => one.messages.length === 3 && two.messages.length === 3 && other.messages.length === 1)
      expect(one.messages).toEqual(['first', '', 'third'])
      expect(two.messages).toEqual(one.messages)
      expect(other.messages).toEqual(['elsewhere'])
    })

    it('tells a subscriber to read everything when listening begins', async () => {
      const subscriber = recorder()
      await using _subscription = await contract.db.listen('beginning', subscriber)
      expect(subscriber.resyncCount).toBeGreaterThanOrEqual(1)
    })

    it('delivers what a transaction said when it commits, and nothing when it rolls back', async () => {
      const subscriber = recorder()
      await using _subscription = await contract.db.listen('commits', subscriber)
      await errorOf(
        contract.db.transaction(async (tx) => {
          await tx.run(notify, { channel: 'commits', payload: 'rolled back' })
          throw new Error('no')
        }),
      )
      await contract.db.transaction((tx) => tx.run(notify, { channel: 'commits', payload: 'committed' }))
      await until(() => subscriber.messages.length > 0)
      expect(subscriber.messages).toEqual(['committed'])
    })

    it('delivers nothing after the subscription was closed, and goes on for others', async () => {
      const [gone, stays] = [recorder(), recorder()]
      const subscription = await contract.db.listen('leaving', gone)
      await using _stays = await contract.db.listen('leaving', stays)
      await subscription.close()
      await say('leaving', 'late')
      await until(() => stays.messages.length === 1)
      expect(gone.messages).toEqual([])
    })

    it('goes on when a subscriber throws', async () => {
      const subscriber = recorder()
      const faulty = {
        onMessage: () => {
          throw new Error('mine')
        },
        onResync: () => {
          throw new Error('mine')
        },
      }
      await using _faulty = await contract.db.listen('faulty', faulty)
      await using _subscription = await contract.db.listen('faulty', subscriber)
      await say('faulty', 'hello')
      await until(() => subscriber.messages.length === 1)
    })
  })
}
