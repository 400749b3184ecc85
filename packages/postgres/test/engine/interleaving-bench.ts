import type { EngineStore } from '@lockstep/engine/ports'
import {
  type Bench,
  bench,
  bookmark,
  type ContractNode,
  checkpoint,
  SUSPENDED,
  TENANT,
  waitingFact,
} from '@lockstep/testing/contracts'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { postgresEngineStore } from '../../src/engine/engine-store.ts'
import { emptyStore, openTestPostgres, type TestDatabase } from './open-stores.ts'
import { openSession, type Session, type Traffic, watchLocks } from './scripted-sessions.ts'

/** What the scripts play with: the store, one node, and as many sessions as they open. New before each test. */
export class InterleavingBench {
  database!: TestDatabase
  store!: EngineStore
  b!: Bench
  node!: ContractNode
  traffic!: Traffic
  #sessions: Session[] = []

  async session(): Promise<Session> {
    const opened = await openSession(this.database.url, this.database.db.schema)
    this.#sessions.push(opened)
    return opened
  }

  /** A run that waits at a bookmark after its first burst. */
  async waiting(mark = bookmark(this.b.newId())): Promise<string> {
    const id = await this.b.started(this.node)
    await this.node.checkpoint(checkpoint(id, { facts: [waitingFact(mark)], then: SUSPENDED, opens: [mark] }))
    return id
  }

  send(instanceId: string): Promise<boolean> {
    return this.store.stimuli.send({ tenant: TENANT, instanceId, kind: 'cancel', payload: '{}', dedupeKey: undefined })
  }

  async renew(): Promise<void> {
    await emptyStore(this.database.db)
    this.b = bench(this.store)
    this.node = await this.b.joined()
    this.traffic = watchLocks(await this.session())
  }

  async closeSessions(): Promise<void> {
    for (const each of this.#sessions.splice(0)) await each.close()
  }
}

export function interleavingBench(): InterleavingBench {
  const h = new InterleavingBench()
  beforeAll(async () => {
    h.database = await openTestPostgres()
    h.store = postgresEngineStore(h.database.db)
  })
  afterAll(() => h.database?.close())
  beforeEach(() => h.renew())
  afterEach(() => h.closeSessions())
  return h
}
