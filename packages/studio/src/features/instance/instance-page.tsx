import { Tabs } from '@mantine/core'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useMemo } from 'react'
import { journalAroundQuery, journalQuery, wantMore } from '../../api/journal.ts'
import { isSettled, MOST_DRAWN } from '../../api/journal-pages.ts'
import { activitiesQuery, instanceQuery, stateQuery, versionQuery, whyQuery } from '../../api/queries.ts'
import type { ActivityTally, Instance } from '../../api/wire.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { activitiesById, predecessors } from '../../canvas/canvas-model.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area, ProblemCard } from '../../ui/area.tsx'
import { useNow } from '../../ui/now.ts'
import { shortId } from '../../ui/time-text.ts'
import { useTour } from '../tour/tour-state.ts'
import { AuditTab } from './audit-tab.tsx'
import { CompareTab } from './compare-tab.tsx'
import { DataTab } from './data-tab.tsx'
import { ErrorCard } from './error-card.tsx'
import { executionsOf } from './executions.ts'
import classes from './instance.module.css'
import { InstanceHead } from './instance-head.tsx'
import { JournalTab } from './journal-tab.tsx'
import { MissingInstance } from './missing-instance-page.tsx'
import { OlderSteps } from './older-steps.tsx'
import { RelationsTab } from './relations-tab.tsx'
import { Scrubber } from './scrubber.tsx'
import { StepPanel } from './step-panel.tsx'
import { stepStates, takenEdges } from './step-states.ts'
import { Timeline } from './timeline.tsx'
import { WaitsTab } from './waits-tab.tsx'

const GraphView = lazy(() => import('../../canvas/graph-view.tsx').then((module) => ({ default: module.GraphView })))

const none: readonly ActivityTally[] = []

const ended = new Set(['completed', 'faulted', 'cancelled', 'terminated'])

export function InstancePage() {
  const { instanceId } = useParams({ strict: false }) as { readonly instanceId: string }
  const poll = usePollMs(1_000)
  const query = useQuery({
    ...instanceQuery(instanceId),
    // What has ended moves only when somebody sends it back to work.
    refetchInterval: ({ state: { data } }) => (data !== undefined && ended.has(data.status) && poll ? 10_000 : poll),
  })
  useEffect(() => {
    document.title = `${shortId(instanceId)} · Lockstep`
  }, [instanceId])
  const tick = useTour((tour) => tour.tick)
  const seen = query.data !== undefined
  useEffect(() => {
    if (seen) tick('watch')
  }, [seen, tick])
  const travels = useUrlSearch()[0].at !== undefined
  useEffect(() => {
    if (travels) tick('travel')
  }, [travels, tick])
  return (
    <Area name="instance" query={query} rows={10} missing={<MissingInstance instanceId={instanceId} />}>
      {(instance) => <Viewer instance={instance} key={instance.id} />}
    </Area>
  )
}

function Viewer({ instance }: { readonly instance: Instance }) {
  const { id, revision } = instance
  const [search, change] = useUrlSearch()
  const client = useQueryClient()
  const at = positionOf(search.at, revision)
  const journal = useQuery(journalQuery(client, id))
  const lastSeq = journal.data?.facts.at(-1)?.seq ?? 0
  const behind = journal.data !== undefined && lastSeq < revision && !journal.isFetching
  const { refetch } = journal
  useEffect(() => {
    if (behind) void refetch()
  }, [behind, refetch])
  // A moment that lies behind what is kept up to date has facts of its own.
  const behindWindow = at !== undefined && journal.data !== undefined && at < (journal.data.facts[0]?.seq ?? 0)
  const around = useQuery({ ...journalAroundQuery(id, at ?? 1), enabled: behindWindow })
  const shown = behindWindow ? around : journal
  const state = useQuery(stateQuery(id, at ?? revision))
  const tallies = useQuery(activitiesQuery(id, at ?? revision))
  const version = useQuery(versionQuery(instance.definitionId, state.data?.version ?? instance.version))
  const document = version.data?.document ?? undefined
  const now = useNow()
  const isOpen = instance.finishedAt === null && at === undefined
  const asked = whyQuery(id)
  const { data: why } = useQuery({
    ...asked,
    queryKey: [...asked.queryKey, revision] as never,
    enabled: isOpen,
    placeholderData: keepPreviousData,
    refetchInterval: usePollMs(4_000),
  })
  const whyNow = isOpen ? why : undefined

  const facts = useMemo(() => {
    const all = shown.data?.facts ?? []
    return at === undefined ? all : all.filter(({ seq }) => seq <= at)
  }, [shown.data, at])
  const before = useMemo(() => document && predecessors(document), [document])
  const executions = useMemo(() => {
    const live = state.data === undefined ? undefined : new Set(state.data.steps.map(({ step }) => step))
    return executionsOf({ facts, live, before })
  }, [facts, state.data, before])
  // In the past, countdowns stand where they stood.
  const moment = at === undefined ? now : Date.parse(state.data?.at ?? instance.createdAt)
  const items = tallies.data?.items ?? none
  const states = useMemo(() => stepStates(items, state.data, moment, whyNow), [items, state.data, moment, whyNow])
  const taken = useMemo(() => document && takenEdges(document, items), [document, items])
  const activities = useMemo(() => document && activitiesById(document), [document])
  const select = (step: string | undefined): void => change({ step }, true)
  const past = at !== undefined
  const tab = search.tab ?? 'timeline'
  const timeline = (
    <Timeline
      executions={executions}
      activities={activities}
      selected={search.step}
      select={select}
      end={
        past
          ? Date.parse(facts.at(-1)?.at ?? instance.createdAt)
          : instance.finishedAt === null
            ? now
            : Date.parse(instance.finishedAt)
      }
      start={Date.parse(instance.createdAt)}
      live={!past && instance.finishedAt === null}
      partial={shown.data?.complete === false}
      older={
        journal.data?.complete === false && (
          <OlderSteps
            drawn={journal.data.facts.length}
            total={revision}
            reading={!isSettled(journal.data)}
            full={isSettled(journal.data) && journal.data.facts.length >= MOST_DRAWN}
            more={(count) => {
              wantMore(client, id, count)
              void refetch()
            }}
          />
        )
      }
    />
  )
  return (
    <div className={classes.page}>
      <InstanceHead instance={instance} name={document?.name} past={past ? state.data : undefined} why={whyNow} />
      <ErrorCard
        instance={instance}
        activities={activities}
        tallies={items}
        state={state.data}
        document={document}
        select={select}
      />
      <Scrubber
        instance={instance}
        at={at}
        factAt={facts.find(({ seq }) => seq === at)}
        schema={document?.input}
        go={(to) => change({ at: to === undefined ? undefined : String(to) }, true)}
      />
      <div className={classes.columns} data-panel={search.step !== undefined}>
        <div className={classes.work}>
          {version.data?.kind !== 'function' && (
            <section className={classes.graph} aria-label="Graph">
              {tallies.data === undefined && tallies.error !== null && (
                <ProblemCard name="graph" error={tallies.error} retry={() => tallies.refetch()} />
              )}
              {document !== undefined && (
                <Suspense>
                  <GraphView
                    document={document}
                    states={states}
                    {...(taken === undefined ? {} : { taken })}
                    selected={search.step === undefined ? undefined : activityIn(search.step, activities)}
                    onSelect={select}
                  />
                </Suspense>
              )}
            </section>
          )}
          <Tabs
            value={tab}
            onChange={(next) => change({ tab: next ?? undefined }, true)}
            keepMounted={false}
            className={classes.tabs ?? ''}
          >
            <Tabs.List>
              <Tabs.Tab value="timeline">Timeline</Tabs.Tab>
              <Tabs.Tab value="journal">Journal · {revision.toLocaleString('en')}</Tabs.Tab>
              <Tabs.Tab value="data">Data</Tabs.Tab>
              <Tabs.Tab value="waits">
                Waits for{instance.waitingFor.length > 0 && ` · ${instance.waitingFor.length}`}
              </Tabs.Tab>
              <Tabs.Tab value="relations">Relations</Tabs.Tab>
              <Tabs.Tab value="compare">Compare</Tabs.Tab>
              <Tabs.Tab value="audit">Audit</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="timeline">
              <Area<unknown> name="timeline" query={shown} rows={5}>
                {() => timeline}
              </Area>
            </Tabs.Panel>
            <Tabs.Panel value="journal">
              <JournalTab instance={instance} at={at} select={select} go={(seq) => change({ at: String(seq) }, true)} />
            </Tabs.Panel>
            <Tabs.Panel value="data">
              <DataTab instance={instance} state={state.data} document={document} past={past} />
            </Tabs.Panel>
            <Tabs.Panel value="waits">
              <WaitsTab instance={instance} />
            </Tabs.Panel>
            <Tabs.Panel value="relations">
              <RelationsTab instance={instance} facts={journal.data?.facts ?? []} />
            </Tabs.Panel>
            <Tabs.Panel value="compare">
              <CompareTab
                instance={instance}
                executions={executions}
                activities={activities}
                before={before}
                select={select}
              />
            </Tabs.Panel>
            <Tabs.Panel value="audit">
              <AuditTab instance={instance} />
            </Tabs.Panel>
          </Tabs>
        </div>
        {search.step !== undefined && (
          <StepPanel
            step={search.step}
            executions={executions}
            activities={activities}
            instance={instance}
            state={states.get(activityIn(search.step, activities))}
            tally={items.find(({ activity }) => activity === activityIn(search.step!, activities))}
            select={select}
          />
        )}
      </div>
    </div>
  )
}

/** A position in the past; the newest fact is the present. */
function positionOf(text: string | undefined, revision: number): number | undefined {
  const at = Number(text)
  return text !== undefined && Number.isInteger(at) && at >= 1 && at < revision ? at : undefined
}

/** What is selected may be an activity or one of its runs. */
function activityIn(step: string, activities: ReadonlyMap<string, unknown> | undefined): string {
  if (activities?.has(step) === true) return step
  const last = step.slice(step.lastIndexOf('.') + 1)
  return /^[^#[:]*/.exec(last)?.[0] ?? step
}
