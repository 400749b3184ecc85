import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Code, FileClock, PencilRuler } from 'lucide-react'
import { lazy, Suspense, useMemo } from 'react'
import { definitionQuery, draftQuery, versionQuery, versionsQuery } from '../../api/queries.ts'
import type { Definition } from '../../api/wire.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { activitiesById } from '../../canvas/canvas-model.ts'
import { Area, Empty } from '../../ui/area.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Missing } from '../../ui/missing.tsx'
import { Card, Facts, Page } from '../../ui/page.tsx'
import { sentence } from '../../ui/sentence.ts'
import { ToneChip } from '../../ui/status.tsx'
import { When } from '../../ui/time.tsx'
import { StartButton } from '../instances/start-dialog.tsx'
import classes from './definition.module.css'

const GraphView = lazy(() => import('../../canvas/graph-view.tsx').then((module) => ({ default: module.GraphView })))

export function DefinitionPage() {
  const { definitionId } = useParams({ strict: false }) as { readonly definitionId: string }
  const query = useQuery(definitionQuery(definitionId))
  const { data } = query
  return (
    <Page
      title={data?.name ?? definitionId}
      lead={<span className="mono">{definitionId}</span>}
      actions={
        <>
          <Button
            component={Link}
            to="/instances"
            search={{ definition: definitionId } as never}
            variant="default"
            size="xs"
          >
            Instances
          </Button>
          {data?.kind === 'graph' && (
            <Button
              component={Link}
              to="/definitions/$definitionId/design"
              params={{ definitionId } as never}
              variant="default"
              size="xs"
              leftSection={<PencilRuler size={14} />}
            >
              Open in designer
            </Button>
          )}
          {data?.version != null && <StartButton label="Start" definitionId={definitionId} />}
        </>
      }
    >
      <Area
        name="definition"
        query={query}
        missing={
          <Missing title="There is no such workflow" list={{ to: '/definitions', label: 'All workflows' }}>
            Nothing is called <span className="mono">{definitionId}</span>. It may have been deleted.
          </Missing>
        }
      >
        {(definition) => <Parts definition={definition} />}
      </Area>
    </Page>
  )
}

function Parts({ definition }: { readonly definition: Definition }) {
  const [search, change] = useUrlSearch()
  const versions = useQuery(versionsQuery(definition.id))
  const newest = definition.version ?? versions.data?.items[0]?.version
  const chosen = search.version === undefined ? newest : Number(search.version)
  const version = useQuery({ ...versionQuery(definition.id, chosen ?? 1), enabled: chosen !== undefined })
  const draft = useQuery({ ...draftQuery(definition.id), enabled: chosen === undefined && versions.isSuccess })
  const document = version.data?.document ?? (chosen === undefined ? draft.data?.draft : undefined) ?? undefined
  const activities = useMemo(() => document && activitiesById(document), [document])
  const step = search.step === undefined ? undefined : activities?.get(search.step)
  return (
    <div className={classes.columns}>
      <div className={classes.work}>
        <section className={classes.graph} aria-label="Graph">
          {definition.kind === 'function' ? (
            <Empty icon={<Code size={22} />} title="This workflow is code">
              Its steps are seen where it runs: open one of its instances.
            </Empty>
          ) : (
            document !== undefined && (
              <Suspense>
                <GraphView
                  document={document}
                  direction="DOWN"
                  selected={search.step}
                  onSelect={(id) => change({ step: id }, true)}
                />
              </Suspense>
            )
          )}
        </section>
        {step !== undefined && (
          <Card title={step.name ?? step.id} aside={<span className="mono small muted">{step.type}</span>}>
            {step.description !== undefined && <p>{step.description}</p>}
            <JsonView value={step} name="step" />
          </Card>
        )}
        {document?.description !== undefined && <p className="muted">{document.description}</p>}
      </div>
      <div className={classes.side}>
        <Card title="Versions" flush>
          <Area
            name="versions"
            query={versions}
            rows={3}
            isEmpty={({ items }) => items.length === 0}
            empty={<Empty icon={<FileClock size={22} />} title="Not published yet" />}
          >
            {({ items }) => (
              <ul className={classes.versions}>
                {items.map((item) => (
                  <li key={item.version}>
                    <button
                      type="button"
                      aria-pressed={item.version === chosen}
                      onClick={() => change({ version: String(item.version), step: undefined }, true)}
                    >
                      <strong>v{item.version}</strong>
                      <span className="mono small muted">{item.hash.slice(0, 10)}</span>
                      {item.current && <ToneChip tone="completed">Current</ToneChip>}
                      <span className="small muted">
                        <When at={item.publishedAt} />
                      </span>
                    </button>
                  </li>
                ))}
              </ul>
            )}
          </Area>
        </Card>
        {version.data !== undefined && (
          <Card title={`Version ${version.data.version}`}>
            <Facts
              items={[
                ['Kind', sentence(version.data.kind)],
                ['Steps', activities === undefined ? '–' : String(activities.size)],
                [
                  'Running on it',
                  `${version.data.pinned.value.toLocaleString('en')}${version.data.pinned.exact ? '' : '+'}`,
                ],
                [
                  'Hash',
                  <span key="hash" className="mono small">
                    {version.data.hash.slice(0, 16)}…
                    <CopyButton text={version.data.hash} what="hash" />
                  </span>,
                ],
              ]}
            />
          </Card>
        )}
        {document?.input !== undefined && (
          <Card title="Input">
            <JsonView value={document.input} name="input schema" />
          </Card>
        )}
      </div>
    </div>
  )
}
