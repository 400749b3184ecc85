import {
  Activity,
  CalendarClock,
  ChartLine,
  House,
  Layers,
  LockKeyhole,
  type LucideIcon,
  Network,
  ScrollText,
  Settings,
  TrafficCone,
  TriangleAlert,
  Workflow,
  Zap,
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
  { path: '/queues', label: 'Queues', icon: TrafficCone, key: 'q' },
  { path: '/cluster', label: 'Cluster', icon: Network, key: 'c' },
  { path: '/locks', label: 'Locks', icon: LockKeyhole, key: 'l' },
  { path: '/breakers', label: 'Breakers', icon: Zap, key: 'k' },
  { path: '/insights', label: 'Metrics', icon: ChartLine, key: 'm' },
  { path: '/batches', label: 'Batches', icon: Layers, key: 'b' },
  { path: '/audit', label: 'Audit', icon: ScrollText, key: 'a' },
  { path: '/settings', label: 'Settings', icon: Settings, key: 'e' },
]
