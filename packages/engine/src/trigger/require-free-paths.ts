import { DefinitionInvalid } from '../definition/errors.ts'
import { type GraphProblem, problem } from '../graph/graph-problem.ts'
import { pointerTo } from '../graph/json-pointer.ts'
import type { TriggerStore } from '../store/trigger-store.ts'
import { endpointActivities, endpointOf, shapeOf } from './endpoint.ts'

/**
 * Runs `publish` when no other workflow answers at a path of the document. The store refuses a path that was taken while this looked:
 * then it is looked up once more, so that the author learns whose it is.
 */
export async function requireFreePaths<T>(
  triggers: TriggerStore,
  tenant: string,
  definitionId: string,
  document: unknown,
  publish: () => Promise<T>,
): Promise<T> {
  const wanted = endpointActivities(document)
  if (wanted.length === 0) return publish()
  const refuse = async (): Promise<void> => {
    const problems = await takenPaths(triggers, tenant, definitionId, document)
    if (problems.length > 0) throw new DefinitionInvalid({ definitionId, problems })
  }
  await refuse()
  try {
    return await publish()
  } catch (error) {
    await refuse()
    throw error
  }
}

async function takenPaths(
  triggers: TriggerStore,
  tenant: string,
  definitionId: string,
  document: unknown,
): Promise<readonly GraphProblem[]> {
  const keys = endpointActivities(document).flatMap(({ place, inputs }) =>
    endpointOf(inputs).methods.map((method) => ({ method, shape: shapeOf(String(inputs.path)), place })),
  )
  const taken = await triggers.taken(tenant, definitionId, keys)
  return taken.map(({ method, shape, definitionId: owner }) => {
    const { place } = keys.find((key) => key.method === method && key.shape === shape)!
    const pointer = pointerTo('', 'activities', place, 'inputs', 'path')
    return problem(pointer, 'PATH_TAKEN', `Workflow "${owner}" answers ${method} ${shape} already: choose another path`)
  })
}
