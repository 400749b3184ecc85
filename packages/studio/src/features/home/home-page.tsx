import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check, CircleCheck, Rocket } from 'lucide-react'
import { definitionsQuery, instancesQuery, nodesQuery, schedulesQuery } from '../../api/queries.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area, Empty } from '../../ui/area.tsx'
import { useNow } from '../../ui/now.ts'
import { Card, Page } from '../../ui/page.tsx'
import { StatusChip } from '../../ui/status.tsx'
import { Took, When } from '../../ui/time.tsx'
import { clockText, durationText, shortId } from '../../ui/time-text.ts'
import { StartButton } from '../instances/start-dialog.tsx'
import { humanTasksQuery } from '../tasks/human-task.ts'
import { TourCard } from '../tour/tour-card.tsx'
import { type Figures, figuresOf } from './figures.ts'
import { HealthStrip } from './health-strip.tsx'
import classes from './home.module.css'
import { NeedsAttention } from './needs-attention.tsx'
import { Spark } from './spark.tsx'
import { useWorkflowNames } from './workflow-names.ts'

const WINDOW_MIN = 10
const MOST_TASKS = 5
const HOUR_MS = 3_600_000

/** What moves, and what needs somebody. Every figure comes from a bounded list: nothing here counts a whole table. */
export function HomePage() {
  const poll = usePollMs(2_500)
  const recent = useQuery({
    ...instancesQuery({ limit: 200, 'createdAt[gte]': `-${WINDOW_MIN}m` }),
    queryKey: ['home', 'recent'] as never,
    refetchInterval: poll,
  })
  const inFlight = useQuery({
    ...instancesQuery({ limit: 200, status: 'queued,running,suspended,paused,compensating' }),
    queryKey: ['home', 'in-flight'] as never,
    refetchInterval: poll,
  })
  const newest = useQuery({
    ...instancesQuery({ limit: 12 }),
    queryKey: ['home', 'newest'] as never,
    refetchInterval: poll,
  })
  const nameOf = useWorkflowNames()
  const now = useNow()
  const figures = figuresOf(recent.data, inFlight.data, now, WINDOW_MIN)
  return (
    <Page title="Home" lead={`What moved in the last ${WINDOW_MIN} minutes`} actions={<StartButton />}>
      <TourCard />
      <HealthStrip />
      <FigureRow figures={figures} />
      <div className={classes.columns}>
        <Card
          title="What moves"
          flush
          aside={
            <Link to="/instances" className="link small">
              All instances
            </Link>
          }
        >
          <Area
            name="home"
            query={newest}
            rows={8}
            isEmpty={({ items }) => items.length === 0}
            empty={
              <Empty icon={<Rocket size={22} />} title="Nothing has run yet" action={<StartButton />}>
                Publish a workflow and start it: its steps appear here as they happen.
              </Empty>
            }
          >
            {({ items }) => (
              <ul className={classes.feed}>
                {items.map((instance) => (
                  <li key={instance.id}>
                    <span className={classes.status}>
                      <StatusChip status={instance.status} />
                    </span>
                    <Link to="/instances/$instanceId" params={{ instanceId: instance.id }} className={classes.what}>
                      <strong>{nameOf(instance.definitionId)}</strong>{' '}
                      <span className="mono small muted">{instance.correlationId ?? shortId(instance.id)}</span>
                    </Link>
                    <span className={`${classes.took} muted small`}>
                      <Took from={instance.createdAt} to={instance.finishedAt} />
                    </span>
                    <span className={`${classes.when} muted small`}>
                      <When at={instance.createdAt} />
                    </span>
                  </li>
                ))}
              </ul>
            )}
          </Area>
        </Card>
        <div className={classes.side}>
          <NeedsAttention />
          <ForPeople />
          <NextRuns />
          <LatelyChanged />
          <Nodes />
        </div>
      </div>
    </Page>
  )
}

function FigureRow({ figures }: { readonly figures: Figures }) {
  return (
    <div className={classes.figures}>
      <Figure
        name="In flight"
        value={figures.inFlight}
        to={{ status: 'queued,running,suspended,paused,compensating' }}
      />
      <Figure
        name="Completed per minute"
        value={figures.perMinute}
        bars={figures.completed}
        to={{ status: 'completed' }}
      />
      <Figure
        name="Faulted"
        value={figures.faulted}
        bars={figures.faults}
        bad={figures.faulted !== '0' && figures.faulted !== '–'}
        to={{ status: 'faulted,quarantined', 'createdAt[gte]': `-${WINDOW_MIN}m` }}
      />
      <Figure name="Duration p95" value={figures.p95 === undefined ? '–' : durationText(figures.p95)} to={{}} />
    </div>
  )
}

function Figure(props: {
  readonly name: string
  readonly value: string
  readonly bars?: readonly number[]
  readonly bad?: boolean
  readonly to: Readonly<Record<string, string>>
}) {
  return (
    <Link to="/instances" search={props.to as never} className={classes.figure} data-bad={props.bad === true}>
      <span className="small muted">{props.name}</span>
      <strong className="num">{props.value}</strong>
      {props.bars !== undefined && <Spark values={props.bars} bad={props.bad === true} />}
    </Link>
  )
}

/** The newest tasks that are open; Queues lists all of them. */
function ForPeople() {
  const query = useQuery({ ...humanTasksQuery(undefined), refetchInterval: usePollMs(5_000) })
  return (
    <Card title="Waits for a person" flush>
      <Area
        name="for-people"
        query={query}
        rows={2}
        isEmpty={({ items }) => items.length === 0}
        empty={
          <p className={classes.well}>
            <CircleCheck size={16} aria-hidden /> Nobody has anything to decide.
          </p>
        }
      >
        {({ items }) => (
          <ul className={classes.feed}>
            {items.slice(0, MOST_TASKS).map((task) => (
              <li key={task.id}>
                <Link to="/instances/$instanceId" params={{ instanceId: task.instanceId }} className={classes.what}>
                  {task.title}
                </Link>
                <span className="muted small">
                  <When at={task.createdAt} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Area>
    </Card>
  )
}

function NextRuns() {
  const now = useNow()
  const query = useQuery({ ...schedulesQuery({ paused: false, limit: 50 }), refetchInterval: usePollMs(10_000) })
  return (
    <Card title="Next runs" flush>
      <Area
        name="next-runs"
        query={query}
        rows={2}
        isEmpty={({ items }) => items.length === 0}
        empty={<p className={classes.well}>No schedule is active.</p>}
      >
        {({ items }) => (
          <ul className={classes.feed}>
            {[...items]
              .filter(({ nextAt }) => nextAt !== null)
              .sort((a, b) => Date.parse(a.nextAt!) - Date.parse(b.nextAt!))
              .slice(0, 5)
              .map((schedule) => (
                <li key={schedule.id}>
                  <Link to="/schedules/$scheduleId" params={{ scheduleId: schedule.id }} className={classes.what}>
                    {schedule.name ?? schedule.id}
                  </Link>
                  <span className="num small muted">{nextText(Date.parse(schedule.nextAt!) - now)}</span>
                </li>
              ))}
          </ul>
        )}
      </Area>
    </Card>
  )
}

const MOST_CHANGED = 5

function LatelyChanged() {
  const query = useQuery({
    ...definitionsQuery({ sort: '-updatedAt', limit: MOST_CHANGED }),
    refetchInterval: usePollMs(20_000),
  })
  return (
    <Card title="Changed lately" flush>
      <Area
        name="changed-lately"
        query={query}
        rows={2}
        isEmpty={({ items }) => items.length === 0}
        empty={<p className={classes.well}>There is no workflow yet.</p>}
      >
        {({ items }) => (
          <ul className={classes.feed}>
            {items.map((definition) => (
              <li key={definition.id}>
                <Link to="/definitions/$definitionId" params={{ definitionId: definition.id }} className={classes.what}>
                  {definition.name}
                </Link>
                <span className="muted small">
                  {definition.state === 'ahead' && 'draft ahead, '}
                  <When at={definition.updatedAt} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Area>
    </Card>
  )
}

/** Ticks within the last hour only: further off the seconds say nothing, and look like a time of day. */
const nextText = (ms: number): string => `in ${ms < HOUR_MS ? clockText(ms).replace(/^00:/, '') : durationText(ms)}`

function Nodes() {
  const query = useQuery({ ...nodesQuery(), refetchInterval: usePollMs(5_000, 5_000) })
  return (
    <Card title="Nodes" flush>
      <Area
        name="home-nodes"
        query={query}
        rows={2}
        isEmpty={({ items }) => items.length === 0}
        empty={<p className={classes.well}>No node has joined yet.</p>}
      >
        {({ items }) => (
          <ul className={classes.feed}>
            {items.map((node) => (
              <li key={node.id}>
                <Check size={14} aria-hidden color={node.state === 'alive' ? 'var(--completed)' : 'var(--retrying)'} />
                <Link to="/cluster" className={classes.what}>
                  {node.name}
                </Link>
                <span className="num small muted">
                  {node.holds} in hand · heard {durationText(node.silentMs)} ago
                </span>
              </li>
            ))}
          </ul>
        )}
      </Area>
    </Card>
  )
}
