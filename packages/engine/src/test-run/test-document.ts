/** The document of a test run: it begins where a start by hand begins, no trigger of it is armed, and it may end early. Pure. */
import type { ActivityCatalogue } from '../activity/activity-type.ts'
import type { ActivityDocument, ConnectionDocument, GraphBody, GraphDocument } from '../graph/document.ts'

/** `until`: the last step that is to run. Absent: all of them. */
export function testDocument(document: GraphDocument, catalogue: ActivityCatalogue, until?: string): GraphDocument {
  const { flow: _, ...unhurried } = document
  const begun = keepReached(unhurried, isTriggerIn(catalogue))
  return { ...unhurried, ...(until === undefined ? begun : cutAfter(begun, until)) }
}

type IsTrigger = (activity: ActivityDocument) => boolean

const isTriggerIn =
  (catalogue: ActivityCatalogue): IsTrigger =>
  ({ type }) =>
    catalogue.get(type)?.kind === 'trigger'

/** Started by hand, it begins at its triggers only where it has no other beginning. They become steps that do nothing. */
function keepReached(graph: GraphBody, isTrigger: IsTrigger): Required<GraphBody> {
  const { activities, connections = [] } = graph
  const targets = new Set(connections.map(({ to }) => to))
  const starts = activities.filter((activity) => !targets.has(activity.id) && !isTrigger(activity))
  const entries = starts.length > 0 ? starts : activities.filter(isTrigger)
  const reached = walk(
    entries.map(({ id }) => id),
    connections.map(({ from, to }) => [from, to]),
  )
  const kept = only({ activities, connections }, reached)
  return { ...kept, activities: kept.activities.map((each) => (isTrigger(each) ? stillborn(each) : each)) }
}

const stillborn = ({ id, name }: ActivityDocument): ActivityDocument => ({
  ...{ id, type: 'transform', inputs: { value: null } },
  ...(name === undefined ? {} : { name }),
})

/** Whatever leads to the step stays, in its graph and in those around it; what comes after goes. */
function cutAfter(graph: GraphBody, until: string): GraphBody {
  const { connections = [] } = graph
  const owner = graph.activities.find((activity) => activity.id === until || holds(activity, until))
  if (owner === undefined) return graph
  const before = walk(
    [owner.id],
    connections.map(({ from, to }) => [to, from]),
  )
  const kept = only({ activities: graph.activities, connections }, before)
  const inside = owner.id === until ? owner : cutParts(owner, until)
  return {
    activities: kept.activities.map((each) => (each.id === owner.id ? inside : each)),
    connections: kept.connections.filter(({ from }) => from !== owner.id),
  }
}

function cutParts(activity: ActivityDocument, until: string): ActivityDocument {
  const cut = (body: GraphBody): GraphBody => (contains(body, until) ? cutAfter(body, until) : body)
  const { body, branches, catch: caught, finally: last } = activity
  return {
    ...activity,
    ...(body && { body: cut(body) }),
    ...(branches && { branches: branches.map(cut) }),
    ...(caught && { catch: cut(caught) }),
    ...(last && { finally: cut(last) }),
  }
}

const bodiesOf = ({ body, branches = [], catch: caught, finally: last }: ActivityDocument): readonly GraphBody[] =>
  [body, ...branches, caught, last].filter((each) => each !== undefined)

const holds = (activity: ActivityDocument, id: string): boolean => bodiesOf(activity).some((body) => contains(body, id))

export const contains = ({ activities }: GraphBody, id: string): boolean =>
  activities.some((activity) => activity.id === id || holds(activity, id))

function only(
  { activities, connections }: Required<GraphBody>,
  ids: ReadonlySet<string>,
): { readonly activities: readonly ActivityDocument[]; readonly connections: readonly ConnectionDocument[] } {
  return {
    activities: activities.filter(({ id }) => ids.has(id)),
    connections: connections.filter(({ from, to }) => ids.has(from) && ids.has(to)),
  }
}

function walk(from: readonly string[], ways: readonly (readonly [string, string])[]): ReadonlySet<string> {
  const seen = new Set(from)
  // A set grows while it is walked over.
  for (const at of seen) for (const [here, there] of ways) if (here === at) seen.add(there)
  return seen
}
