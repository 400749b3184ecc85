import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from '../../api/client.ts'
import { definitionsQuery, incidentsQuery, instancesQuery, locksQuery, nodesQuery } from '../../api/queries.ts'
import { usePollMs } from '../../live/live-state.ts'
import { type TourStep, useTour } from './tour-state.ts'

/** Looks for what ticks the steps: one row of a list each, and only while a step is open. */
export function useTourFacts(wanted: boolean): { readonly severalNodes: boolean; readonly devCluster: boolean } {
  const { done, tick } = useTour()
  const poll = usePollMs(3_000, 5_000)
  const open = (step: TourStep) => ({ enabled: wanted && !done.includes(step), refetchInterval: poll })
  const nodes = useQuery({ ...nodesQuery(), enabled: wanted })
  const [severalNodes, setSeveralNodes] = useState(false)
  // For good: of two nodes one may be killed. A node that is alone buries itself when it starts after a crash, which teaches nobody anything.
  if (!severalNodes && (nodes.data?.items.length ?? 0) > 1) setSeveralNodes(true)
  const completed = useQuery({ ...instancesQuery({ status: 'completed', limit: 1 }), ...open('run') })
  const resolved = useQuery({ ...incidentsQuery({ state: 'resolved', limit: 1 }), ...open('retry') })
  const decided = useQuery({
    queryKey: ['human-tasks', 'tour'],
    queryFn: ({ signal }) =>
      call<{ readonly items: readonly unknown[] }>('GET', '/human-tasks', {
        query: { status: 'completed', limit: 1 },
        signal,
      }),
    ...open('approve'),
  })
  const definitions = useQuery({ ...definitionsQuery({ limit: 50 }), ...open('publish') })
  const locks = useQuery({ ...locksQuery({ limit: 1 }), ...open('lock') })
  const buried = useQuery({
    queryKey: ['cluster-events', 'tour'],
    queryFn: ({ signal }) =>
      call<{ readonly items: readonly { readonly kind: string }[] }>('GET', '/cluster/events', {
        query: { limit: 200 },
        signal,
      }),
    ...open('node'),
  })
  const facts: Readonly<Record<Exclude<TourStep, 'watch' | 'travel'>, boolean>> = {
    run: (completed.data?.items.length ?? 0) > 0,
    retry: (resolved.data?.items.length ?? 0) > 0,
    approve: (decided.data?.items.length ?? 0) > 0,
    // The samples are published by the node itself, once.
    publish:
      definitions.data?.items.some(({ id, version }) => (version ?? 0) > (id.startsWith('sample-') ? 1 : 0)) === true,
    lock: locks.data?.items.some(({ kind }) => kind !== 'instance') === true,
    node: severalNodes && buried.data?.items.some(({ kind }) => kind === 'buried') === true,
  }
  const ticked = Object.entries(facts)
    .filter(([, happened]) => happened)
    .map(([step]) => step)
    .join()
  useEffect(() => {
    for (const step of ticked.split(',').filter((each) => each !== '')) tick(step as TourStep)
  }, [ticked, tick])
  return { severalNodes, devCluster: (nodes.data?.processes?.length ?? 0) > 0 }
}
