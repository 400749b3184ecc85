import { InvalidOption, isUuid } from '@lockstep/base'
import { checkText, DEFAULT_TENANT } from '../../start/start-request.ts'
import type { OperationFilter } from '../../store/operation-store.ts'
import type { CancelOptions } from '../../worker/graph/graph-outside.ts'
import type { MigrateOptions } from '../migrate.ts'
import type { RetryOptions } from '../retry.ts'
import type { TerminateOptions } from '../verbs.ts'
import { checkBulkOptions } from './bulk-options.ts'

/** What a bulk operation does with each of its instances. */
export type BulkVerb =
  | { readonly verb: 'cancel'; readonly options?: CancelOptions }
  | { readonly verb: 'terminate'; readonly options?: Pick<TerminateOptions, 'reason' | 'children'> }
  | { readonly verb: 'pause'; readonly options?: { readonly reason?: string } }
  | { readonly verb: 'continue'; readonly options?: Record<string, never> }
  | { readonly verb: 'retry'; readonly options?: Omit<RetryOptions, 'tenant' | 'operationId'> }
  | { readonly verb: 'delete'; readonly options?: Record<string, never> }
  | { readonly verb: 'migrate'; readonly options: Pick<MigrateOptions, 'version' | 'mapping'> }

export type BulkRequest = BulkVerb & {
  readonly tenant?: string
  readonly filter: OperationFilter
  /** Most instances. @default 100_000 */
  readonly limit?: number
  readonly note?: string
}

/** What the store is asked to keep. */
export interface ResolvedBulk {
  readonly tenant: string
  readonly verb: BulkVerb['verb']
  readonly options: object
  readonly filter: OperationFilter
  /** The filter as it was given: without a word of the verb. */
  readonly asked: OperationFilter
  /** Statuses that the verb can do anything with. */
  readonly meant: readonly string[]
  readonly limit: number
  readonly note: string | undefined
}

const LIVE = ['queued', 'running', 'suspended', 'paused', 'quarantined', 'compensating'] as const
const ENDED = ['completed', 'faulted', 'cancelled', 'terminated'] as const
/** Instances that a verb can mean anything for, where the filter does not say which. */
const MEANT: Readonly<Record<BulkVerb['verb'], readonly string[]>> = {
  cancel: LIVE,
  terminate: LIVE,
  pause: ['queued', 'running', 'suspended'],
  continue: ['paused'],
  retry: ['faulted', 'quarantined'],
  migrate: LIVE,
  delete: ENDED,
}
const STATUSES = [...LIVE, ...ENDED] as const
const isBegun = (status: string): boolean => status !== 'queued'
const MOST = 1_000_000
const MOST_IDS = 10_000

export function resolveBulk(request: BulkRequest): ResolvedBulk {
  const { tenant = DEFAULT_TENANT, verb, options = {}, limit = 100_000, note } = request
  checkText(note, 'note')
  if (!Object.hasOwn(MEANT, verb))
    throw new InvalidOption({ option: 'verb', rule: `one of ${Object.keys(MEANT).join(', ')}`, value: verb })
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST)
    throw new InvalidOption({ option: 'limit', rule: `an integer from 1 to ${MOST}`, value: limit })
  checkBulkOptions(verb, options)
  const { begun, ...given } = checkFilter(request.filter)
  const meant = begun === true ? MEANT[verb].filter(isBegun) : MEANT[verb]
  const asked = begun === true ? { ...given, statuses: begunOf(given.statuses ?? STATUSES) } : given
  const filter = given.instanceIds === undefined && given.statuses === undefined ? { ...asked, statuses: meant } : asked
  // A node of before takes a verb that it does not know for a cancel: what lives must not even be listed.
  if (verb === 'delete') return { ...{ tenant, verb, options, asked, meant, limit, note }, filter: endedOnly(filter) }
  return { tenant, verb, options, filter, asked, meant, limit, note }
}

function endedOnly(filter: OperationFilter): OperationFilter {
  const statuses = ENDED.filter((status) => filter.statuses?.includes(status) ?? true)
  if (statuses.length > 0) return { ...filter, statuses }
  throw new InvalidOption({ option: 'filter.statuses', rule: `one that has ended: ${ENDED.join(', ')}` })
}

function begunOf(statuses: readonly string[]): readonly string[] {
  const begun = statuses.filter(isBegun)
  if (begun.length > 0) return begun
  throw new InvalidOption({ option: 'filter.statuses', rule: 'one that has begun: what is queued has not' })
}

function checkFilter(filter: OperationFilter): OperationFilter {
  const given = Object.fromEntries(
    Object.entries(filter ?? {}).filter(
      ([name, value]) => value !== undefined && !(name === 'excludeIds' && value.length === 0),
    ),
  )
  const { instanceIds, excludeIds, statuses, version, definitionId, definitionIds } = given as OperationFilter
  if (Object.keys(given).every((name) => name === 'excludeIds'))
    throw new InvalidOption({ option: 'filter', rule: 'at least one condition: all instances at once are never meant' })
  if (instanceIds !== undefined && (instanceIds.length > MOST_IDS || !instanceIds.every((id) => isUuid(id))))
    throw new InvalidOption({ option: 'filter.instanceIds', rule: `at most ${MOST_IDS} ids of instances` })
  if (excludeIds !== undefined && (excludeIds.length > MOST_IDS || !excludeIds.every((id) => isUuid(id))))
    throw new InvalidOption({ option: 'filter.excludeIds', rule: `at most ${MOST_IDS} ids of instances` })
  if (statuses !== undefined && statuses.length === 0)
    throw new InvalidOption({ option: 'filter.statuses', rule: 'at least one' })
  if (version !== undefined && definitionId === undefined && definitionIds?.length !== 1)
    throw new InvalidOption({ option: 'filter.version', rule: 'only together with one definition' })
  for (const option of ['createdFrom', 'createdBefore', 'finishedFrom', 'finishedBefore'] as const)
    if (given[option] !== undefined && !Number.isFinite(given[option]))
      throw new InvalidOption({ option: `filter.${option}`, rule: 'milliseconds since 1970', value: given[option] })
  if (instanceIds === undefined || excludeIds === undefined) return given
  const { excludeIds: _, ...rest } = given as OperationFilter
  const left = new Set(excludeIds)
  return { ...rest, instanceIds: instanceIds.filter((id) => !left.has(id)) }
}
