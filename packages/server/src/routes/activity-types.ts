import { hashJson, type Json } from '@lockstep/base'
import { type ActivityType, type Engine, graphDocumentSchema, scheduleSchema } from '@lockstep/engine'
import Type from 'typebox'
import { ActivityTypeNotFound } from '../problem/request-errors.ts'
import { route } from '../route/route.ts'
import { anything, oneOf } from '../wire/schema.ts'

const ActivityTypeItem = Type.Object(
  {
    type: Type.String({ description: 'Name that documents use.' }),
    kind: oneOf(['control', 'container', 'wait', 'action', 'trigger']),
    title: Type.String(),
    description: Type.String(),
    inputs: anything('JSON schema of its inputs, after expressions were evaluated.'),
    outcomes: anything('Names of the ways it can be left by; any: its code chooses them.'),
  },
  { additionalProperties: true },
)

/** Without its code. */
const describe = (type: ActivityType | undefined): Json => JSON.parse(JSON.stringify(type)) as Json

const all = ({ activities }: Engine): readonly ActivityType[] => activities.types().map((type) => activities.get(type)!)

const tag = (value: Json): string => `"${hashJson(value).slice(0, 32)}"`

export const listActivityTypes = route({
  method: 'GET',
  path: '/activity-types',
  name: 'listActivityTypes',
  permission: 'definitions:read',
  summary: 'Every activity that this node can run, built in or its own, by name.',
  cached: true,
  replies: { 200: Type.Object({ items: Type.Array(ActivityTypeItem) }) },
  problems: [],
  async handle({ engine }) {
    const items = all(engine).map(describe)
    return { status: 200, body: { items }, etag: tag(items) }
  },
})

export const getActivityType = route({
  method: 'GET',
  path: '/activity-types/:id',
  name: 'getActivityType',
  permission: 'definitions:read',
  summary: 'Answers one activity type.',
  id: Type.String({ description: 'Its name.' }),
  cached: true,
  replies: { 200: ActivityTypeItem },
  problems: ['ACTIVITY_TYPE_NOT_FOUND'],
  async handle({ engine }, { params }) {
    const found = engine.activities.get(params.id)
    if (found === undefined) throw new ActivityTypeNotFound({ type: params.id.slice(0, 100) })
    const body = describe(found)
    return { status: 200, body, etag: tag(body) }
  },
})

const Schema = Type.Object({}, { additionalProperties: true, description: 'A JSON schema, 2020-12.' })

export const getDocumentSchema = route({
  method: 'GET',
  path: '/schemas/workflow-definition',
  name: 'getWorkflowDefinitionSchema',
  permission: 'definitions:read',
  summary: 'JSON schema of graph documents for editors, with the activities of this node: name it as $schema.',
  cached: true,
  replies: { 200: Schema },
  problems: [],
  async handle({ engine }) {
    const schema = graphDocumentSchema(all(engine))
    return { status: 200, body: schema, etag: tag(schema) }
  },
})

export const getScheduleSchema = route({
  method: 'GET',
  path: '/schemas/schedule',
  name: 'getScheduleSchema',
  permission: 'definitions:read',
  summary: 'JSON schema of schedules for editors.',
  cached: true,
  replies: { 200: Schema },
  problems: [],
  async handle() {
    return { status: 200, body: scheduleSchema, etag: tag(scheduleSchema) }
  },
})
