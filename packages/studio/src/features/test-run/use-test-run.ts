import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call } from '../../api/client.ts'
import type { FactRow, GraphDocument, Instance, Page, StateAt } from '../../api/wire.ts'
import { predecessors } from '../../canvas/canvas-model.ts'
import type { StepState } from '../../canvas/graph-view.tsx'
import { useNow } from '../../ui/now.ts'
import { type Execution, executionsOf } from '../instance/executions.ts'
import { stepStates, talliesOf } from '../instance/step-states.ts'

const ended = new Set(['completed', 'faulted', 'cancelled', 'terminated'])
const PAGE = 200
const MOST_PAGES = 10

export const isOver = (run: Instance | undefined): boolean => run !== undefined && ended.has(run.status)

export interface TestRunView {
  readonly run: Instance | undefined
  readonly executions: readonly Execution[]
  readonly states: ReadonlyMap<string, StepState>
}

/** A test run while it moves. Nothing tells of test runs, so it is asked for. */
export function useTestRun(id: string | undefined, document: GraphDocument): TestRunView {
  const at = `/test-runs/${encodeURIComponent(id ?? '')}`
  const run = useQuery({
    queryKey: ['test-run', id],
    queryFn: ({ signal }) => call<Instance>('GET', at, { signal, headers: { 'cache-control': 'no-cache' } }),
    enabled: id !== undefined,
    refetchInterval: ({ state: { data } }) => (isOver(data) ? false : data?.status === 'suspended' ? 1_000 : 300),
  })
  const revision = run.data?.revision
  const facts = useQuery({
    queryKey: ['test-run-facts', id, revision],
    queryFn: async ({ signal }) => {
      const read = (await Promise.all([
        factsOf(at, signal),
        call<StateAt>('GET', `${at}/state`, { signal }),
      ])) as readonly [readonly FactRow[], StateAt]
      return { facts: read[0], state: read[1] }
    },
    enabled: revision !== undefined,
    placeholderData: (before) => before,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const now = useNow()
  return useMemo(() => {
    const { facts: rows = [], state } = (id !== undefined && facts.data) || {}
    const live = state && new Set(state.steps.map(({ step }) => step))
    const executions = executionsOf({ facts: rows, live, before: predecessors(document) })
    return { run: run.data, executions, states: stepStates(talliesOf(executions, state), state, now) }
  }, [id, facts.data, run.data, document, now])
}

async function factsOf(at: string, signal: AbortSignal): Promise<readonly FactRow[]> {
  const facts: FactRow[] = []
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const query = { after: facts.at(-1)?.seq ?? 0, limit: PAGE }
    const { items } = await call<Page<FactRow>>('GET', `${at}/journal`, { query, signal })
    facts.push(...items)
    if (items.length < PAGE) break
  }
  return facts
}
