import type { Json } from '@lockstep/base'
import type { TaskVerdict } from './task-store.ts'

/** A piece of a result that is there before the step has ended. */
export interface Part {
  /** From 1, without gaps, over all steps of the instance. */
  readonly number: number
  readonly step: string
  /** From 1, without gaps, in its step. */
  readonly stepNumber: number
  readonly value: Json
  /** Epoch ms, on the store's clock. */
  readonly at: number
}

export interface NewPart {
  readonly tenant: string
  readonly instanceId: string
  readonly step: string
  readonly stepNumber: number
  /** JSON text. */
  readonly value: string
}

/** `known`: its number was handed out before, and stays what it was. `lost`: the node has not got the instance any more. */
export type PartVerdict = 'kept' | 'known' | 'gap' | 'full' | 'lost'

export interface PartPage {
  readonly parts: readonly Part[]
  readonly status: string
  /** Its instance has ended: nothing comes any more behind those that are kept. */
  readonly ended: boolean
}

/** How far an instance has come, for those who wait for more. */
export interface PartMark {
  readonly tenant: string
  readonly instanceId: string
  /** Number of the last part; 0: there is none. */
  readonly last: number
  readonly ended: boolean
  /** When a step of it spoke last of its progress. */
  readonly spokeAt: number | undefined
}

/** Partial results. What it has acknowledged is durable, and goes with its instance. */
export interface PartStore {
  /** All of them in one transaction, in this order, under the fence of the node row; sending them again changes nothing. */
  add(nodeId: string, parts: readonly NewPart[], most: number): Promise<readonly PartVerdict[]>
  /** Those of a task that an outside worker holds, numbered from `from` on. */
  addOfTask(
    tenant: string,
    taskId: string,
    leaseNo: number,
    from: number,
    values: readonly Json[],
    most: number,
  ): Promise<{ readonly verdict: TaskVerdict; readonly part: PartVerdict }>
  /** Those behind number `after`; `undefined`: there is no such instance. */
  read(tenant: string, instanceId: string, after: number, limit: number): Promise<PartPage | undefined>
  /** How many parts of one step are kept. */
  count(tenant: string, instanceId: string, step: string): Promise<number>
  marks(names: readonly Pick<PartMark, 'tenant' | 'instanceId'>[]): Promise<readonly PartMark[]>
}
