import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { ReactFlowProvider } from '@xyflow/react'
import { CircleSlash } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { toProblem } from '../api/problem.ts'
import { versionQuery } from '../api/queries.ts'
import { useUrlSearch } from '../app/use-url-search.ts'
import { usePollMs } from '../live/live-state.ts'
import { Empty, ProblemCard } from '../ui/area.tsx'
import { Missing } from '../ui/missing.tsx'
import { useMay } from '../ui/use-may.ts'
import { DesignCanvas } from './canvas/design-canvas.tsx'
import { ConflictDialog } from './frame/conflict-dialog.tsx'
import { Drawer } from './frame/drawer.tsx'
import classes from './frame/frame.module.css'
import { Header } from './frame/header.tsx'
import { InspectorPane } from './frame/inspector-pane.tsx'
import { KeptCopy } from './frame/kept-copy.tsx'
import { Notices } from './frame/notices.tsx'
import { Side } from './frame/side.tsx'
import type { JsonObject } from './model/index.ts'
import { FindMenu } from './outline/find-menu.tsx'
import { activityTypesQuery } from './palette/activity-types.ts'
import { AddMenu } from './palette/add-menu.tsx'
import { ConnectMenu } from './palette/connect-menu.tsx'
import { type Designer, DesignerContext, useDesignerState } from './state/designer-state.ts'
import { type Opened, openDraft, openToRead } from './state/open-designer.ts'
import { useOthers } from './state/others.ts'
import { useDesignerKeys } from './state/use-keys.ts'

/** Activities of one's own come and go while somebody draws. */
const TYPES_MS = 15_000
const NO_TYPES: Designer['types'] = new Map()

/** `?version=` shows a published version, to read only. */
export function DesignerPage() {
  const { definitionId } = useParams({ strict: false }) as { readonly definitionId: string }
  const [search] = useUrlSearch()
  const version = search.version === undefined ? undefined : Number(search.version)
  const types = useQuery({ ...activityTypesQuery(), refetchInterval: usePollMs(TYPES_MS) })
  const { reason } = useMay('definitions:write')
  const old = useQuery({ ...versionQuery(definitionId, version ?? 1), enabled: version !== undefined })
  const [found, setFound] = useState<Opened & { readonly place: string }>()
  const [fault, setFault] = useState<unknown>()
  const [turn, setTurn] = useState(0)
  const catalogue = types.data
  const isKnown = catalogue !== undefined
  const place = `${definitionId} ${version ?? 'draft'}`
  // What was open before is not shown in the place of what is opened now.
  const opened = found?.place === place ? found : undefined
  // Without a version the question is not asked, but its answer may be known from elsewhere.
  const document = version === undefined ? undefined : old.data?.document
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` asks again; another catalogue is given to what is open
  useEffect(() => {
    if (!isKnown || (version !== undefined && document === undefined)) return
    let current = true
    setFault(undefined)
    const opening =
      version === undefined
        ? openDraft(definitionId, catalogue, reason)
        : Promise.resolve(toRead(definitionId, document, catalogue, version))
    opening.then(
      (next) => current && setFound({ ...next, place }),
      (error: unknown) => current && setFault(error),
    )
    return () => {
      current = false
    }
  }, [definitionId, version, place, isKnown, document, reason, turn])
  const designer = useMemo(
    () => opened?.status === 'open' && { ...opened.designer, types: catalogue ?? opened.designer.types },
    [opened, catalogue],
  )
  const again = (): void => {
    void types.refetch()
    void old.refetch()
    setTurn((before) => before + 1)
  }
  const error = useLastError(types) ?? old.error ?? fault
  if (error && toProblem(error).status === 404)
    return (
      <div className={classes.state} data-testid="designer-missing">
        <Missing title="There is no such workflow" list={{ to: '/definitions', label: 'All workflows' }}>
          Nothing is called <span className="mono">{definitionId}</span>, or it has no such version.
        </Missing>
      </div>
    )
  // What was opened from this browser's own copy stays, whatever the server says.
  if (error && opened === undefined)
    return (
      <div className={classes.fault}>
        <ProblemCard name="designer" error={error} retry={again} />
        {version === undefined && reason === undefined && isAway(toProblem(error).status) && (
          <KeptCopy
            definitionId={definitionId}
            types={catalogue ?? NO_TYPES}
            open={(next) => setFound({ ...next, place })}
          />
        )}
      </div>
    )
  if (opened === undefined) return <Loading />
  if (opened.status === 'not-drawable')
    return (
      <div className={classes.state}>
        <Empty icon={<CircleSlash size={22} />} title="This cannot be drawn">
          {opened.reason}
        </Empty>
      </div>
    )
  return designer && <Frame key={place} designer={designer} />
}

/** Asked again before it was ever answered, a query forgets what went wrong until it goes wrong again: here that stays. */
function useLastError({ error, data }: { readonly error: unknown; readonly data: unknown }): unknown {
  const last = useRef<unknown>(null)
  if (error) last.current = error
  if (data !== undefined) last.current = null
  return last.current
}

/** The server is not there, or not able: what it has of the draft cannot be known now. */
const isAway = (status: number): boolean => status === 0 || status >= 500

const toRead = (id: string, document: unknown, types: Designer['types'], version: number): Opened =>
  document === null
    ? { status: 'not-drawable', reason: 'This version is code: it has nothing to draw.' }
    : openToRead(id, document as JsonObject, types, `Version ${version} never changes. Open the draft to edit.`)

function Loading() {
  return (
    <div className={classes.designer} data-testid="designer-loading" aria-busy="true">
      <div className={classes.header}>
        <Skeleton width={220} height={20} />
      </div>
      <div className={classes.side} />
      <div className={classes.canvas} />
      <span className="visually-hidden">Loading</span>
    </div>
  )
}

function Frame({ designer }: { readonly designer: Designer }) {
  const { design, saver } = designer
  useOthers(designer)
  useEffect(() => {
    const again = (): void => saver?.tryAgain()
    const leave = (): void => void saver?.flush()
    saver?.start()
    window.addEventListener('online', again)
    window.addEventListener('pagehide', leave)
    return () => {
      window.removeEventListener('online', again)
      window.removeEventListener('pagehide', leave)
      void saver?.flush()
      saver?.stop()
    }
  }, [saver])
  const name = design.view.members.name
  useEffect(() => {
    window.document.title = `${typeof name === 'string' && name !== '' ? name : designer.definitionId} · Designer · Lockstep`
  }, [name, designer.definitionId])
  return (
    <DesignerContext value={designer}>
      <ReactFlowProvider>
        <Panes definitionId={designer.definitionId}>
          <Keys designer={designer} />
          <Header />
          <Side />
          <div className={classes.canvas}>
            <DesignCanvas />
            <Notices />
          </div>
          <InspectorPane />
          <Drawer />
        </Panes>
        <AddMenu />
        <ConnectMenu />
        <FindMenu />
        <ConflictDialog />
        <Said />
      </ReactFlowProvider>
    </DesignerContext>
  )
}

function Panes({ definitionId, children }: { readonly definitionId: string; readonly children: React.ReactNode }) {
  const { side, inspector } = useDesignerState(({ panes }) => panes)
  return (
    <div
      className={classes.designer}
      data-testid="designer-ready"
      data-definition={definitionId}
      data-side={side}
      data-inspector-open={inspector}
    >
      {children}
    </div>
  )
}

function Keys({ designer }: { readonly designer: Designer }) {
  const actions = useMemo(
    () => ({
      save: () => void designer.saver?.flush(),
      // What was never published cannot be started, but it can be tried out.
      run: () => {
        const button = document.querySelector<HTMLElement>('[data-designer-run] button')
        if (button === null) designer.store.setState({ drawer: 'test' })
        else button.click()
      },
    }),
    [designer],
  )
  useDesignerKeys(actions)
  return null
}

function Said() {
  const said = useDesignerState((state) => state.said)
  return (
    <div className="visually-hidden" aria-live="polite">
      {said}
    </div>
  )
}
