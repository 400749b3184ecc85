/** What did not come over as it was, or not at all. */
export interface ElsaNote {
  /** RFC 6901, into the Elsa document. */
  readonly pointer: string
  /** Of the activity, such as `Elsa.RunCSharp`; of an expression, such as `Liquid`. */
  readonly elsaType: string
  /**
   * `not-mapped`: a placeholder stands for it, which validation refuses, so that nothing is published without a decision.
   * `partly`: it runs, with a difference that the reason names. `missing-type`: mapped to a type that is not registered here.
   */
  readonly kind: 'not-mapped' | 'partly' | 'missing-type'
  readonly reason: string
  readonly suggestion: string
  /** Id of the activity in the new document. */
  readonly activityId?: string
}

export interface ElsaReport {
  /** Nothing to look at. */
  readonly complete: boolean
  /** Activities of the Elsa document, and how many of them have a counterpart. */
  readonly activityCount: number
  readonly mappedCount: number
  readonly notes: readonly ElsaNote[]
}
