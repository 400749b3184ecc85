import type { JsonObject } from '@lockstep/base'
import type { BoundSecret } from '../../outbound/secrets.ts'
import { requireHost } from '../../secret/secret-hosts.ts'
import { atPlaces, sendsTo } from '../../secret/secret-places.ts'
import { WorkflowFault } from '../../step/workflow-fault.ts'
import type { LiveGraph, Run } from './live-graph.ts'

/** Inputs as the code of an attempt gets them: secrets in their places. They exist while it runs, and are never recorded. */
export async function inputsWithSecrets(graph: LiveGraph, { activity }: Run, inputs: JsonObject): Promise<JsonObject> {
  const { tenant } = graph.host.identity
  const found: BoundSecret[] = []
  for (const { name } of activity.secrets) found.push(await graph.secrets.find(name, tenant))
  const texts = found.map(({ value }, at) => `${activity.secrets[at]!.prefix}${value}`)
  const filled = atPlaces(inputs, activity.secrets, texts)
  const to = sendsTo(activity.type, filled)
  const hidesUrl = activity.secrets.some(({ path: [first] }) => first === 'url')
  for (const [at, { hosts }] of found.entries()) requireHost(activity.secrets[at]!.name, hosts, to, hidesUrl)
  for (const { value } of found) graph.secrets.hide(value)
  const problem = graph.shell.activities.check(activity.type.type, filled)
  if (problem !== undefined) throw new WorkflowFault({ message: problem, faultCode: 'INVALID_INPUT' })
  return filled
}

/** Calls `begin` with them: at once where there are none. */
export function fillThen(graph: LiveGraph, run: Run, inputs: JsonObject, begin: (filled: JsonObject) => void): void {
  if (run.activity.secrets.length === 0) return begin(inputs)
  graph.activeCount += 1
  const goOn = (then: () => void): void =>
    graph.freeze.afterwards(() => {
      graph.activeCount -= 1
      if (graph.isAlive(run.step) && !graph.host.isStill) then()
      graph.goOn()
    })
  inputsWithSecrets(graph, run, inputs).then(
    (filled) => goOn(() => begin(filled)),
    (error: unknown) => goOn(() => graph.fail(run, error)),
  )
}
