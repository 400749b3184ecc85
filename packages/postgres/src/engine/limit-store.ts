import {
  Fenced,
  type LimitRule,
  type LimitStore,
  type PermitAsk,
  type PermitEnd,
  type PermitName,
  type StoredLimit,
} from '@lockstep/engine/ports'
import type { Db, Lane } from '../db/db.ts'
import { sqlstateOf } from '../db/errors.ts'
import { FENCED } from './fenced.ts'
import * as sql from './limit.sql.ts'

const MOST_WAITS = 20

export function postgresLimits(db: Db): LimitStore {
  const work = db.lane('work')
  const api = db.lane('api')
  return {
    exchange: (node, ends, asks, patienceMs) => exchange(work, node, ends, asks, patienceMs),
    waitedFor: (limit) => api.many(sql.waitedFor, { limit }),
    noteBreakers: async (waits) => {
      const sorted = [...waits].sort(byName)
      await work.run(sql.noteBreakers, { ...nameColumns(sorted), inMs: sorted.map((wait) => wait.inMs) })
    },
    waits: async (tenant, id) =>
      (await api.many(sql.waits, { tenant, id, most: MOST_WAITS })).map(({ until_at, ahead, holders, ...row }) => ({
        ...row,
        untilAt: until_at ?? undefined,
        ahead: Math.max(0, Number(ahead)),
        holders: holders ?? [],
      })),
    set: async (tenant, key, rule) => {
      if (rule === undefined) await api.run(sql.unset, { tenant, key })
      else await api.run(sql.set, { tenant, key, ...ruleColumns(rule) })
    },
    get: async (tenant, key) => {
      const row = await api.maybeOne(sql.get, { tenant, key })
      return row && toLimit(row)
    },
    list: async (tenant, after, limit) => (await api.many(sql.list, { tenant, after, limit })).map(toLimit),
    trim: async (unusedMs, limit) =>
      (await api.run(sql.trimWaits, { limit })) +
      (await api.run(sql.trimProgress, { limit })) +
      (await api.run(sql.trimKeys, { unusedMs, limit })) +
      (await api.run(sql.trimBreakers, { unusedMs, limit })),
  }
}

async function exchange(
  lane: Lane,
  node: string | undefined,
  ends: readonly PermitEnd[],
  asks: readonly PermitAsk[],
  patienceMs: number,
): ReturnType<LimitStore['exchange']> {
  try {
    const row = await lane.one(sql.exchange, {
      node,
      patienceMs,
      ends: { ...lineColumns(ends), back: ends.map((end) => end.back) },
      asks: {
        ...lineColumns(asks),
        concurrency: asks.map(({ rule }) => rule.concurrency),
        rateLimit: asks.map(({ rule }) => rule.rate?.limit),
        rateMs: asks.map(({ rule }) => rule.rate?.perMs),
      },
    })
    return {
      answers: asks.map((_, index) => ({
        granted: row.granted[index]!,
        ahead: Number(row.ahead[index]),
        waitedMs: row.waited_ms[index]!,
        waitsMs: row.waits_ms[index] ?? undefined,
      })),
      called: row.called,
    }
  } catch (error) {
    if (node !== undefined && sqlstateOf(error) === FENCED) throw new Fenced({ nodeId: node }, { cause: error })
    throw error
  }
}

/** One order for all: two batches that meet in several rows must not wait for each other. */
function byName(a: Omit<PermitName, 'kind'>, b: Omit<PermitName, 'kind'>): number {
  const [left, right] = [`${a.key} ${a.instanceId} ${a.step}`, `${b.key} ${b.instanceId} ${b.step}`]
  return left < right ? -1 : left > right ? 1 : 0
}

const lineColumns = (names: readonly PermitName[]): sql.LineColumns => ({
  ...nameColumns(names),
  kinds: names.map((name) => name.kind),
})

const nameColumns = (names: readonly Omit<PermitName, 'kind'>[]): Omit<sql.LineColumns, 'kinds'> => ({
  tenants: names.map((name) => name.tenant),
  keys: names.map((name) => name.key),
  instances: names.map((name) => name.instanceId),
  steps: names.map((name) => name.step),
})

const ruleColumns = ({ concurrency, rate }: LimitRule) => ({
  concurrency,
  rateLimit: rate?.limit,
  rateMs: rate?.perMs,
})

const toRule = (concurrency: number | null, limit: number | null, perMs: string | null): LimitRule => ({
  concurrency: concurrency ?? undefined,
  rate: limit === null || perMs === null ? undefined : { limit, perMs: Number(perMs) },
})

const toLimit = (row: sql.LimitRow): StoredLimit => ({
  tenant: row.tenant,
  key: row.key,
  declared: toRule(row.concurrency, row.rate_limit, row.rate_ms),
  set:
    row.set_at === null
      ? undefined
      : { ...toRule(row.set_concurrency, row.set_rate_limit, row.set_rate_ms), at: row.set_at },
  running: Number(row.running),
  waiting: Number(row.waiting),
})
