/**
 * Reads every table after a run and lists what contradicts the promises. It knows nothing of the run but the sink's record of
 * effects: whatever the nodes believed, only what is durable counts. Each rule names the promise that it guards.
 */
import type { Db } from '@lockstep/postgres'
import { checkJournal } from './check-journal.ts'
import { readRows } from './read-rows.ts'

export interface Violation {
  readonly promise: 'P1' | 'P2' | 'P3' | 'P4' | 'P5'
  readonly rule: string
  readonly instanceId: string | undefined
  readonly detail: string
}

/** One line of the sink. */
export interface Effect {
  readonly instance: string
  readonly step: string
  readonly attempt: number
  readonly key: string
  readonly mode: 'atLeastOnce' | 'atMostOnce'
  readonly node: string
  readonly pid: number
}

export interface InstanceRow {
  readonly id: string
  readonly definition_id: string
  readonly dedupe_key: string | null
  readonly parent_id: string | null
  readonly status: string
  readonly ended: boolean
  readonly last_seq: number
}

export interface JournalRow {
  readonly instance_id: string
  readonly seq: number
  readonly claim_no: number
  readonly pos: string
  readonly node_id: string
  readonly kind: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface History {
  readonly instances: readonly InstanceRow[]
  readonly journals: ReadonlyMap<string, readonly JournalRow[]>
  readonly agenda: readonly { instance_id: string; claimed_by: string | null; claim_no: number; due: boolean }[]
  readonly inbox: readonly { instance_id: string; id: string; kind: string; bookmark_id: string | null }[]
  readonly bookmarks: readonly { instance_id: string; id: string; step: string }[]
  readonly nodes: readonly { id: string }[]
  readonly ledger: readonly { instance_id: string; step: string }[]
}

export async function readHistory(db: Db): Promise<History> {
  const read = <Row>(text: string): Promise<Row[]> => readRows(db, text)
  const journal = await read<JournalRow>(
    'select instance_id, seq, claim_no, pos::text as pos, node_id, kind, data from journal order by instance_id, seq',
  )
  return {
    instances: await read(
      `select id, definition_id, dedupe_key, parent_id, status, finished_at is not null as ended, last_seq from instance`,
    ),
    journals: groupByInstance(journal),
    agenda: await read('select instance_id, claimed_by, claim_no, due_at <= clock_timestamp() as due from agenda'),
    inbox: await read('select instance_id, id::text as id, kind, bookmark_id from inbox'),
    bookmarks: await read('select instance_id, id, step from bookmark'),
    nodes: await read('select id from node'),
    ledger: await read('select instance_id, step from public.ledger'),
  }
}

/** Empty: nothing was found. Meaningful when nothing runs any more. */
export function checkHistory(history: History, effects: readonly Effect[]): Violation[] {
  return [
    ...history.instances.flatMap((instance) => checkJournal(instance, history.journals.get(instance.id) ?? [])),
    ...checkStrangers(history),
    ...checkNothingStranded(history),
    ...checkDedupe(history),
    ...checkLedger(history),
    ...checkEffects(history, effects),
  ]
}

function checkStrangers({ instances, journals, agenda, nodes }: History): Violation[] {
  const known = new Set(instances.map((instance) => instance.id))
  const living = new Set(nodes.map((node) => node.id))
  return [
    ...[...journals.keys()]
      .filter((id) => !known.has(id))
      .map((id) => violation('P4', 'a journal belongs to an instance', id, 'no such instance')),
    ...agenda
      .filter((row) => row.claimed_by !== null && !living.has(row.claimed_by))
      .map((row) => violation('P4', 'only a living node holds a claim', row.instance_id, `${row.claimed_by}`)),
  ]
}

/** Who has not ended has something to do, or waits for something that can come; who has ended has neither. */
function checkNothingStranded({ instances, journals, agenda, inbox, bookmarks }: History): Violation[] {
  const found: Violation[] = []
  const onAgenda = new Set(agenda.map((row) => row.instance_id))
  const waiting = new Set(bookmarks.map((row) => row.instance_id))
  const written = new Set(inbox.map((row) => row.instance_id))
  const running = new Set(instances.filter((row) => !row.ended).map((row) => row.id))
  for (const { id, ended, status } of instances) {
    if (ended && onAgenda.has(id)) found.push(violation('P4', 'an ended instance has nothing to do', id, status))
    if (ended && waiting.has(id)) found.push(violation('P3', 'an ended instance waits for nothing', id, status))
    if (ended) continue
    const waitsForChild = openWaits(journals.get(id) ?? []).some(
      (wait) => wait.kind === 'child' && running.has(String(wait.instanceId)),
    )
    if (written.has(id) && !onAgenda.has(id))
      found.push(violation('P1', 'a message wakes its instance', id, 'in the inbox, and not on the agenda'))
    if (!onAgenda.has(id) && !waiting.has(id) && !waitsForChild && status !== 'quarantined')
      found.push(violation('P1', 'nothing is stranded', id, `${status}: no agenda row, no bookmark, no child`))
  }
  return found
}

function openWaits(rows: readonly JournalRow[]): Readonly<Record<string, unknown>>[] {
  const open = new Map<unknown, Readonly<Record<string, unknown>>>()
  for (const { kind, data } of rows) {
    if (kind === 'waiting') open.set(data.step, data.wait as Readonly<Record<string, unknown>>)
    else if (kind === 'completed' || kind === 'failed') open.delete(data.step)
  }
  return [...open.values()]
}

function checkDedupe({ instances }: History): Violation[] {
  const found: Violation[] = []
  const owners = new Map<string, string>()
  for (const { id, definition_id, dedupe_key } of instances) {
    if (dedupe_key === null) continue
    const key = `${definition_id} ${dedupe_key}`
    if (owners.has(key)) found.push(violation('P1', 'one instance per dedupe key', id, key))
    owners.set(key, id)
  }
  return found
}

/** The user's table and the journal tell the same: one row for each recorded transaction, none without. */
function checkLedger({ journals, ledger }: History): Violation[] {
  const found: Violation[] = []
  const rows = new Map<string, number>()
  for (const { instance_id, step } of ledger) {
    const key = `${instance_id} ${step}`
    rows.set(key, (rows.get(key) ?? 0) + 1)
  }
  for (const [key, count] of rows) {
    const [id = '', step = ''] = key.split(' ')
    const recorded = (journals.get(id) ?? []).filter((row) => row.kind === 'completed' && row.data.step === step).length
    if (count > 1) found.push(violation('P5', 'a transaction takes effect once', id, `${step}: ${count} rows`))
    if (recorded === 0) found.push(violation('P5', 'a transaction is recorded with its effect', id, step))
  }
  for (const [id, journal] of journals) {
    for (const { kind, data } of journal) {
      if (kind !== 'completed' || !transactional.has(String(data.step)) || rows.has(`${id} ${data.step}`)) continue
      found.push(violation('P5', 'a recorded transaction took effect', id, String(data.step)))
    }
  }
  return found
}

/** Names that the scripted programs give to their transactions. */
const transactional = new Set(['book', 'settle', 'left', 'right'])

function checkEffects({ instances, journals }: History, effects: readonly Effect[]): Violation[] {
  const found: Violation[] = []
  const byStep = new Map<string, Effect[]>()
  for (const effect of effects) {
    const key = `${effect.instance} ${effect.step}`
    byStep.set(key, [...(byStep.get(key) ?? []), effect])
  }
  const known = new Set(instances.map((instance) => instance.id))
  for (const group of byStep.values()) {
    const { instance, step, mode } = group[0]!
    if (new Set(group.map((each) => each.key)).size > 1)
      found.push(violation('P5', 'a step keeps its idempotency key', instance, step))
    if (mode === 'atMostOnce' && group.length > 1)
      found.push(violation('P5', 'an at-most-once effect runs once', instance, `${step}: ${group.length} times`))
    if (!known.has(instance)) found.push(violation('P1', 'an effect belongs to an instance', instance, step))
    const start = (journals.get(instance) ?? [])[0]
    if (start === undefined) continue
    if (mode === 'atMostOnce' && !(journals.get(instance) ?? []).some((row) => isAbout(row, 'attempting', step)))
      found.push(violation('P5', 'an at-most-once effect was announced', instance, step))
  }
  return found
}

const isAbout = (row: JournalRow, kind: string, step: string): boolean => row.kind === kind && row.data.step === step

export function violation(
  promise: Violation['promise'],
  rule: string,
  instanceId: string | undefined,
  detail: string,
): Violation {
  return { promise, rule, instanceId, detail }
}

function groupByInstance(rows: readonly JournalRow[]): Map<string, JournalRow[]> {
  const groups = new Map<string, JournalRow[]>()
  for (const row of rows) {
    const group = groups.get(row.instance_id)
    if (group === undefined) groups.set(row.instance_id, [row])
    else group.push(row)
  }
  return groups
}
