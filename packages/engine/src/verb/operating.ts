import type { Clock, Logger } from '@lockstep/base'
import { Incidents } from '../incident/incidents.ts'
import type { WakeBus } from '../worker/wake-bus.ts'
import type { Operators } from '../worker/worker-options.ts'
import { applyVerb, type RemoveInstance } from './bulk/apply-verb.ts'
import { Bulk } from './bulk/bulk.ts'
import { operators } from './operators.ts'
import type { VerbContext } from './verb-context.ts'
import { Verbs } from './verbs.ts'

export interface OperatingContext extends VerbContext {
  readonly pollMs: number
  readonly clock: Clock
  readonly logger: Logger
  readonly bus: WakeBus
  readonly remove: RemoveInstance
}

/** All that operators of one engine have. */
export class Operating {
  readonly verbs: Verbs
  readonly incidents: Incidents
  readonly bulk: Bulk
  /** What its workers do for them. */
  readonly operators: Operators

  constructor(context: OperatingContext) {
    const { store, onSent } = context
    this.verbs = new Verbs(context)
    this.incidents = new Incidents({
      store: store.incidents,
      retry: (instanceId, options) => this.verbs.retry(instanceId, options),
      onSent,
    })
    this.bulk = new Bulk({
      ...context,
      store: store.operations,
      definitions: store.definitions,
      maintenance: store.maintenance,
      apply: applyVerb(this.verbs, context.remove),
    })
    this.operators = operators(context)
  }
}
