/** Why an instance cannot go on as another version. */
export interface MigrationProblem {
  readonly code:
    | 'UNKNOWN_ACTIVITY'
    | 'NO_COUNTERPART'
    | 'OTHER_TYPE'
    | 'OTHER_PLACE'
    | 'NOT_A_JOIN'
    | 'JOIN_WITHOUT_BRANCHES'
    | 'WRONG_VARIABLE_TYPE'
    | 'BEING_UNDONE'
    | 'NON_DETERMINISTIC'
    | 'OTHER_KIND'
  /** The step, activity or variable it is about. */
  readonly at: string
  /** What is wrong, and what to do. */
  readonly text: string
}
