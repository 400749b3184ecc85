import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { Engine, type EngineOptions, type InstanceEnd } from '@lockstep/engine'
import { type Db, engineSettings, migrate, openPglite, openPostgres, postgresEngineStore } from '@lockstep/postgres'
import { cloneDatabase } from '@lockstep/testing/harness'
import { inject } from 'vitest'

const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }

/** A database of its own on the shared server, and an engine on it. */
export interface TestEngine extends AsyncDisposable {
  readonly engine: Engine
  readonly db: Db
  /** Starts, and waits for the end. */
  run(definitionId: string, input?: unknown): Promise<InstanceEnd & { readonly instanceId: string }>
  /** Creates and publishes a graph. */
  publish(document: Parameters<Engine['definitions']['create']>[1] & object): Promise<void>
  /** Waits until the instance rests in this status. */
  rests(instanceId: string, status: string): Promise<void>
  /** Another node on the same database. */
  beside(options: Partial<EngineOptions>): Promise<TestEngine>
}

export async function openTestEngine(options: Partial<EngineOptions> = {}): Promise<TestEngine> {
  const database = await cloneDatabase(inject('postgres'))
  const db = await openPostgres({ url: database.url, ...edge })
  return testEngineOn(db, options, () => database.drop())
}

/** The same on the embedded store, in memory. */
export async function openEmbeddedEngine(options: Partial<EngineOptions> = {}): Promise<TestEngine> {
  const db = await openPglite({ memory: true, settings: engineSettings, ...edge })
  await migrate(db, { mode: 'auto', ...edge })
  return testEngineOn(db, options, async () => undefined)
}

async function testEngineOn(db: Db, options: Partial<EngineOptions>, drop: () => Promise<void>): Promise<TestEngine> {
  const engine = await Engine.open({ ...edge, store: postgresEngineStore(db), ...options })
  return {
    engine,
    db,
    run: async (definitionId, input) => {
      const { instanceId, here } = await engine.start({ definitionId, input })
      const end = await engine.waitForEnd(instanceId, { here, limitMs: 60_000 })
      if (end === undefined)
        throw new Error(`${definitionId} did not end: ${JSON.stringify(await engine.get(instanceId))}`)
      return { ...end, instanceId }
    },
    publish: async (document) => {
      await engine.definitions.create('default', document)
      await engine.definitions.publish('default', (document as { id: string }).id)
    },
    rests: async (instanceId, status) => {
      while ((await engine.get(instanceId)).status !== status) await new Promise((resolve) => setTimeout(resolve, 10))
    },
    beside: async (others) => {
      const { close: _, ...shared } = db
      return testEngineOn({ ...shared, close: async () => undefined }, others, async () => undefined)
    },
    [Symbol.asyncDispose]: async () => {
      await engine.close(1_000)
      await db.close()
      await drop()
    },
  }
}
