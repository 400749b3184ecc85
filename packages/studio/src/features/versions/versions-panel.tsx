import { Modal, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { FileClock } from 'lucide-react'
import { useMemo, useState } from 'react'
import { versionQuery, versionsQuery } from '../../api/queries.ts'
import type { GraphDocument, VersionItem } from '../../api/wire.ts'
import { Area, Empty } from '../../ui/area.tsx'
import { ToneChip } from '../../ui/status.tsx'
import { When } from '../../ui/time.tsx'
import { useMay } from '../../ui/use-may.ts'
import { changeLines } from './change-lines.ts'
import { ChangeList } from './change-list.tsx'
import { diffQuery } from './diff.ts'
import { publishNoteOf } from './publish-note.ts'
import { SideBySide } from './side-by-side.tsx'
import { VersionActions } from './version-actions.tsx'
import classes from './versions.module.css'
import { publisherOf, publishingsQuery } from './who-published.ts'

export interface VersionsProps {
  readonly definitionId: string
  /** The draft as it stands on the screen. */
  readonly document: object
  /** Puts another document in the place of the draft. */
  readonly replace: (document: never) => void
  readonly close: () => void
}

const DRAFT = 'draft'

/** History, and what lies between any two of it. */
export function VersionsPanel({ definitionId, document, replace, close }: VersionsProps) {
  const versions = useQuery(versionsQuery(definitionId))
  const [chosen, choose] = useState<string>()
  const [against, compareWith] = useState<string>()
  const items = versions.data?.items ?? []
  const to = chosen ?? DRAFT
  const from = against ?? before(items, to)
  return (
    <Modal opened onClose={close} title="Versions" size="min(1280px, 96vw)" classNames={{ body: classes.body ?? '' }}>
      <Area
        name="versions"
        query={versions}
        isEmpty={({ items: all }) => all.length === 0}
        empty={
          <Empty icon={<FileClock size={22} />} title="Not published yet">
            Each time it is published, what was published is kept here.
          </Empty>
        }
      >
        {() => (
          <div className={classes.columns}>
            <History
              definitionId={definitionId}
              items={items}
              chosen={to}
              choose={(source) => {
                choose(source)
                compareWith(undefined)
              }}
            />
            <div className={classes.work}>
              <div className={classes.bar}>
                <span className="muted">Compare</span>
                <Select
                  size="xs"
                  w={170}
                  aria-label="Compare from"
                  allowDeselect={false}
                  data={sourcesOf(items).filter(({ value }) => value !== to)}
                  value={from ?? null}
                  onChange={(value) => value !== null && compareWith(value)}
                />
                <span className="muted">with</span>
                <strong>{nameOf(to)}</strong>
                <VersionActions
                  definitionId={definitionId}
                  source={to}
                  current={items.find(({ current }) => current)?.version}
                  restore={(restored) => {
                    replace(restored as never)
                    close()
                  }}
                />
              </div>
              {to !== DRAFT && <PublishNote definitionId={definitionId} version={Number(to)} />}
              {from !== undefined && (
                <Comparison definitionId={definitionId} from={from} to={to} draft={document as GraphDocument} />
              )}
            </div>
          </div>
        )}
      </Area>
    </Modal>
  )
}

function PublishNote({ definitionId, version }: { readonly definitionId: string; readonly version: number }) {
  const { data } = useQuery(versionQuery(definitionId, version))
  const note = publishNoteOf(data?.document, version)
  if (note === undefined) return null
  return (
    <p className={classes.note} data-testid="publish-note">
      {note}
    </p>
  )
}

const nameOf = (source: string): string => (source === DRAFT ? 'the draft' : `version ${source}`)

const sourcesOf = (items: readonly VersionItem[]) => [
  { value: DRAFT, label: 'The draft' },
  ...items.map(({ version }) => ({ value: String(version), label: `Version ${version}` })),
]

/** What one compares with first: the version before, or what the draft came from. */
function before(items: readonly VersionItem[], source: string): string | undefined {
  if (source === DRAFT) return String((items.find(({ current }) => current) ?? items[0])?.version ?? '') || undefined
  const older = items.find(({ version }) => version < Number(source))
  return older === undefined ? DRAFT : String(older.version)
}

function History(props: {
  readonly definitionId: string
  readonly items: readonly VersionItem[]
  readonly chosen: string
  readonly choose: (source: string) => void
}) {
  const { allowed } = useMay('audit:read')
  const who = useQuery({ ...publishingsQuery(props.definitionId), enabled: allowed })
  return (
    <ul className={classes.history} aria-label="History">
      <li>
        <button type="button" aria-pressed={props.chosen === DRAFT} onClick={() => props.choose(DRAFT)}>
          <strong>Draft</strong>
          <span className="small muted">As it stands now</span>
        </button>
      </li>
      {props.items.map((item) => (
        <li key={item.version}>
          <button
            type="button"
            aria-pressed={props.chosen === String(item.version)}
            onClick={() => props.choose(String(item.version))}
          >
            <strong>Version {item.version}</strong>
            {item.current && <ToneChip tone="completed">Current</ToneChip>}
            <span className="small muted">
              <When at={item.publishedAt} /> {byWhom(publisherOf(item, who.data ?? []))}
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}

const byWhom = (who: string | undefined): string => (who === undefined ? '' : ` · ${who}`)

function Comparison(props: {
  readonly definitionId: string
  readonly from: string
  readonly to: string
  readonly draft: GraphDocument
}) {
  const { definitionId, from, to, draft } = props
  const [selected, select] = useState<string>()
  const diff = useQuery(diffQuery(definitionId, from, to))
  const sides = { before: useDocument(definitionId, from, draft), after: useDocument(definitionId, to, draft) }
  const { before: old, after: now } = sides
  const lines = useMemo(
    () => (diff.data && old && now ? changeLines(diff.data.changes, { before: old, after: now }) : []),
    [diff.data, old, now],
  )
  return (
    <Area name="diff" query={diff} rows={4}>
      {() => (
        <div className={classes.compared}>
          <div className={classes.changes}>
            <ChangeList lines={lines} selected={selected} onSelect={select} />
          </div>
          {old !== undefined && now !== undefined && (
            <SideBySide
              before={{ title: sideTitle(from), document: old }}
              after={{ title: sideTitle(to), document: now }}
              lines={lines}
              selected={selected}
              onSelect={select}
            />
          )}
        </div>
      )}
    </Area>
  )
}

const sideTitle = (source: string): string => (source === DRAFT ? 'Draft' : `Version ${source}`)

function useDocument(definitionId: string, source: string, draft: GraphDocument): GraphDocument | undefined {
  const number = Number(source)
  const { data } = useQuery({ ...versionQuery(definitionId, number || 1), enabled: source !== DRAFT })
  return source === DRAFT ? draft : (data?.document ?? undefined)
}
