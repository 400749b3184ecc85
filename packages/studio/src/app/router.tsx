import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { basePath } from '../browser/place.ts'
import { NotFound, PageCrash } from './not-found.tsx'
import { Shell } from './shell.tsx'

/** What stands behind the question mark, as it stands there: the API reads the same words. */
export type Search = Readonly<Record<string, string | undefined>>

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  validateSearch: (search: Record<string, unknown>): Search => search as Search,
})

const at = <const Path extends string>(path: Path) => ({ getParentRoute: () => root, path })

const routes = root.addChildren([
  createRoute({
    ...at('/'),
    component: lazyRouteComponent(() => import('../features/home/home-page.tsx'), 'HomePage'),
  }),
  createRoute({
    ...at('/instances'),
    component: lazyRouteComponent(() => import('../features/instances/instances-page.tsx'), 'InstancesPage'),
  }),
  createRoute({
    ...at('/instances/$instanceId'),
    component: lazyRouteComponent(() => import('../features/instance/instance-page.tsx'), 'InstancePage'),
  }),
  createRoute({
    ...at('/definitions'),
    component: lazyRouteComponent(() => import('../features/definitions/definitions-page.tsx'), 'DefinitionsPage'),
  }),
  createRoute({
    ...at('/definitions/$definitionId'),
    component: lazyRouteComponent(() => import('../features/definitions/definition-page.tsx'), 'DefinitionPage'),
  }),
  createRoute({
    ...at('/definitions/$definitionId/design'),
    component: lazyRouteComponent(() => import('../designer/designer-page.tsx'), 'DesignerPage'),
  }),
  createRoute({
    ...at('/incidents'),
    component: lazyRouteComponent(() => import('../features/incidents/incidents-page.tsx'), 'IncidentsPage'),
  }),
  createRoute({
    ...at('/schedules'),
    component: lazyRouteComponent(() => import('../features/schedules/schedules-page.tsx'), 'SchedulesPage'),
  }),
  createRoute({
    ...at('/schedules/$scheduleId'),
    component: lazyRouteComponent(() => import('../features/schedules/schedule-page.tsx'), 'SchedulePage'),
  }),
  createRoute({
    ...at('/cluster'),
    component: lazyRouteComponent(() => import('../features/cluster/cluster-page.tsx'), 'ClusterPage'),
  }),
  createRoute({
    ...at('/cluster/$nodeId'),
    component: lazyRouteComponent(() => import('../features/cluster/node-page.tsx'), 'NodePage'),
  }),
  createRoute({
    ...at('/locks'),
    component: lazyRouteComponent(() => import('../features/locks/locks-page.tsx'), 'LocksPage'),
  }),
  createRoute({
    ...at('/batches'),
    component: lazyRouteComponent(() => import('../features/batches/batches-page.tsx'), 'BatchesPage'),
  }),
  createRoute({
    ...at('/queues'),
    component: lazyRouteComponent(() => import('../features/queues/queues-page.tsx'), 'QueuesPage'),
  }),
  createRoute({
    ...at('/breakers'),
    component: lazyRouteComponent(() => import('../features/breakers/breakers-page.tsx'), 'BreakersPage'),
  }),
  createRoute({
    ...at('/insights'),
    component: lazyRouteComponent(() => import('../features/metrics/metrics-page.tsx'), 'MetricsPage'),
  }),
  createRoute({
    ...at('/audit'),
    component: lazyRouteComponent(() => import('../features/audit/audit-page.tsx'), 'AuditPage'),
  }),
  createRoute({
    ...at('/settings'),
    component: lazyRouteComponent(() => import('../features/settings/settings-page.tsx'), 'SettingsPage'),
  }),
])

export const router = createRouter({
  routeTree: routes,
  basepath: basePath === '' ? '/' : basePath,
  defaultPreload: 'intent',
  defaultErrorComponent: PageCrash,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const said = Object.entries(search as Search).filter(([, value]) => value !== undefined && value !== '')
    const text = new URLSearchParams(said as [string, string][]).toString()
    return text === '' ? '' : `?${text}`
  },
})

declare module '@tanstack/react-router' {
  interface Register {
    readonly router: typeof router
  }
}
