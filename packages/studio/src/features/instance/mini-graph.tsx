import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo } from 'react'
import { activitiesQuery, stateQuery, versionQuery } from '../../api/queries.ts'
import type { Instance } from '../../api/wire.ts'
import { useNow } from '../../ui/now.ts'
import classes from './mini-graph.module.css'
import { stepStates, takenEdges } from './step-states.ts'

const GraphView = lazy(() => import('../../canvas/graph-view.tsx').then((module) => ({ default: module.GraphView })))

/** The graph of an instance as it stands, small, where it is not what the page is about. Code has none. */
export function MiniGraph({ instance }: { readonly instance: Instance }) {
  const { id, definitionId, version, revision } = instance
  const found = useQuery(versionQuery(definitionId, version))
  const tallies = useQuery(activitiesQuery(id, revision))
  const state = useQuery(stateQuery(id, revision))
  const now = useNow()
  const document = found.data?.document ?? undefined
  const items = tallies.data?.items
  const states = useMemo(() => items && stepStates(items, state.data, now), [items, state.data, now])
  const taken = useMemo(() => document && items && takenEdges(document, items), [document, items])
  if (document === undefined || states === undefined) return null
  return (
    <section className={classes.mini} aria-label="Graph">
      <Suspense>
        <GraphView document={document} direction="DOWN" states={states} {...(taken === undefined ? {} : { taken })} />
      </Suspense>
    </section>
  )
}
