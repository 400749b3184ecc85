import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import { Engine, workflow } from '@lockstep/engine'
import { openPostgres, postgresEngineStore, postgresWakeBus } from '@lockstep/postgres'
import { cloneDatabase } from '@lockstep/testing/harness'
import { describe, expect, inject, it } from 'vitest'
import { until } from '../faults/until.ts'
import { nodeProgram } from '../setup/bundle-nodes.ts'

const program = nodeProgram(new URL('./limit-node.mjs', import.meta.url))

interface Line {
  readonly kind: 'begin' | 'end' | 'killed'
  readonly instance: string
  readonly pid: number
  readonly at: number
}

const readSink = (sink: string): Line[] =>
  readFileSync(sink, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line)

const ends = (sink: string): number => readSink(sink).filter((line) => line.kind === 'end').length

/** The most attempts that were inside at once, as the sink saw it. */
function mostInside(lines: readonly Line[]): number {
  const inside = new Map<string, number>()
  let most = 0
  for (const { kind, instance, pid } of lines) {
    if (kind === 'begin') inside.set(`${instance} ${pid}`, pid)
    else if (kind === 'end') inside.delete(`${instance} ${pid}`)
    else for (const [key, owner] of inside) if (owner === pid) inside.delete(key)
    most = Math.max(most, inside.size)
  }
  return most
}

async function killing(policies: object, workMs: number, instances: number, kills: number): Promise<Line[]> {
  const database = await cloneDatabase(inject('postgres'))
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-limits-'))
  const sink = join(folder, 'sink.jsonl')
  writeFileSync(sink, '')
  const children: ChildProcess[] = []
  const node = async (): Promise<void> => {
    const options = JSON.stringify({ url: database.url, sink, policies, workMs })
    const child = fork(program, [options], { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    children.push(child)
    await once(child, 'message')
  }
  const kill = async (child: ChildProcess): Promise<void> => {
    child.kill('SIGKILL')
    await once(child, 'close')
    appendFileSync(sink, `${JSON.stringify({ kind: 'killed', instance: '', pid: child.pid, at: 0 })}\n`)
  }
  const db = await openPostgres({ url: database.url, clock, random })
  const store = postgresEngineStore(db)
  const bus = await postgresWakeBus(db, clock, { debug() {}, info() {}, warn() {}, error() {} } as never)
  // Starts them and waits; runs none of them.
  const engine = await Engine.open({
    ...{ store, bus, clock, random, heartbeatMs: 300, ttlMs: 5_000, concurrency: 1 },
    workflows: [workflow('other', async () => undefined)],
  })
  try {
    await store.definitions.registerFunction('default', 'limited', 1)
    await node()
    await node()
    const ids = await Promise.all(
      Array.from({ length: instances }, async () => (await engine.start({ definitionId: 'limited' })).instanceId),
    )
    for (let n = 0; n < kills; n += 1) {
      const seen = readSink(sink).length
      await until('the work goes on', () => readSink(sink).length >= seen + 6 || ends(sink) >= instances)
      await kill(children[n]!)
      await node()
    }
    for (const id of ids)
      expect(
        (await engine.waitForEnd(id, { limitMs: 60_000 }))?.status,
        await engine.why(id).then((why) => why.text),
      ).toBe('completed')
    return readSink(sink)
  } finally {
    await engine.close(0)
    for (const child of children) if (child.exitCode === null && child.signalCode === null) await kill(child)
    await bus.close()
    await db.close()
    await database.drop()
    rmSync(folder, { recursive: true, force: true })
  }
}

describe('two nodes, one of which is killed again and again', () => {
  it('never run more attempts at once than the limit, and finish all of them', async () => {
    const lines = await killing({ limit: { key: 'api', concurrency: 4 } }, 60, 200, 2)
    expect(mostInside(lines)).toBeLessThanOrEqual(4)
    expect(mostInside(lines)).toBeGreaterThan(1)
  })

  it('never run two attempts under one lock', async () => {
    const lines = await killing({ lock: { name: 'file', ttlMs: 5_000 } }, 60, 60, 2)
    expect(mostInside(lines)).toBe(1)
  })
})
