import { type InstanceRow, type JournalRow, type Violation, violation } from './check-history.ts'

/** How an instance that has ended can go on. */
const REOPENS: ReadonlySet<string> = new Set(['retried', 'rewound', 'migrated', 'refused'])

/** P4 on one instance: one chain from 1 without a gap, claims rising, one writer per claim, each step and wait ended once. */
export function checkJournal(instance: InstanceRow, rows: readonly JournalRow[]): Violation[] {
  const { id } = instance
  const found: Violation[] = []
  const say = (promise: Violation['promise'], rule: string, detail: string): void =>
    void found.push(violation(promise, rule, id, detail))
  const writers = new Map<number, string>()
  const ends = new Map<string, string>()
  let previous: JournalRow | undefined
  for (const row of rows) {
    const expected = (previous?.seq ?? 0) + 1
    if (row.seq !== expected) say('P4', 'a journal has no gaps', `fact ${row.seq} where ${expected} should be`)
    if (previous !== undefined && row.claim_no < previous.claim_no)
      say('P4', 'claims rise along a journal', `fact ${row.seq}: claim ${row.claim_no} after ${previous.claim_no}`)
    if (previous !== undefined && BigInt(row.pos) <= BigInt(previous.pos))
      say('P4', 'positions rise along a journal', `fact ${row.seq}`)
    const writer = writers.get(row.claim_no)
    if (writer !== undefined && writer !== row.node_id)
      say('P4', 'one writer per claim', `claim ${row.claim_no}: ${writer} and ${row.node_id}`)
    writers.set(row.claim_no, row.node_id)
    if (row.kind === 'rewound' || (row.kind === 'retried' && row.data.step !== undefined)) ends.clear()
    // What failed may end once more after an operator had it tried again.
    if (row.kind === 'retried') for (const [step, by] of ends) if (by === 'failed') ends.delete(step)
    if (previous?.kind === 'ended' && !REOPENS.has(row.kind))
      say('P4', 'an ended journal ends', `${row.kind} at ${row.seq}`)
    if (row.kind === 'completed' || row.kind === 'failed') {
      const step = String(row.data.step)
      const by = String(row.data.by ?? row.kind)
      const before = ends.get(step)
      if (before !== undefined)
        say(
          by === 'timer' || before === 'timer' ? 'P2' : 'P4',
          'a step ends once',
          `"${step}" by ${before} and by ${by}`,
        )
      ends.set(step, by)
    }
    previous = row
  }
  if (rows.length === 0) say('P1', 'an instance has a journal', 'no fact')
  else if (rows[0]!.kind !== 'started') say('P4', 'a journal begins with its start', rows[0]!.kind)
  if (instance.ended && previous?.seq !== instance.last_seq)
    say('P4', 'an instance knows its last fact', `last_seq ${instance.last_seq}, journal ${previous?.seq}`)
  if (instance.ended !== (previous?.kind === 'ended'))
    say('P1', 'an instance ends with its journal', `${instance.status}, last fact ${previous?.kind}`)
  return found
}
