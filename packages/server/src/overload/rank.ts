/** From what must go on whatever happens, to what is shed first. */
export const RANKS = ['vital', 'resume', 'ordinary', 'start'] as const
export type Rank = (typeof RANKS)[number]

const VITAL = [/^\/cluster\//, /^\/tasks\/:id\/(heartbeat|progress|results)$/]
/** What lets running work go on or end. */
const RESUMES = [
  ...[/^\/events$/, /^\/resume\/:id$/, /^\/tasks\/:id\//, /^\/human-tasks\/:id\//],
  /^\/workflow-instances\/:id\/(resume|cancel|terminate|pause|continue)$/,
]
/** What makes new work. */
const STARTS = [
  ...[/^\/workflow-instances$/, /^\/workflow-instances\/:id\/fork$/, /^\/batch-operations$/],
  /^\/schedules\/(run-due|:id\/(trigger|backfill))$/,
]

/** How long work that runs already waits behind other requests is decided here, by the path of the operation. */
export function rankOf({ method, path }: { readonly method: string; readonly path: string }): Rank {
  const among = (paths: readonly RegExp[]): boolean => paths.some((each) => each.test(path))
  if (among(VITAL)) return 'vital'
  if (method === 'GET') return 'ordinary'
  if (among(RESUMES)) return 'resume'
  return among(STARTS) ? 'start' : 'ordinary'
}
