import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import { type Db, migrate, openPostgres } from '@lockstep/postgres'
import {
  type ClonedDatabase,
  cloneDatabase,
  type ServerHandle,
  startPostgres,
  type TemplateDatabase,
  templateDatabase,
} from '@lockstep/testing/harness'
import { checkHistory, type Effect, readHistory, type Violation } from './check-history.ts'
import { readRows } from './read-rows.ts'
import { type OpenOptions, TestNode } from './test-node.ts'

/** For nodes that live one after the other: a death is noticed at once, and nobody is there to miss who is only slow. */
export const shortLife = { heartbeatMs: 60, ttlMs: 300 }

/** For nodes that live side by side: a process that a busy machine keeps waiting is not taken for dead. */
export const calmLife = { heartbeatMs: 300, ttlMs: 3_000 }

/** What every node is opened with; a longer campaign may try other settings, such as `{"warmLimit":0}`. */
const engineOptions = { ...calmLife, ...(JSON.parse(process.env.LOCKSTEP_FAULTS_ENGINE ?? '{}') as object) }

/** A count that a longer campaign may raise by an environment variable. */
export function countOf(variable: string, usual: number): number {
  const given = Number(process.env[variable])
  return Number.isInteger(given) && given > 0 ? given : usual
}

/** A server of its own with a migrated template; made once per file. */
export class TestBed {
  readonly server: ServerHandle
  readonly #template: TemplateDatabase

  private constructor(server: ServerHandle, template: TemplateDatabase) {
    this.server = server
    this.#template = template
  }

  /** `durable` matters only where the server itself is killed. */
  static async open({ durable = false, graphs = false } = {}): Promise<TestBed> {
    const server = await startPostgres({ quiet: true, durable, maxConnections: 300 })
    const template = await templateDatabase(server, {
      name: 'faults',
      quiet: true,
      migrate: async (url) => {
        await using db = await openPostgres({ url, clock, random })
        await migrate(db, { mode: 'auto', clock, random })
        await db.script(
          'create table public.ledger (id bigint generated always as identity, instance_id uuid not null, step text not null)',
        )
        if (!graphs) return
        const node = await TestNode.open({ url })
        await node.call('publishGraphs')
        await node.close()
      },
    })
    return new TestBed(server, template)
  }

  async site(): Promise<TestSite> {
    return TestSite.open(await cloneDatabase(this.#template))
  }

  stop(): Promise<void> {
    return this.server.stop()
  }
}

/** One database, its sink, and the nodes that a test starts on it. */
export class TestSite implements AsyncDisposable {
  readonly url: string
  readonly db: Db
  readonly sinkFile: string
  readonly nodes: TestNode[] = []
  readonly #folder: string
  readonly #cloned: ClonedDatabase

  private constructor(cloned: ClonedDatabase, db: Db, folder: string) {
    this.#cloned = cloned
    this.url = cloned.url
    this.db = db
    this.#folder = folder
    this.sinkFile = join(folder, 'sink.jsonl')
    writeFileSync(this.sinkFile, '')
  }

  static async open(cloned: ClonedDatabase): Promise<TestSite> {
    const db = await openPostgres({ url: cloned.url, clock, random, idleInTransactionMs: 60_000 })
    return new TestSite(cloned, db, mkdtempSync(join(tmpdir(), 'lockstep-faults-')))
  }

  openOptions(options: Partial<OpenOptions> = {}): OpenOptions {
    return { url: this.url, sinkFile: this.sinkFile, ...options, engine: { ...engineOptions, ...options.engine } }
  }

  async node(options: Partial<OpenOptions> = {}): Promise<TestNode> {
    const node = new TestNode()
    this.nodes.push(node)
    await node.call('open', this.openOptions(options))
    return node
  }

  rows<Row>(text: string, ...values: readonly unknown[]): Promise<Row[]> {
    return readRows(this.db, text, values)
  }

  /** A transaction with an id of its own that stays open until `end`, with whatever `script` locked. */
  async holdTransaction(script = 'select 1'): Promise<{ end(): Promise<void> }> {
    let release = (): void => undefined
    const open = new Promise<void>((resolve) => {
      release = resolve
    })
    let over: Promise<void> | undefined
    await new Promise<void>((resolve, reject) => {
      over = this.db.transaction(async (tx) => {
        await tx.script(`select pg_current_xact_id(); ${script}`)
        resolve()
        await open
      })
      over.catch(reject)
    })
    return {
      end: async () => {
        release()
        await over
      },
    }
  }

  effects(): Effect[] {
    return readFileSync(this.sinkFile, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Effect)
  }

  /** What the tables and the sink say against the promises. */
  async violations(): Promise<Violation[]> {
    return checkHistory(await readHistory(this.db), this.effects())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill9()))
    await this.db.close()
    await this.#cloned.drop()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
