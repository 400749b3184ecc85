import type { ApiClient, Body } from '../cli/remote/api-client.ts'
import type { Balanced, Faults } from './part.ts'

export type Fact = Body

const PAGE = 200
const WAIT_S = 30

/** All facts of an instance. A gap in their numbers is a fault. */
export async function readFacts(
  api: Balanced | ApiClient,
  instanceId: string,
  faults: Faults,
): Promise<readonly Fact[]> {
  const facts: Fact[] = []
  let after: string | undefined
  do {
    const { body } = await api.call('GET', `/workflow-instances/${instanceId}/journal`, {
      query: { after, limit: PAGE },
    })
    facts.push(...body.items)
    after = body.page.next ?? undefined
  } while (after !== undefined)
  if (facts.some((fact, index) => fact.seq !== index + 1)) faults.add('a journal has gaps or doubled numbers')
  return facts
}

/** How often a step was ended by a timer, an event or a resume. */
export const endedBy = (facts: readonly Fact[], ways: readonly string[]): readonly Fact[] =>
  facts.filter((fact) => fact.kind === 'completed' && ways.includes(fact.data?.by))

/** The instance when it has ended, or as it stands after so many waits of half a minute. */
export async function atEnd(api: Balanced | ApiClient, instanceId: string, turns: number): Promise<Body> {
  for (let turn = 1; ; turn++) {
    const { body } = await api.call('GET', `/workflow-instances/${instanceId}`, { query: { wait: `${WAIT_S}s` } })
    if (body.finishedAt !== null || turn >= turns) return body
  }
}
