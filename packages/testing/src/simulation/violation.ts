export interface Violation {
  readonly rule: string
  readonly instanceId: string | undefined
  readonly detail: string
}
