import { Button, Group, Select, Skeleton, Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Workflow } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { definitionsQuery, instancesQuery } from '../../api/queries.ts'
import type { DefinitionItem } from '../../api/wire.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { NewWorkflowButton } from '../../designer/new-workflow.tsx'
import { usePollMs } from '../../live/live-state.ts'
import { Empty } from '../../ui/area.tsx'
import folderNav from '../../ui/folder-nav.module.css'
import { List } from '../../ui/list.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { ToneChip } from '../../ui/status.tsx'
import table from '../../ui/table.module.css'
import { When } from '../../ui/time.tsx'
import { useMay } from '../../ui/use-may.ts'
import { ImportButton } from '../import/import-button.tsx'
import { ImportDrop } from '../import/import-drop.tsx'
import { StartButton } from '../instances/start-dialog.tsx'
import classes from './definition.module.css'
import { DefinitionMenu } from './definition-menu.tsx'
import { Folders, useFolders } from './folders.tsx'
import type { Change } from './last-changes.ts'
import { lastChangesQuery } from './last-changes-query.ts'
import { recentRuns, runsText } from './recent-runs.ts'
import tagClasses from './tags.module.css'
import { TriggerList } from './trigger-list.tsx'

const ORDERS = [
  { value: 'id', label: 'By id' },
  { value: 'name', label: 'By name' },
  { value: '-updatedAt', label: 'Last changed first' },
]

export function DefinitionsPage() {
  const [search, change] = useUrlSearch()
  const folders = useFolders()
  const list = <DefinitionList hasTags={folders.items.length > 0} />
  return (
    <ImportDrop>
      <Page
        title="Workflows"
        lead="What can be started"
        actions={
          <>
            <ImportButton />
            <NewWorkflowButton />
          </>
        }
      >
        <div className={classes.tools}>
          <SearchField parameter="q" label="Name, id or tag" />
          <Select
            size="xs"
            w={170}
            aria-label="Order"
            allowDeselect={false}
            data={ORDERS}
            value={ORDERS.find(({ value }) => value === search.sort)?.value ?? 'id'}
            onChange={(sort) =>
              change({ sort: sort === 'id' ? undefined : (sort ?? undefined), cursor: undefined }, true)
            }
          />
        </div>
        {folders.items.length === 0 ? (
          list
        ) : (
          <div className={folderNav.split}>
            <Folders {...folders} />
            {list}
          </div>
        )}
      </Page>
    </ImportDrop>
  )
}

function DefinitionList({ hasTags }: { readonly hasTags: boolean }) {
  const [search] = useUrlSearch()
  const query = useQuery({
    ...definitionsQuery({
      q: search.q,
      name: search.name,
      tag: search.tag,
      sort: search.sort,
      cursor: search.cursor,
      limit: 50,
    }),
    refetchInterval: usePollMs(10_000),
  })
  // One page of one list, whatever there are of workflows.
  const { data } = useQuery({
    ...instancesQuery({ limit: 200, 'createdAt[gte]': '-24h' }),
    queryKey: ['instances', 'of-workflows'] as never,
    refetchInterval: usePollMs(10_000),
  })
  const { allowed } = useMay('audit:read')
  const changes = useQuery({ ...lastChangesQuery(), enabled: allowed, refetchInterval: usePollMs(15_000) })
  const recent = recentRuns(data)
  return (
    <Card flush>
      <List
        name="definitions"
        noun="workflow"
        query={query}
        columns={[
          'Name',
          ...(hasTags ? ['Tags'] : []),
          'Published',
          'Started',
          'Last 24 h',
          'Changed',
          { label: 'Actions', right: true },
        ]}
        empty={<NoWorkflows search={search} />}
        row={(definition) => (
          <tr key={definition.id}>
            <td>
              <Link to="/definitions/$definitionId" params={{ definitionId: definition.id }} className="link">
                {definition.name}
              </Link>
              {(definition.id !== definition.name || definition.kind === 'function') && (
                <span className={classes.id}>
                  {definition.id}
                  {definition.kind === 'function' && ' · code'}
                </span>
              )}
            </td>
            {hasTags && (
              <td>
                <Tags tags={definition.tags ?? []} />
              </td>
            )}
            <td>
              <StateChips definition={definition} />
            </td>
            <td>
              <TriggerList {...definition} />
            </td>
            <RunCell definition={definition} recent={recent} />
            <td>
              <Changed at={definition.updatedAt} change={changes.data?.get(definition.id)} />
            </td>
            <td className={table.right}>
              <Group gap={6} wrap="nowrap" justify="flex-end">
                {definition.version !== null && (
                  <StartButton label="Run" variant="default" definitionId={definition.id} />
                )}
                <DefinitionMenu definition={definition} />
              </Group>
            </td>
          </tr>
        )}
      />
    </Card>
  )
}

function NoWorkflows({ search }: { readonly search: Readonly<Record<string, string | undefined>> }) {
  const isSearched = Boolean(search.q ?? search.name) || Boolean(search.tag)
  const said = (
    <Empty
      icon={<Workflow size={22} />}
      title={isSearched ? 'No workflow is called that' : 'No workflows yet'}
      {...(isSearched ? { action: <AllWorkflows /> } : {})}
    >
      {isSearched
        ? search.tag && `Looked for among those with the tag ${search.tag.replaceAll(',', ' or ')}.`
        : 'Begin with one of these, draw your own, write one in code, or send a graph document to the API with lockstep definitions push.'}
    </Empty>
  )
  if (isSearched) return said
  return (
    <>
      {said}
      <div className={classes.gallery}>
        <Suspense fallback={<Skeleton height={330} />}>
          <BeginWithTemplate />
        </Suspense>
      </div>
    </>
  )
}

const BeginWithTemplate = lazy(() =>
  import('../templates/begin-with-template.tsx').then((module) => ({ default: module.BeginWithTemplate })),
)

const AllWorkflows = () => (
  <Button component={Link} to="/definitions" search={{} as never} size="xs" variant="default">
    All workflows
  </Button>
)

const MOST_TAGS = 2

function Tags({ tags }: { readonly tags: readonly string[] }) {
  if (tags.length === 0) return <span className="muted">–</span>
  return (
    <span className={tagClasses.tags} title={tags.join(', ')}>
      {tags.slice(0, MOST_TAGS).map((tag) => (
        <Link key={tag} to="/definitions" search={{ tag } as never} className="clip" activeProps={{}}>
          {tag}
        </Link>
      ))}
      {tags.length > MOST_TAGS && <span className="small muted">+{tags.length - MOST_TAGS}</span>}
    </span>
  )
}

/** When it was last saved, published or retracted; who did it, as far as the audit log was read. */
function Changed({ at, change }: { readonly at: string; readonly change: Change | undefined }) {
  // The entry says when it was asked for, the workflow when it was written: one from long before is about something else.
  const isSame = change !== undefined && Date.parse(at) - Date.parse(change.at) < NEAR_MS
  return (
    <span>
      {isSame && change.who !== undefined && <>{change.who}, </>}
      <When at={at} />
    </span>
  )
}

const NEAR_MS = 15_000

function StateChips({ definition: { id, state, version } }: { readonly definition: DefinitionItem }) {
  if (state === 'draft') return <ToneChip tone="queued">Draft only</ToneChip>
  if (state === 'retracted') return <ToneChip tone="ended">Retracted</ToneChip>
  return (
    <span className={classes.chips}>
      <ToneChip tone="completed">Version {version}</ToneChip>
      {state === 'ahead' && (
        <Tooltip label="Its draft says something else than what is published. Open the draft.">
          <Link to="/definitions/$definitionId/design" params={{ definitionId: id }}>
            <ToneChip tone="retrying">Draft ahead</ToneChip>
          </Link>
        </Tooltip>
      )}
    </span>
  )
}

/** Where there was more than one page of instances, what is not on it may have run all the same. */
function RunCell(props: { readonly definition: DefinitionItem; readonly recent: ReturnType<typeof recentRuns> }) {
  const { definition, recent } = props
  const { id: definitionId } = definition
  const found = recent.runs.get(definitionId)
  return (
    <td>
      <span className={classes.runs}>
        {found !== undefined && (
          <span className={classes.share} aria-hidden>
            <i style={{ width: `${(found.failed / found.count) * 100}%` }} />
          </span>
        )}
        <Link to="/instances" search={{ definition: definitionId } as never} className="link num">
          {runsText(found?.count ?? 0, recent.isWhole || definition.state === 'draft')}
        </Link>
      </span>
      {found !== undefined && (
        <span className={classes.last}>
          {found.failed > 0 && `${found.failed} failed, `}
          <When at={found.lastAt} />
        </span>
      )}
    </td>
  )
}
