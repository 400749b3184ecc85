import { Autocomplete, Switch } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { journalQuery } from '../../api/journal.ts'
import { instanceQuery, instancesQuery } from '../../api/queries.ts'
import type { Activity, Instance } from '../../api/wire.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { Area } from '../../ui/area.tsx'
import { Table } from '../../ui/list.tsx'
import { useNow } from '../../ui/now.ts'
import { StatusChip, ToneChip } from '../../ui/status.tsx'
import table from '../../ui/table.module.css'
import { Took } from '../../ui/time.tsx'
import { durationText, relativeText, shortId } from '../../ui/time-text.ts'
import { type ComparedStep, compareRuns, type Difference } from './compare-runs.ts'
import classes from './compare-tab.module.css'
import type { Execution } from './executions.ts'
import { executionsOf } from './executions.ts'

interface CompareProps {
  readonly instance: Instance
  readonly executions: readonly Execution[]
  readonly activities: ReadonlyMap<string, Activity> | undefined
  /** Which activities lead to which. */
  readonly before: ReadonlyMap<string, readonly string[]> | undefined
  readonly select: (step: string) => void
}

const ID = /wfi_[0-9a-f-]{36}/i

/** This run beside another, step by step. Which other one is part of the address. */
export function CompareTab(props: CompareProps) {
  const [search] = useUrlSearch()
  return (
    <div className={classes.compare}>
      <OtherRun instance={props.instance} />
      {search.with === undefined ? (
        <p className="muted">Choose a run of the same workflow: its steps are set beside those of this one.</p>
      ) : (
        <Compared {...props} otherId={search.with} key={search.with} />
      )}
    </div>
  )
}

function OtherRun({ instance }: { readonly instance: Instance }) {
  const [search, change] = useUrlSearch()
  const [text, setText] = useState(search.with ?? '')
  const [open, setOpen] = useState(false)
  const now = useNow()
  const { data } = useQuery(instancesQuery({ definition: instance.definitionId, limit: 20 }))
  const others = (data?.items ?? []).filter(({ id }) => id !== instance.id)
  const said = new Map(others.map((each) => [each.id, each]))
  const choose = (given: string): void => {
    setText(given)
    const id = ID.exec(given)?.[0]?.toLowerCase()
    if (given === '' || (id !== undefined && id !== instance.id)) change({ with: id }, true)
    // A whole id was typed or pasted: nothing is left to choose.
    setOpen(id === undefined)
  }
  return (
    <Autocomplete
      size="xs"
      w={420}
      label="Compare with"
      placeholder="One of the newest runs, or an instance id"
      data={others.map(({ id }) => id)}
      filter={({ options }) => options}
      renderOption={({ option }) => {
        const other = said.get(option.value)
        if (other === undefined) return option.value
        return (
          <span className={classes.option}>
            <StatusChip status={other.status} />
            <span className="mono small">{shortId(other.id)}</span>
            <span className="small muted">
              {other.correlationId ?? ''} {relativeText(Date.parse(other.createdAt), now)}
            </span>
          </span>
        )
      }}
      value={text}
      onChange={choose}
      dropdownOpened={open}
      onClick={() => setOpen(true)}
      onDropdownOpen={() => setOpen(ID.exec(text) === null)}
      onDropdownClose={() => setOpen(false)}
      comboboxProps={{ shadow: 'md' }}
    />
  )
}

function Compared({
  instance,
  executions,
  activities,
  before,
  select,
  otherId,
}: CompareProps & { readonly otherId: string }) {
  const client = useQueryClient()
  const [isShort, setShort] = useState(true)
  const other = useQuery(instanceQuery(otherId))
  const journal = useQuery(journalQuery(client, otherId))
  const there = useMemo(() => executionsOf({ facts: journal.data?.facts ?? [], before }), [journal.data, before])
  const rows = useMemo(() => compareRuns(executions, there), [executions, there])
  const shown = isShort ? rows.filter(({ difference }) => difference !== 'same') : rows
  return (
    <Area name="compared" query={other} rows={4}>
      {(found) => (
        <>
          <Heads here={instance} there={found} />
          {found.definitionId !== instance.definitionId && (
            <p className={classes.note}>
              It is a run of another workflow, {found.definitionId}: few steps will have the same names.
            </p>
          )}
          {journal.data?.complete === false && (
            <p className={classes.note}>Its journal is long: only its newest facts are compared.</p>
          )}
          <div className={classes.count}>
            <span data-testid="compared-count">
              {rows.length - rows.filter(({ difference }) => difference === 'same').length} of {rows.length} steps
              differ
            </span>
            <Switch
              size="xs"
              label="Only what differs"
              checked={isShort}
              onChange={(event) => setShort(event.currentTarget.checked)}
            />
          </div>
          {shown.length === 0 ? (
            <p className="muted">All steps went the same way, in about the same time.</p>
          ) : (
            <Table
              columns={[
                'Step',
                'What differs',
                'Here',
                { label: 'Took', right: true },
                'There',
                { label: 'Took there', right: true },
              ]}
            >
              {shown.map((row) => (
                <ComparedRow
                  key={row.key}
                  row={row}
                  name={activities?.get(row.activity)?.name ?? row.key}
                  select={select}
                />
              ))}
            </Table>
          )}
        </>
      )}
    </Area>
  )
}

const looks: Readonly<Record<Difference, { readonly label: string; readonly tone: string }>> = {
  same: { label: 'Nothing', tone: 'queued' },
  slower: { label: 'Slower here', tone: 'retrying' },
  faster: { label: 'Faster here', tone: 'completed' },
  status: { label: 'How it ended', tone: 'faulted' },
  outcome: { label: 'Where it led', tone: 'suspended' },
  output: { label: 'What it gave', tone: 'running' },
  'only-here': { label: 'Only here', tone: 'paused' },
  'only-there': { label: 'Only there', tone: 'paused' },
}

function ComparedRow(props: {
  readonly row: ComparedStep
  readonly name: string
  readonly select: (step: string) => void
}) {
  const { row, name } = props
  const { label, tone } = looks[row.difference]
  return (
    <tr data-compared={row.key} data-difference={row.difference}>
      <td title={row.key}>
        <button type="button" className={`${classes.step} link`} onClick={() => props.select(row.key)}>
          {name}
        </button>
        {name !== row.key && <span className="mono small muted"> {row.key}</span>}
      </td>
      <td>
        <ToneChip tone={tone}>{label}</ToneChip>
        {(row.difference === 'slower' || row.difference === 'faster') && row.byMs !== undefined && (
          <span className="small muted num"> by {durationText(Math.abs(row.byMs))}</span>
        )}
      </td>
      <Side run={row.here} />
      <Side run={row.there} />
    </tr>
  )
}

function Side({ run }: { readonly run: Execution | undefined }) {
  if (run === undefined)
    return (
      <>
        <td className="muted">–</td>
        <td className={table.right} />
      </>
    )
  return (
    <>
      <td title={run.error?.message ?? JSON.stringify(run.output)}>
        <StatusChip status={run.status} />{' '}
        {run.outcome !== undefined && run.outcome !== 'done' && <span className="small muted">→ {run.outcome}</span>}
      </td>
      <td className={table.right}>{run.endedAt === undefined ? '…' : durationText(run.endedAt - run.begunAt)}</td>
    </>
  )
}

function Heads({ here, there }: { readonly here: Instance; readonly there: Instance }) {
  const isSame = JSON.stringify(here.input) === JSON.stringify(there.input)
  return (
    <div className={classes.heads}>
      {[['This run', here] as const, ['The other', there] as const].map(([title, run]) => (
        <section key={title} aria-label={title}>
          <div className={classes.head}>
            <strong>{title}</strong>
            <Link to="/instances/$instanceId" params={{ instanceId: run.id }} className="mono small link">
              {shortId(run.id)}
            </Link>
            <StatusChip status={run.status} />
            <span className="small muted">
              v{run.version}, <Took from={run.createdAt} to={run.finishedAt} />
            </span>
          </div>
          <pre className="mono small">
            {isSame ? 'The same input' : (JSON.stringify(run.input, undefined, 2) ?? 'null')}
          </pre>
        </section>
      ))}
    </div>
  )
}
