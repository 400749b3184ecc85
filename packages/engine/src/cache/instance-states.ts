/**
 * What readers see of instances, kept with a stamp that changes whenever anything of it does (ADR 0008). A kept state is served only
 * when a look, sent after the reader came, finds the same stamp; many readers share one look. One that is read very often is served
 * without, if it was looked at within the last moments, and the answer says how long ago. No message has to arrive for any of this.
 */
import { type Clock, isJsonObject, Lru } from '@lockstep/base'
import type { Standing } from '../instance/standing.ts'
import type { InstanceReader, InstanceView } from '../store/instance-reader.ts'
import { CacheCounters, type CacheStats } from './cache-counters.ts'
import type { CacheTier } from './cache-tier.ts'
import type { Cache } from './caches.ts'
import { type Look, StampLooks } from './stamp-looks.ts'

export interface InstanceState {
  readonly view: InstanceView
  /** Of a graph; `undefined`: it has none, or this node cannot tell. */
  readonly variables: Standing['variables']
  /** Open ones, with those that only wait for time, another instance or a lock; none where this node cannot tell. */
  readonly waits: Standing['waits']
}

/** `miss`: read now. `checked`: kept, and found current after the reader came. `fresh`: kept, and current `ageMs` ago at the latest. */
export interface StateAnswer extends InstanceState {
  readonly from: 'miss' | 'checked' | 'fresh'
  readonly ageMs: number
}

export interface InstanceStatesOptions {
  readonly instances: Pick<InstanceReader, 'stamped' | 'stamps'>
  readonly standing: (view: InstanceView) => Promise<Standing>
  readonly clock: Clock
  readonly tier?: CacheTier | undefined
}

interface Entry extends InstanceState {
  readonly stamp: string
  /** It was current at this moment of the local clock, or later. */
  seenAt: number
  readonly reads: Reads
}

/** A read of the store that is under way. */
interface Loading {
  readonly tenant: string
  /** What it finds was so at this moment or later. */
  readonly validFrom: number
  readonly answer: Promise<StateAnswer | undefined>
  /** Something has happened to the instance meanwhile: those who wait may have it, later readers may not. */
  isOutdated: boolean
}

/** How often a state is read. */
interface Reads {
  since: number
  count: number
  before: number
}

export const INSTANCE_CACHE = 'instances'
/** The longest that a state is served for without a look. */
export const FRESH_MS = 50
/** Reads within that time that make a state hot: fewer cost a look each, and are never behind. */
const HOT_READS = 5
const MOST_ENTRIES = 1_000
/** Characters of JSON. */
const MOST_WEIGHT = 32_000_000
const SECOND_TIER_TTL_MS = 60_000
const KEY_START = 'instance:'

export class InstanceStates implements Cache {
  readonly #o: InstanceStatesOptions
  readonly #looks: StampLooks
  readonly #counters = new CacheCounters()
  readonly #entries: Lru<string, Entry>
  readonly #loading = new Map<string, Loading>()

  constructor(options: InstanceStatesOptions) {
    this.#o = options
    this.#looks = new StampLooks(options.instances, options.clock)
    this.#entries = new Lru({ most: MOST_ENTRIES, mostWeight: MOST_WEIGHT, onEvicted: this.#counters.evicted })
  }

  /** One that is read so often that what was found shortly before will do; `undefined`: `read` it. */
  hot(tenant: string, instanceId: string): StateAnswer | undefined {
    const entry = this.#of(tenant, instanceId)
    if (entry === undefined || this.#loading.has(instanceId)) return undefined
    const now = this.#o.clock.monotonic()
    const ageMs = now - entry.seenAt
    if (ageMs > FRESH_MS || !isHot(entry.reads, now)) return undefined
    countRead(entry.reads, now)
    return this.#hit(entry, 'fresh', ageMs)
  }

  /** `undefined`: there is no such instance. `exact`: as it is now, however often it is read. */
  async read(
    tenant: string,
    instanceId: string,
    { exact = false }: { readonly exact?: boolean } = {},
  ): Promise<StateAnswer | undefined> {
    const cameAt = this.#o.clock.monotonic()
    // Whoever loads began before we came: what it finds still has to be looked at.
    const loading = this.#loading.get(instanceId)
    if (loading !== undefined) await loading.answer.catch(() => undefined)
    const entry = this.#of(tenant, instanceId)
    if (entry === undefined) return this.#load(tenant, instanceId, cameAt)
    const wasHot = isHot(entry.reads, cameAt)
    countRead(entry.reads, cameAt)
    if (!exact && wasHot && cameAt - entry.seenAt <= FRESH_MS) return this.#hit(entry, 'fresh', cameAt - entry.seenAt)
    const look = await this.#looks.look(tenant, instanceId)
    if (look.stamp === entry.stamp) {
      entry.seenAt = Math.max(entry.seenAt, look.askedAt)
      return this.#hit(entry, 'checked', 0)
    }
    if (this.#of(tenant, instanceId) === entry) this.forget(instanceId)
    if (look.stamp === undefined) return undefined
    return this.#load(tenant, instanceId, cameAt, look, entry.reads)
  }

  /** Something happened to it: the next reader looks. */
  forget(instanceId: string): void {
    if (this.#entries.delete(instanceId)) this.#counters.invalidations += 1
    const loading = this.#loading.get(instanceId)
    if (loading !== undefined) loading.isOutdated = true
  }

  stats(): CacheStats {
    const { hits, misses, invalidations, evictions, secondTierHits } = this.#counters
    const counts = { hits, misses, invalidations, evictions, secondTierHits }
    return { name: INSTANCE_CACHE, size: this.#entries.size, limit: MOST_ENTRIES, ...counts }
  }

  clear(): void {
    this.#counters.invalidations += this.#entries.size
    this.#entries.clear()
  }

  async clearSecondTier(): Promise<void> {
    await this.#o.tier?.clear(KEY_START)
  }

  /** Ids are unique over all tenants, but one tenant's state is nothing to another. */
  #of(tenant: string, instanceId: string): Entry | undefined {
    const entry = this.#entries.get(instanceId)
    return entry?.view.tenant === tenant ? entry : undefined
  }

  #hit({ view, variables, waits }: Entry, from: 'checked' | 'fresh', ageMs: number): StateAnswer {
    this.#counters.hits += 1
    return { view, variables, waits, from, ageMs }
  }

  /** Once for all that came before it began. */
  #load(
    tenant: string,
    instanceId: string,
    cameAt: number,
    look?: Look,
    reads?: Reads,
  ): Promise<StateAnswer | undefined> {
    const present = this.#loading.get(instanceId)
    if (present !== undefined && present.tenant === tenant && present.validFrom >= cameAt) {
      this.#counters.hits += 1
      return present.answer
    }
    const validFrom = look?.askedAt ?? this.#o.clock.monotonic()
    const loading: Loading = {
      tenant,
      validFrom,
      answer: this.#readStore(tenant, instanceId, look, reads),
      isOutdated: false,
    }
    this.#loading.set(instanceId, loading)
    const done = (): void => {
      if (loading.isOutdated) this.#entries.delete(instanceId)
      if (this.#loading.get(instanceId) === loading) this.#loading.delete(instanceId)
    }
    loading.answer.then(done, done)
    return loading.answer
  }

  async #readStore(tenant: string, instanceId: string, look?: Look, reads?: Reads): Promise<StateAnswer | undefined> {
    this.#counters.misses += 1
    const counted = reads ?? { since: this.#o.clock.monotonic(), count: 1, before: 0 }
    const shared = await this.#fromSecondTier(tenant, instanceId, look)
    if (shared !== undefined) {
      this.#counters.secondTierHits += 1
      return this.#keep({ ...shared, reads: counted })
    }
    const seenAt = this.#o.clock.monotonic()
    const found = await this.#o.instances.stamped(tenant, instanceId)
    if (found === undefined) return undefined
    const standing = await this.#o.standing(found.view)
    return this.#keep({ ...found, ...standing, seenAt, reads: counted }, true)
  }

  #keep(entry: Entry, isNew = false): StateAnswer {
    const { view, variables, waits, stamp } = entry
    const text = JSON.stringify({ stamp, view, variables, waits })
    this.#entries.set(view.id, entry, text.length)
    if (isNew) this.#o.tier?.write(`${KEY_START}${view.id}`, text, SECOND_TIER_TTL_MS)
    return { view, variables, waits, from: 'miss', ageMs: 0 }
  }

  /** What another node has read, if the store says that it is still so. */
  async #fromSecondTier(
    tenant: string,
    instanceId: string,
    look?: Look,
  ): Promise<(InstanceState & { readonly stamp: string; readonly seenAt: number }) | undefined> {
    const { tier } = this.#o
    if (tier === undefined) return undefined
    const [text, { stamp, askedAt }] = await Promise.all([
      tier.read(`${KEY_START}${instanceId}`),
      look ?? this.#looks.look(tenant, instanceId),
    ])
    const state = text === undefined || stamp === undefined ? undefined : stateOf(text)
    if (state?.stamp !== stamp || state?.view.id !== instanceId || state.view.tenant !== tenant) return undefined
    return { ...state, stamp: state.stamp, seenAt: askedAt }
  }
}

function countRead(reads: Reads, now: number): void {
  const passedMs = now - reads.since
  if (passedMs > FRESH_MS) {
    reads.before = passedMs > 2 * FRESH_MS ? 0 : reads.count
    reads.since = now
    reads.count = 0
  }
  reads.count += 1
}

/** Whether whoever comes now finds it hot. */
function isHot({ since, count, before }: Reads, now: number): boolean {
  const passedMs = now - since
  if (passedMs > 2 * FRESH_MS) return false
  return (passedMs > FRESH_MS ? count : Math.max(before, count)) >= HOT_READS
}

/** Whatever it is, it does not throw. What JSON leaves out is `undefined` in a view, and comes back as that. */
function stateOf(text: string): (InstanceState & { readonly stamp: string }) | undefined {
  try {
    const state: unknown = JSON.parse(text)
    if (!isJsonObject(state) || typeof state.stamp !== 'string' || !isJsonObject(state.view)) return undefined
    if (!Array.isArray(state.waits)) return undefined // of a node that did not tell them
    return {
      ...(state as unknown as InstanceState & { stamp: string }),
      variables: state.variables as Standing['variables'],
    }
  } catch {
    return undefined
  }
}
