import { toWireId } from '@lockstep/base'
import { scheduleSchema } from '@lockstep/engine'
import type { ListedSchedule, ScheduleRun } from '@lockstep/engine/ports'
import Type from 'typebox'
import { toEtag } from './etag.ts'
import { iso } from './iso.ts'
import { anything, instant, nullable, oneOf } from './schema.ts'

export const ScheduleId = Type.String({ description: 'Chosen by the author, such as nightly-report.' })

/** Only what makes it one: the engine checks the rest, and says more about it than a schema can. */
export const ScheduleDocumentBody = Type.Unsafe<unknown>({ ...scheduleSchema, $schema: undefined, title: undefined })

export const Schedule = Type.Object({
  id: Type.String(),
  name: nullable('string'),
  document: anything('The schedule as its author wrote it; paused as it is now.'),
  paused: Type.Boolean(),
  definitionId: nullable('string', { description: 'Workflow that its runs are instances of.' }),
  nextAt: instant('Its next nominal time; null: it has ended, is paused, or does not go by time.'),
  lastFiredAt: instant(),
  owner: nullable('string', { description: 'job, or definition:<id>; null: a person made it.' }),
  etag: Type.String({ description: 'Send it as If-Match with the next change.' }),
})

export const ScheduleRunItem = Type.Object({
  id: Type.String(),
  key: Type.String({ description: 'One run of the schedule per key, for good.' }),
  state: oneOf(['started', 'waiting', 'skipped']),
  reason: nullable('string', { description: 'Why it was skipped.' }),
  origin: oneOf(['schedule', 'request', 'backfill', 'after']),
  nominalAt: instant('When it should have fired.'),
  lastAt: instant('The last of the occurrences that this line stands for.'),
  count: Type.Integer({ description: 'Occurrences that this line stands for.' }),
  exact: Type.Boolean({ description: 'Whether there were no more.' }),
  late: Type.Boolean(),
  instanceId: nullable('string'),
  decidedAt: instant(),
  firedAt: instant(),
  nodeId: Type.String({ description: 'Node that decided.' }),
  endedAt: instant(),
  status: nullable('string', { description: 'How its instance ended.' }),
})

const Count = (description: string) => Type.Integer({ minimum: 0, description })

/** As lists have it. */
export const ScheduleItem = Type.Object({
  ...Schedule.properties,
  lastRun: Type.Union([ScheduleRunItem, Type.Null()], { description: 'The latest decision about it.' }),
  lately: Type.Object(
    {
      runs: Count('How many decisions were looked at.'),
      late: Count('Those that came late.'),
      skipped: Count('Times that were let go.'),
    },
    { description: 'Of its latest twenty decisions.' },
  ),
})

type Shown = Pick<ListedSchedule, 'id' | 'revision' | 'document' | 'paused' | 'owner' | 'lastFiredAt'> & {
  readonly nextAt: number | undefined
}

export function toWireSchedule(view: Shown) {
  const document = view.document as { readonly name?: string; readonly definitionId?: string; readonly job?: string }
  return {
    id: view.id,
    name: document.name ?? null,
    document: { ...document, paused: view.paused },
    paused: view.paused,
    definitionId: document.definitionId ?? document.job ?? null,
    nextAt: view.paused ? null : iso(view.nextAt),
    lastFiredAt: iso(view.lastFiredAt),
    owner: view.owner ?? null,
    etag: toEtag(view.revision),
  }
}

export const toWireScheduleItem = (view: Shown & Pick<ListedSchedule, 'lastRun' | 'lately'>) => ({
  ...toWireSchedule(view),
  lastRun: view.lastRun === undefined ? null : toWireRun(view.lastRun),
  lately: view.lately,
})

export const toWireRun = (run: ScheduleRun) => ({
  ...run,
  reason: run.reason ?? null,
  nominalAt: iso(run.nominalAt),
  lastAt: iso(run.lastAt),
  instanceId: run.instanceId === undefined ? null : toWireId('instance', run.instanceId),
  decidedAt: iso(run.decidedAt),
  firedAt: iso(run.firedAt),
  nodeId: toWireId('node', run.nodeId),
  endedAt: iso(run.endedAt),
  status: run.status ?? null,
})
