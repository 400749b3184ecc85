import { Button, Checkbox, SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CalendarClock, X } from 'lucide-react'
import { useState } from 'react'
import { schedulesQuery } from '../../api/queries.ts'
import type { Schedule } from '../../api/wire.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area, Empty } from '../../ui/area.tsx'
import { List } from '../../ui/list.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { ToneChip } from '../../ui/status.tsx'
import table from '../../ui/table.module.css'
import { When } from '../../ui/time.tsx'
import { BulkSchedules } from './bulk-schedules.tsx'
import { missedText } from './missed-text.ts'
import { NewScheduleButton } from './new-schedule-button.tsx'
import { NextDay } from './next-day.tsx'
import { PauseAll } from './pause-all.tsx'
import { RunState } from './run-state.tsx'
import { ScheduleButtons } from './schedule-buttons.tsx'
import classes from './schedules.module.css'
import { ownerText } from './trigger-text.ts'
import { TriggerWords } from './trigger-words.tsx'
import { TwelveWeeks } from './twelve-weeks.tsx'

const VIEWS = [
  { value: 'list', label: 'List' },
  { value: 'day', label: 'Next 24 h' },
  { value: 'weeks', label: 'Last 12 weeks' },
]

export function SchedulesPage() {
  const [search, change] = useUrlSearch()
  const view = VIEWS.find(({ value }) => value === search.view)?.value ?? 'list'
  const query = useQuery({
    ...schedulesQuery({ q: search.q, definition: search.definition, cursor: search.cursor, limit: 50 }),
    refetchInterval: usePollMs(4_000),
  })
  const none = <NoSchedules definition={search.definition} text={search.q} />
  return (
    <Page
      title="Schedules"
      lead="What starts by itself, and when next"
      actions={
        <>
          <PauseAll />
          <NewScheduleButton />
        </>
      }
    >
      <div className={classes.tools}>
        <SearchField parameter="q" label="Name or id" />
        {search.definition !== undefined && (
          <Button
            size="xs"
            variant="light"
            rightSection={<X size={12} aria-hidden />}
            title="Show those of all workflows"
            onClick={() => change({ definition: undefined, cursor: undefined })}
          >
            Starts {search.definition}
          </Button>
        )}
        <SegmentedControl
          size="xs"
          aria-label="View"
          data={VIEWS}
          value={view}
          onChange={(to) => change({ view: to === 'list' ? undefined : to }, true)}
        />
      </div>
      {view === 'list' ? (
        <ScheduleList query={query} none={none} />
      ) : (
        <Area
          name="schedules"
          query={query}
          isEmpty={({ items }) => items.length === 0}
          empty={<Card flush>{none}</Card>}
        >
          {(page) => (
            <>
              {view === 'day' ? <NextDay schedules={page.items} /> : <TwelveWeeks schedules={page.items} />}
              {page.page.next !== null && <Pager page={page} noun="schedule" go={(cursor) => change({ cursor })} />}
            </>
          )}
        </Area>
      )}
    </Page>
  )
}

const NoSchedules = (props: { readonly definition: string | undefined; readonly text: string | undefined }) => (
  <Empty icon={<CalendarClock size={22} />} title={props.text ? 'No schedule is called that' : 'No schedules'}>
    {props.definition !== undefined
      ? `Looked for among those that start ${props.definition}.`
      : props.text
        ? undefined
        : 'A workflow that begins with cron or interval brings its own. Others are made here or through the API.'}
  </Empty>
)

function ScheduleList(props: {
  readonly query: Parameters<typeof List<Schedule>>[0]['query']
  readonly none: React.ReactNode
}) {
  const { query } = props
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const items = query.data?.items ?? []
  // Those that went from the list meanwhile are not meant any more.
  const chosen = items.filter(({ id }) => ticked.has(id))
  const whole = items.length > 0 && chosen.length === items.length
  const toggle = (id: string): void => {
    const next = new Set(ticked)
    if (!next.delete(id)) next.add(id)
    setTicked(next)
  }
  return (
    <Card flush>
      {chosen.length > 0 && <BulkSchedules chosen={chosen} clear={() => setTicked(new Set())} />}
      <List
        name="schedules"
        noun="schedule"
        query={query}
        columns={[
          {
            label: 'tick',
            tick: (
              <Checkbox
                size="xs"
                aria-label="Select this page"
                checked={whole}
                indeterminate={!whole && chosen.length > 0}
                onChange={() => setTicked(new Set(whole ? [] : items.map(({ id }) => id)))}
              />
            ),
          },
          'Schedule',
          'State',
          'Starts',
          'When',
          'Next',
          'Last run',
          'Missed',
          { label: 'Actions', right: true },
        ]}
        empty={props.none}
        row={(schedule) => (
          <ScheduleRow
            key={schedule.id}
            schedule={schedule}
            isTicked={ticked.has(schedule.id)}
            toggle={() => toggle(schedule.id)}
          />
        )}
      />
    </Card>
  )
}

function ScheduleRow(props: { readonly schedule: Schedule; readonly isTicked: boolean; readonly toggle: () => void }) {
  const { schedule } = props
  return (
    <tr data-selected={props.isTicked}>
      <td className={table.tick}>
        <Checkbox
          size="xs"
          aria-label={`Select ${schedule.name ?? schedule.id}`}
          checked={props.isTicked}
          onChange={props.toggle}
        />
      </td>
      <td className={classes.name} title={schedule.id}>
        <Link to="/schedules/$scheduleId" params={{ scheduleId: schedule.id }} className="link">
          {schedule.name ?? schedule.id}
        </Link>
        <span className={classes.owner}>made by {ownerText(schedule.owner)}</span>
      </td>
      <td>
        <ToneChip tone={schedule.paused ? 'paused' : 'completed'}>{schedule.paused ? 'Paused' : 'Active'}</ToneChip>
      </td>
      <td>
        {schedule.definitionId === null || schedule.document.job !== undefined ? (
          (schedule.definitionId ?? '–')
        ) : (
          <Link to="/definitions/$definitionId" params={{ definitionId: schedule.definitionId }} className="link">
            {schedule.definitionId}
          </Link>
        )}
      </td>
      <td className={classes.when}>
        <TriggerWords document={schedule.document} />
      </td>
      <td>
        <When at={schedule.nextAt} />
      </td>
      <td>
        <LastRun schedule={schedule} />
      </td>
      <td className={classes.missed}>
        <Missed lately={schedule.lately} />
      </td>
      <td className={table.right}>
        <ScheduleButtons schedule={schedule} />
      </td>
    </tr>
  )
}

function LastRun({ schedule: { lastRun, lastFiredAt } }: { readonly schedule: Schedule }) {
  if (lastRun == null) return <When at={lastFiredAt} none="never" />
  const chip = <RunState run={lastRun} />
  return (
    <span className={classes.last}>
      {lastRun.instanceId === null ? (
        chip
      ) : (
        <Link to="/instances/$instanceId" params={{ instanceId: lastRun.instanceId }} title="Open the last run">
          {chip}
        </Link>
      )}
      <When at={lastRun.firedAt ?? lastRun.decidedAt} />
    </span>
  )
}

function Missed({ lately }: { readonly lately: Schedule['lately'] | undefined }) {
  const text = missedText(lately)
  if (text === undefined) return <span className="muted">–</span>
  return <span title={`Of its latest ${lately!.runs} runs`}>{text}</span>
}
