import { ActionIcon, Tooltip, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { Keyboard, Moon, PanelLeftClose, PanelLeftOpen, Search, Sun } from 'lucide-react'
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { credential } from '../api/credential.ts'
import { incidentGroupsQuery, nodesQuery } from '../api/queries.ts'
import { serverNow } from '../api/server-time.ts'
import { basePath } from '../browser/place.ts'
import { clusterHealth } from '../features/cluster/cluster-health.ts'
import { eventsQuery } from '../features/cluster/cluster-queries.ts'
import { useLive, usePollMs } from '../live/live-state.ts'
import { KeyHelp } from './key-help.tsx'
import { listenKeys } from './keys.ts'
import { LiveSwitch } from './live-switch.tsx'
import { NewVersion } from './new-version.tsx'
import { navPages } from './pages.ts'
import classes from './shell.module.css'
import { SignIn } from './sign-in.tsx'
import { UserMenu } from './user-menu.tsx'

const Palette = lazy(() => import('./palette.tsx').then((module) => ({ default: module.Palette })))

export function Shell() {
  const [folded, setFolded] = useLocalStorage({ key: 'lockstep-rail-folded', defaultValue: false })
  const [paletteOpen, setPaletteOpen] = useState(false)
  const [helpOpen, setHelpOpen] = useState(false)
  const wanted = useSyncExternalStore(credential.watch, credential.wanted)
  const navigate = useNavigate()
  useEffect(() => {
    const stop = listenKeys({
      go: Object.fromEntries(navPages.map(({ key, path }) => [key, () => void navigate({ to: path })])),
      keys: {
        '?': () => setHelpOpen(true),
        '.': () => useLive.setState(({ paused }) => ({ paused: !paused })),
        '/': (event) => {
          const field = document.querySelector<HTMLInputElement>('[data-search-field]')
          if (field === null) setPaletteOpen(true)
          else field.focus()
          event.preventDefault()
        },
      },
    })
    const onPalette = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      setPaletteOpen((open) => !open)
    }
    window.addEventListener('keydown', onPalette)
    return () => {
      stop()
      window.removeEventListener('keydown', onPalette)
    }
  }, [navigate])

  if (wanted) return <SignIn />
  return (
    <div className={classes.shell} data-folded={folded}>
      <button type="button" className={classes.skip} onClick={() => document.getElementById('main')?.focus()}>
        Skip to the page
      </button>
      <nav className={classes.rail} aria-label="Pages">
        <Link to="/" className={classes.brand} aria-label="Lockstep, home">
          <img src={`${basePath}/icon.svg`} width={22} height={22} alt="" />
          <span>Lockstep</span>
        </Link>
        <NavLinks folded={folded} />
        <button type="button" className={classes.fold} onClick={() => setFolded(!folded)}>
          {folded ? <PanelLeftOpen size={16} aria-hidden /> : <PanelLeftClose size={16} aria-hidden />}
          <span>{folded ? 'Unfold' : 'Fold'}</span>
        </button>
      </nav>
      <header className={classes.bar}>
        <button type="button" className={classes.search} onClick={() => setPaletteOpen(true)}>
          <Search size={14} aria-hidden />
          <span>Search or jump to…</span>
          <kbd>Ctrl K</kbd>
        </button>
        <div className={classes.tools}>
          <ClusterPill />
          <LiveSwitch />
          <Tooltip label="Keys (?)">
            <ActionIcon variant="subtle" color="gray" size={30} aria-label="Keys" onClick={() => setHelpOpen(true)}>
              <Keyboard size={16} />
            </ActionIcon>
          </Tooltip>
          <SchemeButton />
          <UserMenu />
        </div>
      </header>
      <main id="main" className={classes.main} tabIndex={-1}>
        <NewVersion />
        <Outlet />
      </main>
      <KeyHelp opened={helpOpen} onClose={() => setHelpOpen(false)} />
      {paletteOpen && (
        <Suspense>
          <Palette close={() => setPaletteOpen(false)} />
        </Suspense>
      )}
    </div>
  )
}

function NavLinks({ folded }: { readonly folded: boolean }) {
  const { data: incidents } = useQuery({ ...incidentGroupsQuery({ muted: false }), refetchInterval: usePollMs(10_000) })
  const open = incidents?.items.reduce((sum, group) => sum + group.open, 0) ?? 0
  return (
    <ul className={classes.links}>
      {navPages.map(({ path, label, icon: Icon, key }) => (
        <li key={path}>
          <Tooltip label={`${label} (g ${key})`} position="right" disabled={!folded}>
            <Link
              to={path}
              className={classes.link}
              activeProps={{ 'data-active': true }}
              activeOptions={{ exact: path === '/', includeSearch: false }}
            >
              <Icon size={16} aria-hidden />
              <span>{label}</span>
              {path === '/incidents' && open > 0 && <em className={classes.count}>{open > 999 ? '999+' : open}</em>}
            </Link>
          </Tooltip>
        </li>
      ))}
    </ul>
  )
}

function ClusterPill() {
  const { data } = useQuery({ ...nodesQuery(), refetchInterval: usePollMs(5_000, 5_000) })
  const { data: events } = useQuery({ ...eventsQuery(), refetchInterval: usePollMs(10_000, 10_000) })
  if (data === undefined) return null
  const { alive, all, faults } = clusterHealth(data, events?.items ?? [], serverNow())
  return (
    <Tooltip label={faults.length === 0 ? `${alive} of ${all} nodes alive` : faults.join('. ')} multiline maw={320}>
      <Link to="/cluster" className={classes.pill} data-well={faults.length === 0} data-testid="cluster-pill">
        <i aria-hidden />
        {alive}/{all} {all === 1 ? 'node' : 'nodes'}
      </Link>
    </Tooltip>
  )
}

function SchemeButton() {
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme('light')
  const other = scheme === 'dark' ? 'light' : 'dark'
  return (
    <Tooltip label={`Use ${other} colours`}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={30}
        aria-label={`Use ${other} colours`}
        onClick={() => setColorScheme(other)}
      >
        {scheme === 'dark' ? <Sun size={16} /> : <Moon size={16} />}
      </ActionIcon>
    </Tooltip>
  )
}
