/**
 * What leaves the store can go somewhere else first: one line of JSON for each instance, one for each of its facts and of its incidents, and one that
 * says how many there were, so that a cut file can be told from a whole one. An instance may come more than once, never not at all.
 */
import type { Writable } from 'node:stream'
import type { IncidentStore } from '../store/incident-store.ts'
import type { InstanceReader } from '../store/instance-reader.ts'
import type { ExpiredInstance } from '../store/maintenance-store.ts'
import { ArchiveIncomplete } from './errors.ts'

/** Settles when all lines are safe. It must read them to their end; each ends with a line feed. */
export type Archive = (lines: AsyncIterable<string>) => Promise<void>

export interface ArchivedStore {
  readonly instances: Pick<InstanceReader, 'get' | 'journal'>
  readonly incidents: Pick<IncidentStore, 'list'>
}

const PAGE = 1_000

/** Settles when the archive has all of the batch; rejects with what it threw, or when it left lines unread. */
export async function archiveBatch(
  archive: Archive,
  store: ArchivedStore,
  batch: readonly ExpiredInstance[],
): Promise<void> {
  let isRead = false
  async function* lines(): AsyncGenerator<string> {
    for (const each of batch) yield* linesOf(store, each)
    isRead = true
  }
  await archive(lines())
  if (!isRead) throw new ArchiveIncomplete({ instances: batch.length })
}

async function* linesOf(
  { instances, incidents }: ArchivedStore,
  { tenant, instanceId }: ExpiredInstance,
): AsyncGenerator<string> {
  const view = await instances.get(tenant, instanceId)
  if (view === undefined) return // somebody else deleted it: the store will say so
  yield line({ type: 'instance', ...view })
  let seq = 0
  let count = 0
  for (;;) {
    const page = await instances.journal(tenant, instanceId, seq, PAGE)
    for (const fact of page) yield line({ type: 'fact', instanceId, ...fact })
    count += page.length
    seq = page.at(-1)?.seq ?? seq
    if (page.length < PAGE) break
  }
  let incidentCount = 0
  let before: string | undefined
  do {
    const page = await incidents.list(tenant, { instanceId }, before, PAGE)
    for (const incident of page.incidents) yield line({ type: 'incident', ...incident })
    incidentCount += page.incidents.length
    before = page.next
  } while (before !== undefined)
  yield line({ type: 'end', instanceId, facts: count, incidents: incidentCount })
}

const line = (value: object): string => `${JSON.stringify(value)}\n`

/** Writes lines into a stream that stays open. Settles when the stream has handed them on; whether they are on a disk then is the stream's affair. */
export function archiveToStream(stream: Writable): Archive {
  return async (lines) => {
    const ignore = (): void => undefined // the write that failed says so
    stream.on('error', ignore)
    try {
      for await (const text of lines) await written(stream, text)
    } finally {
      stream.off('error', ignore)
    }
  }
}

function written(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => stream.write(text, (error) => (error ? reject(error) : resolve())))
}
