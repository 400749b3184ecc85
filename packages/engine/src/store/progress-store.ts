import type { Json } from '@lockstep/base'

export interface ProgressName {
  readonly tenant: string
  readonly instanceId: string
  readonly step: string
}

/** The newest word of a running step. */
export interface ProgressRow extends ProgressName {
  readonly attempt: number
  /** 0 to 1. */
  readonly fraction: number | undefined
  readonly done: number | undefined
  readonly total: number | undefined
  readonly note: string | undefined
  /** What the last heartbeat carried; absent: none did. */
  readonly beat: Json | undefined
}

/** How far running steps have come. Not a promise: what is lost here is only not shown. */
export interface ProgressStore {
  /** Replaces what is there; members that are absent stay as they were. */
  write(rows: readonly ProgressRow[]): Promise<void>
  drop(names: readonly ProgressName[]): Promise<void>
  read(tenant: string, instanceId: string): Promise<readonly (ProgressRow & { readonly at: number })[]>
  /** What the last heartbeat of each carried, where there is any. */
  beats(names: readonly ProgressName[]): Promise<readonly (ProgressName & { readonly beat: Json })[]>
}
