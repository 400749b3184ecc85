/** The doctor without a node: for a store whose nodes are all down, or that should not be asked through one. */
import { existsSync } from 'node:fs'
import { silentLogger, systemClock, systemRandom, uuidSource } from '@lockstep/base'
import { examineWithoutEngine } from '@lockstep/engine'
import { DataFolderUnreadable, historyGuard, postgresEngineStore } from '@lockstep/postgres'
import { openDatabase } from '../open-database.ts'
import { resolveNodeOptions } from '../options/node-options.ts'
import { version } from '../version.ts'
import type { Body } from './remote/api-client.ts'

export interface DirectOptions {
  readonly databaseUrl: string | undefined
  readonly dataDir: string | undefined
  readonly repair: boolean
}

/** Often enough that no other node takes this one for dead. */
const BEAT_MS = 500

/** Opens the store, never making one and never changing its schema. A repair happens under the fence of a node row, as every write does. */
export async function withStore(
  { databaseUrl, dataDir, repair }: DirectOptions,
  work: (look: (cursor: string | undefined) => Promise<Body>) => Promise<void>,
): Promise<void> {
  if (dataDir !== undefined && !existsSync(dataDir))
    throw new DataFolderUnreadable({ folder: dataDir, message: 'there is no such folder' })
  const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
  const options = resolveNodeOptions({
    migrate: 'check',
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    ...(dataDir === undefined ? {} : { dataDir }),
  })
  const nodeId = uuidSource(systemClock, systemRandom)()
  const guard = historyGuard()
  const db = await openDatabase(options, guard, `lockstep-doctor:${nodeId}`, edge)
  const store = postgresEngineStore(db, { guard })
  const { membership } = store
  let beat: NodeJS.Timeout | undefined
  try {
    if (repair) {
      await membership.join({ id: nodeId, name: 'doctor', version })
      beat = setInterval(() => void membership.beat(nodeId).catch(() => undefined), BEAT_MS)
    }
    await work(async () => {
      const report = await examineWithoutEngine(store, nodeId, { repair, lookAt: Number.MAX_SAFE_INTEGER })
      const looked = Object.fromEntries(Object.entries(report.areas).map(([area, each]) => [area, each.looked]))
      const findings = report.findings.map((each) => ({ ...each, repair: each.repair ?? null }))
      return { healthy: report.healthy, findings, looked, next: null }
    })
  } finally {
    clearInterval(beat)
    if (repair) await membership.leave(nodeId).catch(() => undefined)
    await db.close()
  }
}
