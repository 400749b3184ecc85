import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call } from '../api/client.ts'
import type { GraphDocument, Instance } from '../api/wire.ts'
import { scopeShape } from './expression-scope.ts'
import { type PastScope, pastRunsQuery, pastScopeQuery, usePickedRuns } from './past-runs.ts'
import type { Shape } from './shape.ts'

export interface ScopeHere {
  readonly shape: Shape
  readonly runs: readonly Instance[]
  /** The run that values come from. */
  readonly picked: string | undefined
  readonly past: PastScope | undefined
}

/** What a step can name, and what it was in the run that was picked. */
export function useScope(definitionId: string, document: GraphDocument, step: string): ScopeHere {
  const runs = useQuery(pastRunsQuery(definitionId))
  const picked = usePickedRuns(({ byDefinition }) => byDefinition[definitionId]) ?? runs.data?.[0]?.id
  const past = useQuery({ ...pastScopeQuery(picked ?? '', step), enabled: picked !== undefined })
  const outputs = useQuery(outputSchemas)
  const shape = useMemo(
    () => scopeShape({ document, step, outputs: outputs.data, past: past.data?.scope }),
    [document, step, outputs.data, past.data],
  )
  return { shape, runs: runs.data ?? [], picked, past: past.data }
}

/** What activity types promise to answer. They change with the server, not while it runs. */
const outputSchemas = {
  queryKey: ['activity-outputs'],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<ReadonlyMap<string, unknown>> => {
    const { items } = await call<{ items: readonly { type: string; output?: unknown }[] }>('GET', '/activity-types', {
      signal,
    })
    return new Map(items.flatMap(({ type, output }) => (output === undefined ? [] : [[type, output] as const])))
  },
  staleTime: 600_000,
}
