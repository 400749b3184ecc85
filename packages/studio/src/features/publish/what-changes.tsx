import { useQuery } from '@tanstack/react-query'
import { useMemo, useRef } from 'react'
import type { GraphDocument } from '../../api/wire.ts'
import { activitiesById } from '../../canvas/canvas-model.ts'
import { Area } from '../../ui/area.tsx'
import { type ChangeLine, changeLines } from '../versions/change-lines.ts'
import { ChangeList } from '../versions/change-list.tsx'
import { diffQuery } from '../versions/diff.ts'
import classes from './publish.module.css'

interface WhatChangesProps {
  readonly definitionId: string
  readonly current: number | undefined
  readonly before: GraphDocument | undefined
  readonly after: GraphDocument | undefined
  /** What is on the screen is saved: only then does the server know it. */
  readonly ready: boolean
  /** How often it was refused because the draft had changed. */
  readonly round: number
}

/** What somebody looks at does not change under their eyes; the next dialog asks anew. */
export const asItWas = { staleTime: Number.POSITIVE_INFINITY, gcTime: 0, refetchOnWindowFocus: false } as const

/** Against the version that new instances get now. */
export function WhatChanges(props: WhatChangesProps) {
  if (props.ready && props.current === undefined) return <First document={props.after} />
  return <Changes {...props} />
}

function First({ document }: { readonly document: GraphDocument | undefined }) {
  const count = document === undefined ? 0 : activitiesById(document).size
  return (
    <section>
      <h3 className={classes.heading}>Changes</h3>
      <p data-testid="first-version">
        This will be version 1, with {count} {count === 1 ? 'step' : 'steps'}. New instances can start as soon as it is
        published.
      </p>
    </section>
  )
}

function Changes({ definitionId, current, before, after, ready, round }: WhatChangesProps) {
  const stale = round > 0
  const diff = useQuery({
    ...diffQuery(definitionId, 'published', 'draft'),
    queryKey: ['publish-diff', definitionId, 'published', 'draft', String(round)] as never,
    ...asItWas,
    enabled: ready && current !== undefined,
  })
  const lines = useMemo(
    () => (diff.data && before && after ? changeLines(diff.data.changes, { before, after }) : undefined),
    [diff.data, before, after],
  )
  const seen = useRef<readonly ChangeLine[]>(undefined)
  if (!stale && lines !== undefined) seen.current = lines
  const fresh = useMemo(() => (stale ? freshOf(lines ?? [], seen.current ?? []) : undefined), [stale, lines])
  return (
    <section>
      <h3 className={classes.heading}>Changes since version {current}</h3>
      <Area name="publish-diff" query={diff} rows={3}>
        {() => (
          <div className={classes.changes}>
            <ChangeList lines={lines ?? []} {...(fresh === undefined ? {} : { fresh })} />
          </div>
        )}
      </Area>
    </section>
  )
}

/** Lines that were not there, or said something else. */
function freshOf(lines: readonly ChangeLine[], seen: readonly ChangeLine[]): ReadonlySet<string> {
  const known = new Set(seen.map((line) => JSON.stringify(line)))
  return new Set(lines.filter((line) => !known.has(JSON.stringify(line))).map(({ key }) => key))
}
