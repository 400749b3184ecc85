import type { Sandbox } from '../expression/sandbox.ts'
import type { AnyWorkflow } from '../function/workflow-context.ts'
import { type CompiledPolicy, compilePolicy } from './compiled-policy.ts'
import type { FlowStore } from './flow-store.ts'

export interface PolicyCacheOptions {
  readonly store: Pick<FlowStore, 'get'>
  readonly sandbox: Sandbox
  readonly workflow: (id: string) => AnyWorkflow | undefined
}

const MOST = 10_000

/**
 * What this node has heard of policies. A guess, never a decision: the store refuses plain starts of a definition that has a policy,
 * and starts whose keys were computed under another revision.
 */
export class PolicyCache {
  readonly #o: PolicyCacheOptions
  readonly #known = new Map<string, CompiledPolicy>()

  constructor(options: PolicyCacheOptions) {
    this.#o = options
  }

  /** Costs a look into a map: plain starts pass here. */
  known(tenant: string, definitionId: string): CompiledPolicy | undefined {
    return this.#known.size === 0 ? undefined : this.#known.get(keyOf(tenant, definitionId))
  }

  forget(tenant: string, definitionId: string): void {
    this.#known.delete(keyOf(tenant, definitionId))
  }

  /** As the store has it now; `undefined`: no policy is in force. */
  async learn(tenant: string, definitionId: string): Promise<CompiledPolicy | undefined> {
    const { store, sandbox, workflow } = this.#o
    const row = await store.get(tenant, definitionId)
    if (row?.policy === undefined) {
      this.forget(tenant, definitionId)
      return undefined
    }
    const { revision, policy } = row
    const compiled = compilePolicy({ definitionId, revision, policy, code: workflow(definitionId)?.flow, sandbox })
    if (this.#known.size >= MOST) this.#known.delete(this.#known.keys().next().value!)
    this.#known.set(keyOf(tenant, definitionId), compiled)
    return compiled
  }
}

const keyOf = (tenant: string, definitionId: string): string => `${tenant}\n${definitionId}`
