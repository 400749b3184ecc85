import { type InstanceTableRow, type JournalTableRow, keyOf, type Tables } from './tables.ts'
import type { Violation } from './violation.ts'

/** How an instance that has ended can go on. */
const REOPENS: ReadonlySet<string> = new Set(['retried', 'rewound', 'migrated', 'refused'])

/** One chain per instance: gapless from 1, claims rising, one writer per claim, each step completed once. */
export function checkJournals({ instances, journal }: Tables): Violation[] {
  const found = [...instances.values()].flatMap((instance) => checkJournal(instance, journal.get(instance.id) ?? []))
  for (const id of journal.keys()) {
    if (!instances.has(id))
      found.push({ rule: 'a journal belongs to an instance', instanceId: id, detail: 'no such instance' })
  }
  return found
}

function checkJournal(instance: InstanceTableRow, rows: readonly JournalTableRow[]): Violation[] {
  const found: Violation[] = []
  const say = (rule: string, detail: string): void => void found.push({ rule, instanceId: instance.id, detail })
  const writers = new Map<number, string>()
  const completed = new Set<string>()
  let previous: JournalTableRow | undefined
  for (const row of rows) {
    const expected = (previous?.seq ?? 0) + 1
    if (row.seq !== expected)
      say('a journal has no gaps', `fact ${row.seq} (claim ${row.claimNo}, ${row.nodeId}) where ${expected} should be`)
    if (previous !== undefined && row.claimNo < previous.claimNo)
      say('claims rise along a journal', `fact ${row.seq} by claim ${row.claimNo} after claim ${previous.claimNo}`)
    if (previous !== undefined && row.position <= previous.position)
      say('positions rise along a journal', `fact ${row.seq}`)
    const writer = writers.get(row.claimNo)
    if (writer !== undefined && writer !== row.nodeId)
      say('one writer per claim', `claim ${row.claimNo}: ${writer} and ${row.nodeId}`)
    writers.set(row.claimNo, row.nodeId)
    if (row.kind === 'completed') {
      const { step }: { step?: string } = JSON.parse(row.data)
      const key = keyOf(step ?? '')
      if (step !== undefined && completed.has(key))
        say('a step is completed at most once', `"${step}" again at ${row.seq}`)
      completed.add(key)
    }
    // An operator had steps done again that were done before.
    if (row.kind === 'rewound' || (row.kind === 'retried' && 'step' in JSON.parse(row.data))) completed.clear()
    if (previous?.kind === 'ended' && !REOPENS.has(row.kind))
      say('an ended journal ends', `${row.kind} at ${row.seq} after the end`)
    previous = row
  }
  if (rows[0] !== undefined && rows[0].kind !== 'started')
    say('a journal begins with its start', `${rows[0].kind} at 1`)
  if (instance.finishedAt !== undefined && previous?.seq !== instance.lastSeq) {
    say('an instance knows its last fact', `last_seq ${instance.lastSeq}, journal ${previous?.seq ?? 'empty'}`)
  }
  return found
}
