/** What the audit log has about one workflow, as far as Studio reads it. */
export interface WorkflowEntry {
  readonly at: string
  readonly actor: { readonly id: string }
  readonly operation: string
  readonly target: string
}

/** Without sign-in everybody is the same nobody. */
export function whoOf({ actor }: WorkflowEntry): string | undefined {
  const who = actor.id.replace(/^(user|key):/, '')
  return who === 'anonymous' ? undefined : who
}
