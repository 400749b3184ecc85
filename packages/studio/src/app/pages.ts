import {
  Activity,
  CalendarClock,
  House,
  Layers,
  LockKeyhole,
  type LucideIcon,
  Network,
  TriangleAlert,
  Workflow,
} from 'lucide-react'

export interface NavPage {
  readonly path: string
  readonly label: string
  readonly icon: LucideIcon
  /** Behind `g`. */
  readonly key: string
}

export const navPages: readonly NavPage[] = [
  { path: '/', label: 'Home', icon: House, key: 'h' },
  { path: '/definitions', label: 'Workflows', icon: Workflow, key: 'w' },
  { path: '/instances', label: 'Instances', icon: Activity, key: 'i' },
  { path: '/incidents', label: 'Incidents', icon: TriangleAlert, key: 'n' },
  { path: '/schedules', label: 'Schedules', icon: CalendarClock, key: 's' },
  { path: '/cluster', label: 'Cluster', icon: Network, key: 'c' },
  { path: '/locks', label: 'Locks', icon: LockKeyhole, key: 'l' },
  { path: '/batches', label: 'Batches', icon: Layers, key: 'b' },
]
