import Type, { type TSchema } from 'typebox'
import { problemTitles } from '../problem/problem-titles.ts'
import {
  DefinitionSummary,
  DraftReply,
  GraphDocument,
  GraphProblemItem,
  PublishReply,
  SaveAndPublishReply,
} from '../wire/definition.ts'
import { Instance } from '../wire/instance.ts'
import { JournalItem } from '../wire/journal.ts'
import { Lock, LockDetail } from '../wire/lock.ts'
import { Schedule, ScheduleDocumentBody, ScheduleRunItem } from '../wire/schedule.ts'
import { oneOf } from '../wire/schema.ts'
import { State } from '../wire/state.ts'
import { Diff, Version, VersionItem } from '../wire/version.ts'
import { WhyReply } from '../wire/why.ts'

/** RFC 9457. Members beyond these depend on the code. */
export const ProblemSchema = Type.Object(
  {
    type: Type.String({ description: 'A page on this server that describes the problem.' }),
    title: Type.String({ description: 'The same for every problem of this type.' }),
    status: Type.Integer(),
    detail: Type.String({ description: 'What happened this time and what to do.' }),
    code: oneOf(Object.keys(problemTitles), 'Stable: programs decide by it.'),
    retryable: Type.Boolean({ description: 'Whether the same request may succeed later.' }),
    instance: Type.Optional(Type.String({ description: 'Names this one occurrence.' })),
    requestId: Type.Optional(Type.String({ description: 'As in X-Request-Id, and in the log of the node.' })),
    traceId: Type.Optional(Type.String({ description: 'Of the trace of the request, where nodes trace.' })),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          in: oneOf(['body', 'query', 'header', 'path']),
          field: Type.String(),
          text: Type.String(),
          pointer: Type.Optional(Type.String({ description: 'Of the body: a JSON pointer.' })),
        }),
        {
          description: 'INVALID_REQUEST: each field that is wrong.',
        },
      ),
    ),
    problems: Type.Optional(
      Type.Array(Type.Unknown(), {
        description:
          'DEFINITION_INVALID, SCHEDULE_INVALID, INPUT_INVALID, FLOW_POLICY_INVALID: each place that is wrong.',
      }),
    ),
    outcome: Type.Optional(Type.String({ description: 'How a resume lost, or why a verb could not be carried out.' })),
    bookmarks: Type.Optional(Type.Array(Type.String(), { description: 'BOOKMARK_AMBIGUOUS: names to choose from.' })),
  },
  { additionalProperties: true },
)

export const namedSchemas: ReadonlyMap<TSchema, string> = new Map<TSchema, string>([
  [Instance, 'Instance'],
  [JournalItem, 'JournalItem'],
  [GraphDocument, 'GraphDocument'],
  [GraphProblemItem, 'GraphProblem'],
  [DraftReply, 'Draft'],
  [PublishReply, 'PublishedVersion'],
  [SaveAndPublishReply, 'SavedAndPublished'],
  [DefinitionSummary, 'WorkflowDefinition'],
  [State, 'InstanceState'],
  [WhyReply, 'Why'],
  [VersionItem, 'VersionSummary'],
  [Version, 'Version'],
  [Diff, 'Diff'],
  [ScheduleDocumentBody, 'ScheduleDocument'],
  [Schedule, 'Schedule'],
  [ScheduleRunItem, 'ScheduleRun'],
  [Lock, 'Lock'],
  [LockDetail, 'LockDetail'],
  [ProblemSchema, 'Problem'],
])
