import { InvalidOption, isUuid } from '@lockstep/base'
import type { MigrationProblem } from '../graph/migrate/migration-problem.ts'
import type { ActivityMapping } from '../graph/migrate/rename-steps.ts'
import { DEFAULT_TENANT } from '../start/start-request.ts'
import type { MigrateOrder } from '../worker/control-messages.ts'
import { decideMigration } from './decide-migration.ts'
import type { VerbContext, VerbOptions } from './verb-context.ts'
import { type Incompatible, type MigrateOutcome, outcomeOf } from './verb-outcome.ts'

export interface MigrateOptions extends VerbOptions {
  /** Of the same definition. Functions go to a higher one only. */
  readonly version: number
  /** Graphs: activities that have another id in the new version. Others are taken to have kept theirs. */
  readonly mapping?: ActivityMapping
}

export interface MigrationPlan {
  readonly tenant?: string
  readonly definitionId: string
  readonly from: number
  readonly to: number
  readonly mapping?: ActivityMapping
  /** Most instances to look at. @default 100_000 */
  readonly limit?: number
}

/** What a migration of all instances of a version would come to. Nothing was changed. */
export interface MigrationForecast {
  readonly checked: number
  readonly possible: number
  readonly impossible: number
  /** Their code is not on this node: they are looked at when they are claimed. */
  readonly unknown: number
  /** `false`: there are more than were looked at. */
  readonly complete: boolean
  /** How many instances have a problem of this kind. */
  readonly problems: Readonly<Record<string, number>>
  /** The first that cannot, at most 20, with what is in their way. */
  readonly examples: readonly { readonly instanceId: string; readonly problems: readonly MigrationProblem[] }[]
}

const PAGE = 2_000
const LOAD = 50
const MOST_EXAMPLES = 20

export async function migrateInstance(
  context: VerbContext,
  instanceId: string,
  options: MigrateOptions,
): Promise<MigrateOutcome> {
  const { tenant = DEFAULT_TENANT, version, mapping, operationId } = options
  if (!isUuid(instanceId)) return { outcome: 'not-found' }
  const plan = await planMigration(context, tenant, instanceId, version, mapping)
  if ('outcome' in plan) return plan
  const verdict = await context.store.verbs.send({
    tenant,
    instanceId,
    kind: 'migrate',
    payload: JSON.stringify(plan),
    dedupeKey: `migrate:${version}`,
    queue: plan.queue,
    operationId,
  })
  if (verdict.kind === 'accepted') context.onSent(instanceId)
  return outcomeOf(verdict) as MigrateOutcome
}

export type MigrationCheck = Incompatible | { readonly outcome: 'possible' | 'not-found' }

export async function checkMigration(
  context: VerbContext,
  instanceId: string,
  { tenant = DEFAULT_TENANT, version, mapping }: MigrateOptions,
): Promise<MigrationCheck> {
  if (!isUuid(instanceId)) return { outcome: 'not-found' }
  const plan = await planMigration(context, tenant, instanceId, version, mapping)
  return 'outcome' in plan ? plan : { outcome: 'possible' }
}

/** The message that migrates it; or why it cannot, as it stands now. Whoever applies it looks again. */
export async function planMigration(
  context: VerbContext,
  tenant: string,
  instanceId: string,
  version: number,
  mapping: ActivityMapping | undefined,
): Promise<Omit<MigrateOrder, 'kind'> | Incompatible | { readonly outcome: 'not-found' }> {
  const [loaded] = await context.store.agenda.load([instanceId])
  if (loaded?.tenant !== tenant) return { outcome: 'not-found' }
  const queue = await targetQueue(context, tenant, loaded.definitionId, loaded.version, version)
  const decision = await decideMigration(context, loaded, version, mapping ?? {})
  if (decision.kind === 'impossible') return { outcome: 'incompatible', problems: decision.problems }
  return { to: version, ...(queue === undefined ? {} : { queue }), ...(mapping === undefined ? {} : { mapping }) }
}

/** Looks at every instance of a version that has not ended. */
export async function forecastMigration(context: VerbContext, plan: MigrationPlan): Promise<MigrationForecast> {
  const { tenant = DEFAULT_TENANT, definitionId, from, to, mapping = {}, limit = 100_000 } = plan
  await targetQueue(context, tenant, definitionId, from, to)
  const counts = { checked: 0, possible: 0, impossible: 0, unknown: 0 }
  const problems: Record<string, number> = {}
  const examples: { instanceId: string; problems: readonly MigrationProblem[] }[] = []
  let after: string | undefined
  do {
    const page = await context.store.verbs.pinned(tenant, definitionId, from, { after, lookAt: PAGE })
    after = page.next
    for (let at = 0; at < page.ids.length; at += LOAD) {
      for (const loaded of await context.store.agenda.load(page.ids.slice(at, at + LOAD))) {
        const decision = await decideMigration(context, loaded, to, mapping)
        counts.checked += 1
        counts[decision.kind === 'elsewhere' ? 'unknown' : decision.kind] += 1
        if (decision.kind !== 'impossible') continue
        for (const code of new Set(decision.problems.map((problem) => problem.code)))
          problems[code] = (problems[code] ?? 0) + 1
        if (examples.length < MOST_EXAMPLES)
          examples.push({ instanceId: loaded.instanceId, problems: decision.problems })
      }
    }
  } while (after !== undefined && counts.checked < limit)
  return { ...counts, complete: after === undefined, problems, examples }
}

/** Where a function of the new version runs; `undefined` for graphs, which run everywhere. */
async function targetQueue(
  { definitions, planner }: VerbContext,
  tenant: string,
  definitionId: string,
  from: number,
  to: number,
): Promise<string | undefined> {
  if (from === to) throw new InvalidOption({ option: 'version', rule: 'another one than it has', value: to })
  const { queue } = await planner.plan(tenant, definitionId, to)
  const target = await definitions.version(tenant, definitionId, to)
  if (target?.kind !== 'function') return undefined
  if (to < from)
    throw new InvalidOption({ option: 'version', rule: `higher than ${from}: code cannot be taken back`, value: to })
  return queue
}
