import { errorMessage, type Json, type Logger } from '@lockstep/base'
import type { Engine, InstanceView } from '@lockstep/engine'

/**
 * Variables of graphs. Telling them means reading and folding a journal, so functions, which have none, are not asked: what
 * kind of definition an id names never changes, and one look at it serves for good.
 */
export class Variables {
  readonly #engine: Engine
  readonly #logger: Logger
  readonly #kinds = new Map<string, 'graph' | 'function'>()

  constructor(engine: Engine, logger: Logger) {
    this.#engine = engine
    this.#logger = logger
  }

  /** `undefined`: it has none, or this node cannot tell. An instance whose journal does not fold must still be seen, most of all then. */
  async of(view: InstanceView): Promise<Readonly<Record<string, Json>> | undefined> {
    try {
      return (await this.#kind(view)) === 'graph' ? await this.#engine.variables(view.id) : undefined
    } catch (error) {
      this.#logger.warn('variables of an instance cannot be told', { instanceId: view.id, reason: errorMessage(error) })
      return undefined
    }
  }

  async #kind({ tenant, definitionId }: InstanceView): Promise<'graph' | 'function'> {
    const key = `${tenant}\n${definitionId}`
    const known = this.#kinds.get(key)
    if (known !== undefined) return known
    const { kind } = await this.#engine.definitions.draft(tenant, definitionId)
    this.#kinds.set(key, kind)
    return kind
  }
}
