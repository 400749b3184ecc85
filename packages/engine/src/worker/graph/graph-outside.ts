import type { NewHumanTask } from '../../store/human-task-store.ts'
import type { InstanceReader } from '../../store/instance-reader.ts'
import type { NewTask } from '../../store/task-store.ts'

export interface CancelOptions {
  readonly reason?: string
  /** Whether what it did is undone. @default true */
  readonly compensate?: boolean
}

/** What graphs ask of the engine around them. Repeating any of it is harmless. */
export interface GraphOutside {
  openTask(task: NewTask): Promise<void>
  openHumanTask(task: NewHumanTask): Promise<void>
  /** `false`: there is no such instance. One that has ended stays as it is. */
  cancelInstance(tenant: string, instanceId: string, options?: CancelOptions): Promise<boolean>
  journal: InstanceReader['journal']
  /** An answer to the request that started the instance is durable. */
  answered(instanceId: string): void
}
