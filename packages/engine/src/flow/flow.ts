import { type Json, toJson } from '@lockstep/base'
import { DefinitionNotFound } from '../definition/errors.ts'
import { DEFAULT_TENANT } from '../start/start-request.ts'
import { FlowPolicyChanged, FlowPolicyInvalid } from './errors.ts'
import type { DECLARED, FlowKey, FlowPolicy } from './flow-policy.ts'
import type { FlowLoad, FlowPolicyRow, FlowStore } from './flow-store.ts'
import { validateFlowPolicy } from './validate-flow-policy.ts'

type Chosen<T> =
  T extends FlowKey<never>
    ? Exclude<T, (input: never) => unknown> | typeof DECLARED
    : T extends object
      ? { readonly [K in keyof T]: Chosen<T[K]> }
      : T

/** A policy as it is set at run time: expressions, or `"declared"` for the function that the code has at the same place. */
export type ChosenFlowPolicy = Chosen<FlowPolicy<never>>

export interface FlowOptions {
  readonly store: FlowStore
  /** What the code of this node declares. */
  readonly declared: (definitionId: string) => FlowPolicy<never> | undefined
  /** Whoever waits may have their turn. */
  readonly onChanged: () => void
}

/** Policies of starts, read and edited while everything runs. */
export class Flow {
  readonly #o: FlowOptions

  constructor(options: FlowOptions) {
    this.#o = options
  }

  /**
   * Puts a policy in force, for starts that wait too. `undefined`: what the document or the code declares is in force again; `{}`: nothing
   * is held back. Keys are those of the moment of each start, limits those of now.
   */
  async set(
    definitionId: string,
    policy: ChosenFlowPolicy | undefined,
    options: { readonly tenant?: string; readonly ifRevision?: number } = {},
  ): Promise<FlowLoad> {
    const { tenant = DEFAULT_TENANT, ifRevision } = options
    const json: Json | undefined = policy === undefined ? undefined : toJson(policy)
    const problems = json === undefined ? [] : validateFlowPolicy(json, this.#o.declared(definitionId))
    if (problems.length > 0) throw new FlowPolicyInvalid({ definitionId, problems })
    const text = json === undefined ? undefined : JSON.stringify(json)
    const verdict = await this.#o.store.set(tenant, definitionId, text, ifRevision)
    if (verdict.kind === 'not-found') throw new DefinitionNotFound({ definitionId })
    if (verdict.kind === 'changed') throw new FlowPolicyChanged({ definitionId, revision: verdict.revision })
    this.#o.onChanged()
    return (await this.get(definitionId, tenant))!
  }

  /** `undefined`: it never had a policy. */
  get(definitionId: string, tenant: string = DEFAULT_TENANT): Promise<FlowLoad | undefined> {
    return this.#o.store.get(tenant, definitionId)
  }

  /** By definition id. */
  list(
    options: { readonly tenant?: string; readonly after?: string; readonly limit?: number } = {},
  ): Promise<readonly FlowPolicyRow[]> {
    const { tenant = DEFAULT_TENANT, after, limit = 100 } = options
    return this.#o.store.list(tenant, after, limit)
  }
}
