/** What an instance was after one of its facts: the fold of its journal up to there. Reads, and changes nothing. */
import type { Json } from '@lockstep/base'
import { InstanceNotFound, WorkflowNotRegistered } from '../definition/errors.ts'
import type { Program, Programs } from '../definition/programs.ts'
import { FunctionMemo } from '../function/function-memo.ts'
import { foldJournal } from '../graph/fold-journal.ts'
import type { GraphProgram } from '../graph/graph-program.ts'
import type { GraphState } from '../graph/graph-state.ts'
import { openWaits } from '../graph/waits.ts'
import { type EndedFact, factFromRow } from '../journal/fact.ts'
import type { InstanceReader, InstanceView, JournalRow } from '../store/instance-reader.ts'
import { toWaitState, type WaitState, waitsOf } from './standing.ts'

export interface StepState {
  readonly step: string
  /** Of the document; the step's own name in a function. */
  readonly activity: string
  readonly phase: string
  readonly attempt: number
}

export interface StateAt {
  readonly instanceId: string
  readonly seq: number
  /** When that fact was committed. */
  readonly at: number
  /** Number of the newest fact there is. */
  readonly lastSeq: number
  /** Of its definition, then. */
  readonly version: number
  readonly status: string
  readonly input: Json
  /** `undefined`: functions have none that the journal knows. */
  readonly variables: Readonly<Record<string, Json>> | undefined
  readonly output: Json | undefined
  readonly error: unknown
  readonly steps: readonly StepState[]
  readonly waits: readonly WaitState[]
}

export interface StateAtContext {
  readonly instances: Pick<InstanceReader, 'get' | 'journal'>
  readonly programs: Pick<Programs, 'get'>
}

type Told = Omit<StateAt, 'instanceId' | 'seq' | 'at' | 'lastSeq' | 'version'>

const PAGE = 1_000

/** `seq` behind the end, or absent: as it is now. */
export async function stateAt(
  context: StateAtContext,
  tenant: string,
  instanceId: string,
  seq?: number,
): Promise<StateAt> {
  const { view, rows, version, program } = await factsUpTo(context, tenant, instanceId, seq)
  const last = rows.at(-1)!
  const told = program?.kind === 'graph' ? graphAt(program.graph, rows) : functionAt(rows, view)
  return { instanceId, seq: last.seq, at: last.at, lastSeq: Math.max(view.revision, last.seq), version, ...told }
}

export interface FactsUpTo {
  readonly view: InstanceView
  /** At least one. */
  readonly rows: readonly JournalRow[]
  /** Of its definition, then. */
  readonly version: number
  /** `undefined`: code that this node does not have. */
  readonly program: Program | undefined
}

/** Its facts up to and with `seq`, and the program that they are about. */
export async function factsUpTo(
  { instances, programs }: StateAtContext,
  tenant: string,
  instanceId: string,
  seq: number = Number.MAX_SAFE_INTEGER,
): Promise<FactsUpTo> {
  const view = await instances.get(tenant, instanceId)
  if (view === undefined) throw new InstanceNotFound({ instanceId })
  const rows: JournalRow[] = []
  for await (const row of journal(instances, view, 0)) {
    rows.push(row)
    if (row.seq >= seq) break
  }
  if (rows.length === 0) throw new InstanceNotFound({ instanceId })
  const version = await versionAt(instances, view, rows)
  return { view, rows, version, program: await programOf(programs, view, version) }
}

async function* journal(
  instances: StateAtContext['instances'],
  { tenant, id }: InstanceView,
  after: number,
): AsyncGenerator<JournalRow> {
  for (let read = after; ; ) {
    const rows = await instances.journal(tenant, id, read, PAGE)
    yield* rows
    if (rows.length < PAGE) return
    read = rows.at(-1)!.seq
  }
}

/** Where it was migrated last says which version it was; else where it was migrated next; else it never was. */
async function versionAt(
  instances: StateAtContext['instances'],
  view: InstanceView,
  rows: readonly JournalRow[],
): Promise<number> {
  const before = rows.findLast(({ kind }) => kind === 'migrated')
  if (before !== undefined) return (before.data as { readonly to: number }).to
  for await (const row of journal(instances, view, rows.at(-1)!.seq))
    if (row.kind === 'migrated') return (row.data as { readonly from: number }).from
  return view.version
}

/** What a function did is in its facts: its code need not be on this node. */
export async function programOf(
  programs: StateAtContext['programs'],
  { tenant, definitionId }: Pick<InstanceView, 'tenant' | 'definitionId'>,
  version: number,
): Promise<Program | undefined> {
  try {
    return await programs.get(tenant, definitionId, version)
  } catch (error) {
    if (WorkflowNotRegistered.is(error)) return undefined
    throw error
  }
}

function graphAt(program: GraphProgram, rows: readonly JournalRow[]): Told {
  const state = foldJournal(program, undefined, rows)
  return {
    status: statusOf(state),
    input: state.input,
    variables: state.variables,
    output: state.end === undefined ? state.output : state.end.output,
    error: state.end?.error ?? state.error ?? null,
    steps: Object.entries(state.executions).map(([step, { activity, phase, attempt }]) => ({
      step,
      activity,
      phase,
      attempt,
    })),
    waits: openWaits(state).map(toWaitState),
  }
}

/** It rests when none of its steps has anything to do. */
function statusOf(state: GraphState): string {
  if (state.end !== undefined) return state.end.status
  if (state.paused !== undefined) return 'paused'
  if (state.status !== 'running') return state.status
  return Object.values(state.executions).some(({ phase }) => phase === 'active') ? 'running' : 'suspended'
}

function functionAt(rows: readonly JournalRow[], { input }: InstanceView): Told {
  const memo = new FunctionMemo()
  for (const row of rows) memo.fold(factFromRow(row), row.at)
  const ended = memo.stands === undefined ? undefined : rows.findLast(({ kind }) => kind === 'ended')
  const end = ended && (factFromRow(ended) as EndedFact)
  return {
    status: memo.stands ?? (memo.waits.size > 0 ? 'suspended' : 'running'),
    input: input as Json,
    variables: undefined,
    output: end?.output,
    error: end?.error ?? null,
    steps: [...memo.waits].map(([step, { wait }]) => ({
      step,
      activity: step,
      phase: wait.kind === 'retry' ? 'retrying' : 'waiting',
      attempt: memo.attempts.get(step) ?? 1,
    })),
    waits: waitsOf(memo),
  }
}
