import { fromWireId, tryFromWireId } from '@lockstep/base'
import type { ResumeOutcome } from '@lockstep/engine'
import Type from 'typebox'
import { AlreadyResumed, BookmarkExpired, BookmarkNotFound, ResumeInProgress } from '../problem/instance-errors.ts'
import { route } from '../route/route.ts'
import { Instance, InstanceId, readInstance } from '../wire/instance.ts'
import { anything, closed, indexedText, oneOf } from '../wire/schema.ts'

const losers = {
  'already-resumed': AlreadyResumed,
  'in-progress': ResumeInProgress,
  expired: BookmarkExpired,
  'not-found': BookmarkNotFound,
} satisfies Record<Exclude<ResumeOutcome, 'resumed'>, unknown>

export const resumeInstance = route({
  method: 'POST',
  path: '/workflow-instances/:id/resume',
  name: 'resumeWorkflowInstance',
  permission: 'instances:resume',
  audit: 'behind',
  summary:
    'Gives an instance what it waits for. Exactly one caller wins; the others get a problem that says how they lost.',
  id: InstanceId,
  body: closed({
    bookmark: Type.Optional(indexedText('Id or name; may be left out when there is one.')),
    payload: Type.Optional(anything('What the step that waits gets.')),
  }),
  bodyOptional: true,
  replies: { 200: Type.Object({ outcome: oneOf(['resumed']), instance: Instance }) },
  problems: [
    'INVALID_ID',
    'PAYLOAD_TOO_LARGE',
    'BOOKMARK_NOT_FOUND',
    'BOOKMARK_AMBIGUOUS',
    'ALREADY_RESUMED',
    'RESUME_IN_PROGRESS',
    'BOOKMARK_EXPIRED',
  ],
  async handle(context, { params, rest, body: { bookmark, payload } }) {
    const instanceId = fromWireId('instance', params.id)
    const named = bookmark === undefined ? {} : { bookmark: tryFromWireId('bookmark', bookmark) ?? bookmark }
    const outcome = await context.engine.resume({ tenant: context.tenant, instanceId, payload, ...named, rest })
    if (outcome !== 'resumed') throw new losers[outcome]({ instanceId: params.id, bookmark })
    return { status: 200, body: { outcome, instance: await readInstance(context, instanceId) } }
  },
})
