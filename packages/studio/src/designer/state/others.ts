import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { definitionQuery } from '../../api/queries.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Design, type JsonObject } from '../model/index.ts'
import { joinTheirs } from '../save/join-theirs.ts'
import type { Designer } from './designer-state.ts'

type Screen = Pick<Designer, 'design' | 'store'>

/** What others save comes in while the page is open: the stream tells that there is another draft, the saver fetches it. */
export function useOthers({ definitionId, saver }: Designer): void {
  const refetchInterval = usePollMs(5_000, 30_000)
  const { data } = useQuery({ ...definitionQuery(definitionId), enabled: saver !== undefined, refetchInterval })
  const etag = data?.etag
  useEffect(() => {
    if (etag !== undefined) void saver?.hear(etag)
  }, [etag, saver])
}

/** Joins unless both changed the same field: then nothing happens before somebody decides. */
export function takeIn(screen: Screen, base: JsonObject, theirs: JsonObject): 'joined' | 'overlap' {
  if (Design.fromGraph(theirs).status === 'unreadable') return 'overlap'
  const trial = Design.fromState(screen.design.state())
  const { ours } = joinTheirs(trial, base, theirs)
  trial.destroy()
  if (ours > 0) return 'overlap'
  bringIn(screen, base, theirs)
  return 'joined'
}

/** Says so when something goes that somebody looks at or has changed here. */
export function bringIn({ design, store }: Screen, base: JsonObject, theirs: JsonObject): void {
  const { selection } = store.getState()
  const names = new Map([...design.view.steps.values()].map(({ key, name }) => [key, name]))
  const { removed, changedHere } = joinTheirs(design, base, theirs)
  const missed = [...removed.steps.keys()].filter((key) => selection.has(key) || changedHere.has(key))
  store.setState({
    said: 'Changes of somebody else came in.',
    ...(missed.length === 0 ? {} : { lost: { names: missed.map((key) => names.get(key) ?? key), removed } }),
  })
}
