import { fromWireId, toWireId } from '@lockstep/base'
import { type DeleteOutcome, InstanceNotFound } from '@lockstep/engine'
import Type from 'typebox'
import { InstanceHeld, InstanceNotEnded, InstanceUnsettled, ParentNotEnded } from '../problem/instance-errors.ts'
import { route } from '../route/route.ts'
import { InstanceId } from '../wire/instance.ts'
import { closed, flag, noContent } from '../wire/schema.ts'

export const deleteInstance = route({
  method: 'DELETE',
  path: '/workflow-instances/:id',
  name: 'deleteWorkflowInstance',
  permission: 'instances:operate',
  summary:
    'Deletes an ended instance before its time, with its journal and all that belongs to it. Holds are honoured; what must be kept is archived first, as by retention. 200 with dryRun.',
  id: InstanceId,
  query: closed({ dryRun: Type.Optional(flag('Says what would go, and changes nothing.')) }),
  replies: {
    200: Type.Object({
      id: Type.String(),
      facts: Type.Integer({ description: 'Of its journal.' }),
      incidents: Type.Integer({ description: 'About it, resolved or not.' }),
    }),
    204: noContent,
  },
  problems: [
    ...['INVALID_ID', 'INSTANCE_NOT_FOUND', 'INSTANCE_NOT_ENDED', 'INSTANCE_HELD'],
    ...['PARENT_NOT_ENDED', 'INSTANCE_UNSETTLED', 'ARCHIVE_FAILED'],
  ] as const,
  async handle({ engine, tenant }, { params, query: { dryRun = false } }) {
    const outcome = await engine.retention.delete(fromWireId('instance', params.id), { tenant, dryRun })
    if (outcome.kind !== 'deleted') throw obstacle(params.id, outcome)
    if (!dryRun) return { status: 204, body: undefined }
    return { status: 200, body: { id: params.id, facts: outcome.facts, incidents: outcome.incidents } }
  },
})

function obstacle(instanceId: string, outcome: Exclude<DeleteOutcome, { kind: 'deleted' }>): Error {
  switch (outcome.kind) {
    case 'not-found':
      return new InstanceNotFound({ instanceId })
    case 'wrong-state':
      return new InstanceNotEnded({ instanceId, status: outcome.status })
    case 'held':
      return new InstanceHeld({ instanceId, hold: holdText(outcome.subject), reason: outcome.reason })
    case 'parent-lives':
      return new ParentNotEnded({ instanceId, parentId: toWireId('instance', outcome.parentId) })
    case 'unsettled':
      return new InstanceUnsettled({ instanceId })
  }
}

function holdText(subject: string): string {
  const [kind, ...rest] = subject.split(':')
  if (kind === 'definition') return `the workflow ${rest.join(':')}`
  return kind === 'instance' ? 'this instance' : 'everything'
}
