/** Who takes part. A member that stops beating is gone after its time to live, by the store's clock. */
export interface MemberProvider {
  /** Says that `member` lives, for `ttlMs` more. */
  beat(member: Member, ttlMs: number): Promise<void>
  leave(id: string): Promise<void>
  /** Those who live now. */
  members(): Promise<readonly Member[]>
}

export interface Member {
  /** Of this incarnation; random, never reused. */
  readonly id: string
  readonly name: string
  readonly pid: number
  readonly host: string
}
