import { silentLogger, systemClock, systemRandom, uuidSource } from '@lockstep/base'
import { type AnyWorkflow, Engine, LiveFeed } from '@lockstep/engine'
import {
  type Db,
  openPostgres,
  postgresBrowse,
  postgresEngineStore,
  postgresIdempotency,
  postgresLive,
  postgresWakeBus,
  statement,
} from '@lockstep/postgres'
import { type HttpServer, type HttpServerOptions, openHttpServer } from '@lockstep/server'

const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }

/** A node in this process: engine, feed and HTTP. */
export interface LiveNode {
  readonly db: Db
  readonly engine: Engine
  readonly feed: LiveFeed
  readonly http: HttpServer
  close(): Promise<void>
}

export async function openLiveNode(
  url: string,
  workflows: readonly AnyWorkflow[] = [],
  options: Partial<HttpServerOptions> = {},
): Promise<LiveNode> {
  const db = await openPostgres({ url, ...edge })
  const bus = await postgresWakeBus(db, systemClock, silentLogger)
  const feed = new LiveFeed({ ...edge, store: postgresLive(db), bus, id: uuidSource(systemClock, systemRandom)() })
  const onCommitted = (): void => feed.committed()
  const engine = await Engine.open({ ...edge, store: postgresEngineStore(db), bus, workflows, onCommitted })
  const http = await openHttpServer({
    ...edge,
    host: '127.0.0.1',
    port: 0,
    basePath: '',
    health: { started: () => true, ready: async () => [] },
    engine,
    browse: postgresBrowse(db),
    idempotency: postgresIdempotency(db),
    live: feed,
    ...options,
  })
  const close = async (): Promise<void> => {
    await http.close()
    feed.close()
    await engine.close(1_000)
    await bus.close()
    await db.close()
  }
  return { db, engine, feed, http, close }
}

const journal = statement<undefined, { pos: string; instance_id: string; seq: number; kind: string }>(
  'test_journal',
  () => [],
  'select pos, instance_id, seq, kind from journal order by pos',
  { readOnly: true },
)

/** Every fact there is, as the stream names it. */
export async function journalOf(db: Db): Promise<readonly string[]> {
  return (await db.many(journal)).map((row) => `${row.pos} wfi_${row.instance_id} ${row.seq} ${row.kind}`)
}
