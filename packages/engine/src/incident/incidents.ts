/** What went wrong and waits for a person: listed, grouped by what is alike, and resolved. */
import { InvalidOption, isUuid, type Json } from '@lockstep/base'
import { checkText, DEFAULT_TENANT } from '../start/start-request.ts'
import { toPayload } from '../step/payload.ts'
import type { BoundedCount } from '../store/definition-usage-store.ts'
import type {
  GroupFilter,
  Incident,
  IncidentFilter,
  IncidentGroup,
  IncidentPage,
  IncidentStore,
} from '../store/incident-store.ts'
import type { RetryOptions } from '../verb/retry.ts'
import type { RetryOutcome } from '../verb/verb-outcome.ts'

export interface ListIncidents extends IncidentFilter {
  readonly tenant?: string
  /** `next` of the page before. */
  readonly before?: string
  /** @default 100 */
  readonly limit?: number
}

export interface ResolveOptions {
  readonly tenant?: string
  /** What was found and done. */
  readonly note?: string
  /**
   * What became of a step that nobody knows the outcome of; or `retry` for any instance that it stopped. Absent: it is only noted as
   * resolved, and nothing is done.
   */
  readonly outcome?: 'completed' | 'failed' | 'retry'
  /** With `completed`: the output of the step. */
  readonly output?: unknown
  /** With `failed`: why. */
  readonly message?: string
}

export type ResolveOutcome =
  | { readonly outcome: 'resolved'; readonly instanceId: string }
  | { readonly outcome: 'already-resolved' }
  | { readonly outcome: 'not-found' }
  /** Its instance cannot take this: see `status`. */
  | { readonly outcome: 'wrong-state'; readonly status: string }
  | Exclude<RetryOutcome, { readonly outcome: 'accepted' | 'already-requested' | 'not-found' | 'wrong-state' }>

export interface ResolveAlike {
  readonly tenant?: string
  readonly note?: string
  /** Sends their instances back to work. @default false */
  readonly retry?: boolean
  /** Most incidents; the rest can be asked for again. @default 1_000 */
  readonly limit?: number
}

export interface ResolvedAlike {
  /** By outcome. */
  readonly outcomes: Readonly<Record<string, number>>
  /** Whether open ones are left. */
  readonly more: boolean
}

export interface ListGroups extends GroupFilter {
  readonly tenant?: string
  /** @default 100 */
  readonly limit?: number
}

/** What is absent stays as it is. */
export interface TendOptions {
  readonly tenant?: string
  /** Who says so. */
  readonly by?: string | undefined
  /** Whether somebody has seen them. */
  readonly acknowledged?: boolean
  /** Whoever sees to them; `null`: nobody. */
  readonly assignee?: string | null
  /** Mutes them for so long, 366 days at most; `null`: no more. A version that is published later and fails in the same way is heard all the same. */
  readonly muteMs?: number | null
  readonly note?: string
}

export type TendOutcome =
  | { readonly outcome: 'tended'; readonly before: IncidentGroup; readonly group: IncidentGroup }
  /** No open incident has this fingerprint. */
  | { readonly outcome: 'not-found' }

export interface IncidentsContext {
  readonly store: IncidentStore
  readonly retry: (instanceId: string, options: RetryOptions) => Promise<RetryOutcome>
  readonly onSent: (instanceId: string) => void
}

const UNCLEAR = 'OUTCOME_UNKNOWN'
const PAGE = 100
const LONGEST_MUTE_MS = 366 * 86_400_000

export class Incidents {
  readonly #context: IncidentsContext

  constructor(context: IncidentsContext) {
    this.#context = context
  }

  /** Newest first. */
  list(asked: ListIncidents = {}): Promise<IncidentPage> {
    const { tenant = DEFAULT_TENANT, before, limit = PAGE, ...filter } = asked
    checkId(before, 'before')
    checkId(filter.instanceId, 'instanceId')
    return this.#context.store.list(tenant, filter, before, limit)
  }

  async get(incidentId: string, tenant: string = DEFAULT_TENANT): Promise<Incident | undefined> {
    return isUuid(incidentId) ? this.#context.store.get(tenant, incidentId) : undefined
  }

  /** Open ones that are alike, the largest group first. */
  groups(asked: ListGroups = {}): Promise<readonly IncidentGroup[]> {
    const { tenant = DEFAULT_TENANT, limit = PAGE, ...filter } = asked
    return this.#context.store.groups(tenant, filter, limit)
  }

  /** Says who looks after open incidents that are alike, and whether they are muted. Repeating it is harmless. */
  async tend(fingerprint: string, options: TendOptions): Promise<TendOutcome> {
    const { tenant = DEFAULT_TENANT, by, note, ...wanted } = options
    checkText(fingerprint, 'fingerprint')
    checkText(note, 'note')
    if (wanted.assignee !== null) checkText(wanted.assignee, 'assignee')
    checkMute(wanted.muteMs)
    const group = async () => (await this.groups({ tenant, fingerprint, limit: 1 }))[0]
    const before = await group()
    if (before === undefined) return { outcome: 'not-found' }
    const isDone = await this.#context.store.tend({ tenant, fingerprint, by, note, ...wanted })
    const after = isDone ? await group() : undefined
    return after === undefined ? { outcome: 'not-found' } : { outcome: 'tended', before, group: after }
  }

  countOpen(tenant: string = DEFAULT_TENANT): Promise<BoundedCount> {
    return this.#context.store.countOpen(tenant)
  }

  /** `undefined`: none, or too long ago to be found at once. */
  lastResolved(tenant: string = DEFAULT_TENANT): Promise<Incident | undefined> {
    return this.#context.store.lastResolved(tenant)
  }

  async resolve(incidentId: string, options: ResolveOptions = {}): Promise<ResolveOutcome> {
    const { tenant = DEFAULT_TENANT, note, outcome } = options
    checkText(note, 'note')
    const incident = await this.get(incidentId, tenant)
    if (incident === undefined) return { outcome: 'not-found' }
    const isUnclear = incident.code === UNCLEAR
    if (outcome === 'retry' && !isUnclear) return this.#retry(incident, note)
    if (outcome !== undefined && !isUnclear)
      throw new InvalidOption({
        option: 'outcome',
        rule: `"retry", or none: ${incident.code} is not about an outcome that nobody knows`,
      })
    const { store, onSent } = this.#context
    const verdict = await store.resolve({
      tenant,
      incidentId,
      note,
      resolution: outcome === undefined ? 'noted' : outcome === 'retry' ? 'retried' : outcome,
      message: outcome === undefined ? undefined : { kind: 'resolve', payload: payloadOf(outcome, options) },
    })
    if (verdict.kind === 'wrong-state') return { outcome: 'wrong-state', status: verdict.status }
    if (verdict.kind !== 'resolved') return { outcome: verdict.kind }
    if (outcome !== undefined) onSent(verdict.instanceId)
    return { outcome: 'resolved', instanceId: verdict.instanceId }
  }

  /** Resolves all open incidents of one fingerprint, and retries their instances when asked. Repeating it is harmless. */
  async resolveAlike(fingerprint: string, options: ResolveAlike = {}): Promise<ResolvedAlike> {
    const { tenant = DEFAULT_TENANT, note, retry = false, limit = 1_000 } = options
    checkText(fingerprint, 'fingerprint')
    const outcomes: Record<string, number> = {}
    let [before, done]: [string | undefined, number] = [undefined, 0]
    do {
      const page = await this.list({ tenant, state: 'open', fingerprint, limit: PAGE, ...(before && { before }) })
      for (const { id } of page.incidents.slice(0, limit - done)) {
        const { outcome } = await this.resolve(id, {
          tenant,
          ...(note === undefined ? {} : { note }),
          ...(retry ? { outcome: 'retry' } : {}),
        })
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
        done += 1
      }
      before = page.next
    } while (before !== undefined && done < limit)
    const left = await this.list({ tenant, state: 'open', fingerprint, limit: 1 })
    return { outcomes, more: left.incidents.length > 0 }
  }

  async #retry({ tenant, instanceId, resolvedAt }: Incident, note: string | undefined): Promise<ResolveOutcome> {
    if (resolvedAt !== undefined) return { outcome: 'already-resolved' }
    const result = await this.#context.retry(instanceId, { tenant, ...(note === undefined ? {} : { note }) })
    if (result.outcome === 'accepted' || result.outcome === 'already-requested')
      return { outcome: 'resolved', instanceId }
    return result
  }
}

function payloadOf(outcome: string, { output, message }: ResolveOptions): string {
  checkText(message, 'message')
  const payload: Record<string, Json> = { outcome }
  if (output !== undefined) payload.output = toPayload(output, 'The output')
  if (message !== undefined) payload.message = message
  return JSON.stringify(payload)
}

function checkMute(muteMs: number | null | undefined): void {
  if (muteMs === undefined || muteMs === null || (muteMs > 0 && muteMs <= LONGEST_MUTE_MS)) return
  throw new InvalidOption({ option: 'mute', rule: 'longer than nothing and at most 366d', value: muteMs })
}

function checkId(id: string | undefined, option: string): void {
  if (id !== undefined && !isUuid(id)) throw new InvalidOption({ option, rule: 'an id', value: id })
}
