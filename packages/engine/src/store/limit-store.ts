/** `limit`: a key of the policy `limit`. `lock`: the line in front of a resource lock, which lets one in at a time. */
export type LineKind = 'limit' | 'lock'

export interface RateLimit {
  readonly limit: number
  readonly perMs: number
}

/** What a key allows. A member that is absent sets no bound. */
export interface LimitRule {
  /** Attempts at once. */
  readonly concurrency: number | undefined
  readonly rate: RateLimit | undefined
}

/** One step of one instance, in the line of one key. */
export interface PermitName {
  readonly tenant: string
  readonly kind: LineKind
  readonly key: string
  readonly instanceId: string
  readonly step: string
}

export interface PermitAsk extends PermitName {
  /** What the step declares; an operator may have set something else. */
  readonly rule: LimitRule
}

export interface PermitEnd extends PermitName {
  /** Back into the line, with the place and the time it had. */
  readonly back: boolean
}

export interface PermitAnswer {
  readonly granted: boolean
  /** At most so many are before it. */
  readonly ahead: number
  /** Since it first asked. */
  readonly waitedMs: number
  /** When a rate lets it in at the earliest; absent where that depends on others. */
  readonly waitsMs: number | undefined
}

export interface PermitExchange {
  /** In the order of the asks. */
  readonly answers: readonly PermitAnswer[]
  /** Instances whose turn has come and who were not here: they are due now, and their counter of stimuli was raised. */
  readonly called: readonly string[]
}

/** What keeps a step of an instance from running. Instants are milliseconds since 1970, by the store's clock. */
export interface StepWait {
  readonly kind: LineKind | 'breaker'
  readonly key: string
  readonly step: string
  readonly since: number
  /** When it may try: of a breaker, and of a limit that is a rate and nothing else. */
  readonly untilAt: number | undefined
  /** At most so many are before it in the line. */
  readonly ahead: number
  /** Who is in: at most three. */
  readonly holders: readonly { readonly instanceId: string; readonly step: string }[]
}

export interface StoredLimit {
  readonly tenant: string
  readonly key: string
  readonly declared: LimitRule
  /** What an operator set instead. */
  readonly set: (LimitRule & { readonly at: number }) | undefined
  readonly running: number
  readonly waiting: number
}

/** Who may run an attempt of a step now, over all nodes. Permits belong to a node's row: they are free when it is gone. */
export interface LimitStore {
  /** Gives back and asks, in one transaction; repeating it is harmless. Throws FENCED for a node that was buried. */
  exchange(
    nodeId: string | undefined,
    ends: readonly PermitEnd[],
    asks: readonly PermitAsk[],
    patienceMs: number,
  ): Promise<PermitExchange>
  /** Keys that somebody waits for. */
  waitedFor(limit: number): Promise<readonly Pick<PermitName, 'tenant' | 'kind' | 'key'>[]>
  /** Says which steps wait for a breaker, and for how long. Nobody takes that back: it is over when the time is. */
  noteBreakers(waits: readonly (Omit<PermitName, 'kind'> & { readonly inMs: number })[]): Promise<void>
  /** What keeps steps of this instance from running. */
  waits(tenant: string, instanceId: string): Promise<readonly StepWait[]>
  /** `undefined`: what the steps declare counts again. */
  set(tenant: string, key: string, rule: LimitRule | undefined): Promise<void>
  get(tenant: string, key: string): Promise<StoredLimit | undefined>
  list(tenant: string, after: string, limit: number): Promise<readonly StoredLimit[]>
  /** Deletes at most `limit` rows of each kind that nobody needs: keys unused for `unusedMs`, waits and progress of instances that have ended. */
  trim(unusedMs: number, limit: number): Promise<number>
}
