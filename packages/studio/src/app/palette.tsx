import '@mantine/spotlight/styles.css'
import { createSpotlight, Spotlight } from '@mantine/spotlight'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Activity, Network, Pause, PencilRuler, Play, Search, Settings, Workflow } from 'lucide-react'
import { useEffect, useState } from 'react'
import { definitionsQuery, nodesQuery } from '../api/queries.ts'
import { useLive } from '../live/live-state.ts'
import { navPages } from './pages.ts'

const [store, spotlight] = createSpotlight()
const INSTANCE = /wfi_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i

interface Choice {
  readonly id: string
  readonly label: string
  readonly description?: string
  readonly icon: React.ReactNode
  readonly run: () => void
}

/** Pages, workflows, nodes, an instance by its id or by any address that holds it, and what can be done from anywhere. */
export function Palette({ close }: { readonly close: () => void }) {
  const [query, setQuery] = useState('')
  const { data } = useQuery(definitionsQuery({ limit: 200 }))
  const { data: nodes } = useQuery(nodesQuery())
  const choices = useChoices(query, data?.items ?? [], nodes?.items ?? [])
  useEffect(() => spotlight.open(), [])
  const listed = choices.map(({ id }) => id).join()
  useEffect(() => {
    if (listed !== '') markFirst()
  }, [listed])
  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={close}
      clearQueryOnClose
      shortcut={null}
      maxHeight={420}
    >
      <Spotlight.Search
        placeholder="Page, workflow, or an instance id"
        aria-label="Search or jump to"
        leftSection={<Search size={16} />}
      />
      <Spotlight.ActionsList>
        {choices.map((choice) => (
          <Spotlight.Action
            key={choice.id}
            label={choice.label}
            {...(choice.description === undefined ? {} : { description: choice.description })}
            leftSection={choice.icon}
            onClick={choice.run}
          />
        ))}
        {choices.length === 0 && <Spotlight.Empty>Nothing is called that.</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}

/** Parts of pages that people look for by their names. */
const views = [
  { label: 'Who waits for whom', path: '/locks', search: { view: 'waits' } },
  { label: 'Dead letters', path: '/queues', search: { tab: 'dead' } },
  { label: 'Settings: API keys', path: '/settings', search: { tab: 'keys' } },
  { label: 'Settings: Users', path: '/settings', search: { tab: 'users' } },
  { label: 'Settings: Sign-in', path: '/settings', search: { tab: 'sign-in' } },
  { label: 'Settings: Secrets', path: '/settings', search: { tab: 'secrets' } },
  { label: 'Settings: Retention', path: '/settings', search: { tab: 'retention' } },
  { label: 'Settings: Activity types', path: '/settings', search: { tab: 'activities' } },
  { label: 'Settings: Appearance', path: '/settings', search: { tab: 'appearance' } },
  { label: 'Settings: About', path: '/settings', search: { tab: 'about' } },
] as const

/** Enter takes what is marked; a list that has changed since it was typed has lost its mark. */
function markFirst(): void {
  const actions = document.querySelectorAll('.mantine-Spotlight-actionsList [data-action]')
  for (const action of actions) action.removeAttribute('data-selected')
  actions[0]?.setAttribute('data-selected', 'true')
}

function useChoices(
  query: string,
  definitions: readonly { readonly id: string; readonly name: string; readonly kind: string }[],
  nodes: readonly { readonly id: string; readonly name: string }[],
): readonly Choice[] {
  const navigate = useNavigate()
  const { paused, setPaused } = useLive()
  const instance = INSTANCE.exec(query)?.[0]
  const asked = query.trim()
  if (instance !== undefined) {
    const run = (): void =>
      void navigate({ to: '/instances/$instanceId', params: { instanceId: instance.toLowerCase() } })
    return [{ id: 'instance', label: 'Open the instance', description: instance, icon: <Activity size={16} />, run }]
  }
  const fits = (text: string): boolean => text.toLowerCase().includes(asked.toLowerCase())
  const found = definitions.filter(({ id, name }) => asked !== '' && (fits(id) || fits(name))).slice(0, 8)
  return [
    ...found.map(({ id, name, kind }) => ({
      id: `definition ${id}`,
      label: name,
      description: `Workflow ${id}`,
      icon: kind === 'graph' ? <PencilRuler size={16} /> : <Workflow size={16} />,
      // What was drawn is opened where it is drawn; code has no such place.
      run: () =>
        void navigate({
          to: kind === 'graph' ? '/definitions/$definitionId/design' : '/definitions/$definitionId',
          params: { definitionId: id },
        }),
    })),
    ...navPages
      .filter(({ label }) => fits(label))
      .map(({ label, path, icon: Icon, key }) => ({
        id: path,
        label,
        description: `g ${key}`,
        icon: <Icon size={16} />,
        run: () => void navigate({ to: path }),
      })),
    ...nodes
      .filter(({ id, name }) => asked !== '' && (fits(name) || id === asked))
      .slice(0, 5)
      .map(({ id, name }) => ({
        id: `node ${id}`,
        label: name,
        description: 'Node',
        icon: <Network size={16} />,
        run: () => void navigate({ to: '/cluster/$nodeId', params: { nodeId: id } }),
      })),
    ...views
      .filter(({ label }) => asked !== '' && fits(label))
      .map(({ label, path, search }) => ({
        id: `view ${label}`,
        label,
        icon: <Settings size={16} />,
        run: () => void navigate({ to: path, search: search as never }),
      })),
    ...found.map(({ id, name }) => ({
      id: `page ${id}`,
      label: `Versions and runs of ${name}`,
      icon: <Workflow size={16} />,
      run: () => void navigate({ to: '/definitions/$definitionId', params: { definitionId: id } }),
    })),
    ...found.map(({ id, name }) => ({
      id: `faulted ${id}`,
      label: `Faulted instances of ${name}`,
      icon: <Activity size={16} />,
      run: () => void navigate({ to: '/instances', search: { definition: id, status: 'faulted' } }),
    })),
    ...[
      {
        id: 'live',
        label: paused ? 'Go live' : 'Pause live updates',
        description: 'Key: .',
        icon: paused ? <Play size={16} /> : <Pause size={16} />,
        run: () => setPaused(!paused),
      },
    ].filter(({ label }) => fits(label)),
  ]
}
