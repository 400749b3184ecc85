import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { cloneDatabase, startRabbitmq, startRedis } from '@lockstep/testing/harness'
import { type RunningNode, resolveNodeOptions, startNode, workflow } from 'lockstep'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { parse } from 'yaml'
import { parseMetrics } from '../live/parse-metrics.ts'
import { groupedBy, labelsLeft, selectorsOf } from './query-labels.ts'

const read = (name: string): string => readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8')
interface Rule {
  readonly alert: string
  readonly expr: string
  readonly annotations: Readonly<Record<string, string>>
}
interface Panel {
  readonly title: string
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}
interface Query {
  readonly of: string
  readonly expr: string
  /** Labels that its text shows. */
  readonly shows: readonly string[]
}

const { groups } = parse(read('prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] }
const { panels } = JSON.parse(read('../packages/server/grafana/lockstep.json')) as { panels: Panel[] }
const shownBy = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, label]) => label!)
const queries: readonly Query[] = [
  ...groups.flatMap(({ rules }) =>
    rules.map(({ alert, expr, annotations }) => ({
      ...{ of: alert, expr },
      shows: shownBy(Object.values(annotations).join(' '), /\$labels\.(\w+)/g),
    })),
  ),
  ...panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({ of: title, expr, shows: shownBy(legendFormat, /\{\{(\w+)\}\}/g) })),
  ),
]

/** Prometheus says itself where a sample came from, and whether there was an answer. */
const SCRAPED = ['job', 'instance']
/** Label → values, of every series by its name. */
type Served = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>

function servedIn(text: string): Served {
  const served = new Map<string, Map<string, Set<string>>>([['up', new Map()]])
  for (const { samples } of parseMetrics(text).values())
    for (const { name, labels } of samples) {
      const known = served.get(name) ?? new Map<string, Set<string>>()
      served.set(name, known)
      for (const [label, value] of Object.entries(labels)) {
        const values = known.get(label) ?? new Set<string>()
        known.set(label, values.add(value))
      }
    }
  return served
}

/** What a query asks for and no node serves, in words. */
function missingIn({ of, expr, shows }: Query, served: Served): string[] {
  const missing: string[] = []
  for (const { metric, matches } of selectorsOf(expr)) {
    const labels = served.get(metric)
    if (labels === undefined) {
      missing.push(`${of}: ${metric}`)
      continue
    }
    const has = (label: string): boolean => SCRAPED.includes(label) || labels.has(label)
    const left = labelsLeft(expr)
    const asked = [...matches.map(({ label }) => label), ...groupedBy(expr), ...shows]
    missing.push(...asked.filter((label) => !has(label)).map((label) => `${of}: ${metric}{${label}}`))
    missing.push(...shows.filter((label) => left?.includes(label) === false).map((label) => `${of}: lost ${label}`))
    for (const { label, operator, value } of matches) {
      if (SCRAPED.includes(label) || operator.startsWith('!')) continue
      const wanted = operator === '=~' ? value.split('|') : [value]
      for (const each of wanted)
        if (labels.get(label)?.has(each) === false) missing.push(`${of}: ${metric}{${label}="${each}"}`)
    }
  }
  return missing
}

describe('what alerts and panels ask for', () => {
  let folder: string
  let node: RunningNode
  const closing: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'lockstep-served-'))
    closing.push(() => rm(folder, { recursive: true, force: true }))
    const database = await cloneDatabase(inject('postgres'))
    closing.unshift(() => database.drop())
    const redis = await startRedis()
    closing.unshift(() => redis.stop())
    const rabbitmq = await startRabbitmq()
    closing.unshift(() => rabbitmq.stop())
    const stores = { databaseUrl: database.url, redisUrl: redis.url, rabbitmqUrl: rabbitmq.url }
    const options = resolveNodeOptions({ port: 0, dataDir: folder, ...stores })
    const workflows = [workflow('locked', async (ctx) => ctx.lock('stock/7', () => ctx.step('count', async () => 7)))]
    const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
    node = await startNode(options, edge, { workflows, activities: [], jobs: [] })
    const response = await fetch(`${node.url}/api/v1/workflow-instances`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ definitionId: 'locked', wait: '60s' }),
    })
    expect(response.status).toBeLessThan(300)
  })
  afterAll(async () => {
    await node?.stop()
    for (const close of closing) await close()
  })

  it('is served by a node: every name, label and value', async () => {
    expect(queries.length).toBeGreaterThan(50)
    const scrape = async (): Promise<Served> => servedIn(await (await fetch(`${node.url}/metrics`)).text())
    // Round trips are measured every 15 s, and have no sample before.
    const missing = async (): Promise<string[]> => {
      const served = await scrape()
      return queries.flatMap((query) => missingIn(query, served))
    }
    await expect.poll(missing, { timeout: 90_000, interval: 500 }).toEqual([])
  })

  it('is missed where it is not served', () => {
    const served = servedIn('# HELP lockstep_a a\n# TYPE lockstep_a gauge\nlockstep_a{pool="work"} 1\n')
    const ask = (expr: string, ...shows: string[]): string[] => missingIn({ of: 'x', expr, shows }, served)
    expect(ask('lockstep_a{pool="work", job="lockstep"} > 0', 'pool', 'instance')).toEqual([])
    expect(ask('lockstep_b')).toEqual(['x: lockstep_b'])
    expect(ask('lockstep_a{kind="y"}')).toEqual(['x: lockstep_a{kind}'])
    expect(ask('lockstep_a{pool=~"work|rest"}')).toEqual(['x: lockstep_a{pool="rest"}'])
    expect(ask('sum by (queue) (lockstep_a)')).toEqual(['x: lockstep_a{queue}'])
    expect(ask('sum(lockstep_a)', 'pool')).toEqual(['x: lost pool'])
  })
})
