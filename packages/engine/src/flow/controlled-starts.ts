import { InvalidOption, type Json } from '@lockstep/base'
import type { StartItem } from '../store/commit-store.ts'
import type { UserTransaction } from '../store/transaction-store.ts'
import { arrivedStart, type FlowPlace } from './arrived-start.ts'
import type { CompiledPolicy } from './compiled-policy.ts'
import { isPriority } from './compiled-policy.ts'
import { SingletonBusy, StartThrottled } from './errors.ts'
import type { Arrival, FlowStore, FlowVerdict } from './flow-store.ts'
import type { GatherStarts } from './gather-starts.ts'
import type { PolicyCache } from './policy-cache.ts'

export interface ControlledStartsOptions {
  readonly store: Pick<FlowStore, 'start' | 'startWithin'>
  readonly policies: PolicyCache
  readonly gathered: GatherStarts
  readonly nodeId: () => string
  /** Something waits. */
  readonly onWaiting: () => void
  /** There is something to claim. */
  readonly onDue: () => void
  /** An instance was told to stop. */
  readonly onCancelled: (instanceId: string) => void
}

/** What became of a start under control; refusals are errors. `plain`: it is under none any more. */
export type ControlledOutcome = Exclude<FlowVerdict, { kind: 'changed' | 'busy' | 'throttled' }>

/** More changes of a policy than this while one start is on its way are somebody's mistake. */
const MOST_CHANGES = 20

/** Asks the policy for the place of a start, and the store for its verdict, until both speak of the same policy. */
export class ControlledStarts {
  readonly #o: ControlledStartsOptions

  constructor(options: ControlledStartsOptions) {
    this.#o = options
  }

  /** The policy as far as this node knows: none of the plain starts waits for it. */
  known(tenant: string, definitionId: string): boolean {
    return this.#o.policies.known(tenant, definitionId) !== undefined
  }

  /** Whether the store refused a plain start because its definition is under control. */
  async isControlled(tenant: string, definitionId: string): Promise<boolean> {
    return (await this.#o.policies.learn(tenant, definitionId)) !== undefined
  }

  /** The place of a start that somebody else writes, by the policy of now. `undefined`: there is none. */
  async place(tenant: string, definitionId: string, input: Json): Promise<FlowPlace | undefined> {
    const policy = await this.#o.policies.learn(tenant, definitionId)
    return policy && { revision: policy.revision, ...(await policy.place(input, undefined)) }
  }

  /** Gives an instance at the door its place, where nobody else has. `false`: it was refused there, and told to cancel. */
  async arrive(arrival: Omit<Arrival, 'data'>, place: FlowPlace): Promise<boolean> {
    const { store, nodeId, onWaiting, onDue, onCancelled } = this.#o
    const [verdict] = await store.start(nodeId(), [arrivedStart(arrival, place)]).catch(() => []) // whoever looks next does it
    if (verdict?.kind === 'busy' || verdict?.kind === 'throttled') {
      onCancelled(arrival.instanceId)
      return false
    }
    if (verdict?.kind === 'queued') for (const each of verdict.replaced) onCancelled(each)
    if (verdict?.kind === 'started' || (verdict?.kind === 'queued' && verdict.woken)) onDue()
    if (verdict?.kind !== 'started') onWaiting()
    return true
  }

  async start(
    item: StartItem,
    input: Json,
    { priority, tx }: { readonly priority?: number | undefined; readonly tx?: UserTransaction | undefined },
  ): Promise<ControlledOutcome> {
    const { policies, gathered, store, nodeId, onWaiting } = this.#o
    const { tenant, definitionId } = item
    let policy: CompiledPolicy | undefined = policies.known(tenant, definitionId)
    for (let turn = 0; ; turn += 1) {
      policy ??= await policies.learn(tenant, definitionId)
      if (policy === undefined) return { kind: 'plain' }
      const start = { item, revision: policy.revision, ...(await policy.place(input, priority)) }
      const verdict = tx === undefined ? await gathered.start(start) : await store.startWithin(tx, nodeId(), start)
      if ('woken' in verdict && verdict.woken) this.#o.onDue()
      switch (verdict.kind) {
        case 'changed':
          if (turn >= MOST_CHANGES) throw new Error(`the flow policy of "${definitionId}" does not come to rest`)
          policy = await policies.learn(tenant, definitionId)
          continue
        case 'plain':
          policies.forget(tenant, definitionId)
          return verdict
        case 'busy':
          throw new SingletonBusy({ definitionId, key: start.keys.singleton, instanceId: verdict.instanceId })
        case 'throttled': {
          const retryAfterMs = Math.max(1, Math.ceil(verdict.retryInMs))
          throw new StartThrottled({ definitionId, key: start.keys.throttle, retryAfterMs })
        }
        case 'queued':
          for (const each of verdict.replaced) this.#o.onCancelled(each)
          onWaiting()
          return verdict
        case 'gathered':
          onWaiting()
          return verdict
        default:
          return verdict
      }
    }
  }
}

export function checkPriority(priority: number | undefined): void {
  if (priority === undefined || isPriority(priority)) return
  throw new InvalidOption({ option: 'priority', rule: 'a whole number from 0 to 9', value: priority })
}
