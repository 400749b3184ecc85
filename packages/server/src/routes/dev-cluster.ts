import { tryFromWireId } from '@lockstep/base'
import Type from 'typebox'
import { allows, type DevControl, type DevProcess, type DevVerb } from '../dev-cluster/dev-control.ts'
import { NodeNotFound, NodeWrongState, NotDevCluster } from '../problem/request-errors.ts'
import { type Answer, type ApiContext, route } from '../route/route.ts'
import { toWireDevProcess, WireDevProcess } from '../wire/dev-process.ts'
import { closed } from '../wire/schema.ts'

/** A dead node has no id any more, so its name does as well. */
const NodeName = Type.String({
  description: 'As `processes` of the list of nodes names it (node-2), or nod_… while it lives.',
})

async function order(context: ApiContext, verb: DevVerb, given: string): Promise<Answer> {
  const { devControl: control } = context
  const processes = control?.processes() ?? []
  if (control === undefined || processes.length === 0) throw new NotDevCluster({})
  const name = await nameOf(context, given)
  const found = processes.find((each) => each.name === name)
  if (found === undefined) throw new NodeNotFound({ id: given.slice(0, 100) })
  if (!allows(verb, found.state)) throw new NodeWrongState({ name, state: found.state, verb })
  return name === control.self ? orderSelf(control, verb, found) : orderOther(control, verb, name)
}

/** Whoever is killed or frozen answers first. */
function orderSelf(control: DevControl, verb: DevVerb, self: DevProcess): Answer {
  // Nobody is left to be told of a failure: who asked sees in the list that nothing came of it.
  return {
    status: 202,
    body: toWireDevProcess(self),
    onSent: () => void control.order(verb, self.name).catch(() => {}),
  }
}

async function orderOther(control: DevControl, verb: DevVerb, name: string): Promise<Answer> {
  const outcome = await control.order(verb, name)
  if (outcome.status === 'unknown') throw new NodeNotFound({ id: name })
  if (outcome.status === 'wrong-state') throw new NodeWrongState({ name, state: outcome.state, verb })
  return { status: 202, body: toWireDevProcess(outcome.process) }
}

async function nameOf({ browse }: ApiContext, given: string): Promise<string> {
  const id = tryFromWireId('node', given)
  if (id === undefined) return given
  return (await browse.nodes()).find((node) => node.id === id)?.name ?? given
}

const devRoute = (verb: DevVerb, summary: string) =>
  route({
    method: 'POST',
    path: `/cluster/nodes/:id/${verb}`,
    name: `${verb}Node`,
    permission: 'cluster:operate',
    reach: 'cluster',
    summary,
    id: NodeName,
    body: closed({}),
    bodyOptional: true,
    replies: { 202: WireDevProcess },
    problems: ['NOT_DEV_CLUSTER', 'NODE_NOT_FOUND', 'NODE_WRONG_STATE', 'TIMED_OUT'],
    handle: (context, { params }) => order(context, verb, params.id),
  })

export const killNode = devRoute(
  'kill',
  'Only under `lockstep cluster dev`: ends the process as kill -9 does. Nothing is handed over; the others go on with its work.',
)
export const pauseNode = devRoute(
  'pause',
  'Only under `lockstep cluster dev`: freezes the process as it stands (SIGSTOP). After a while the others take it for dead.',
)
export const continueNode = devRoute(
  'continue',
  'Only under `lockstep cluster dev`: lets a frozen process go on (SIGCONT).',
)
export const reviveNode = devRoute(
  'revive',
  'Only under `lockstep cluster dev`: starts a dead node anew at its old address. Answered before it listens.',
)
