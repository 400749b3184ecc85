import type { Json } from '@lockstep/base'
import { toDuration } from './elsa-duration.ts'
import { toSlug } from './elsa-names.ts'

/** How an input of ours comes from one of theirs. */
export interface InputMapping {
  readonly from: string
  readonly to: string
  /** Of a literal; expressions stay what they are. */
  readonly convert?: (value: Json) => Json | undefined
  /** When theirs is absent. */
  readonly otherwise?: Json
  /** Ours cannot be an expression: said when theirs is one. */
  readonly literal?: true
}

/** An activity without others inside. */
export interface LeafMapping {
  readonly type: string
  readonly inputs: readonly InputMapping[]
  /** Name of theirs that takes the result, when it is the output of our step. */
  readonly result?: string
  /** Members that have no counterpart: said when they are there. */
  readonly lost?: readonly string[]
  /** Always said. */
  readonly difference?: string
}

const input = (from: string, to: string = from, more: Omit<InputMapping, 'from' | 'to'> = {}): InputMapping => ({
  from,
  to,
  ...more,
})
const asList = (value: Json): Json => (Array.isArray(value) ? value : [value])
const asSlug = (value: Json): Json => (typeof value === 'string' ? toSlug(value, value) : value)
/** Elsa writes lists and texts that nobody filled in; a number given as text is one. */
const noneWhenEmpty = (value: Json): Json | undefined =>
  value === '' || value === null || (Array.isArray(value) && value.length === 0) ? undefined : value
const asBytes = (value: Json): Json | undefined => noneWhenEmpty(asStatus(value))
const asTime = (value: Json): Json | undefined => noneWhenEmpty(toDuration(value))
const asStatuses = (value: Json): Json | undefined =>
  noneWhenEmpty(Array.isArray(value) ? value.map(asStatus) : asStatus(value))
const asStatus = (value: Json): Json => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value)

const runWorkflow = (wait: boolean): LeafMapping => ({
  type: 'run-workflow',
  inputs: [
    input('workflowDefinitionId', 'definitionId', { convert: asSlug }),
    input('input'),
    input('waitForCompletion', 'wait', { otherwise: wait }),
    input('correlationId'),
  ],
  result: 'result',
  lost: ['channelName'],
})

const bulkRun: LeafMapping = {
  type: 'bulk-run',
  inputs: [input('workflowDefinitionId', 'definitionId', { convert: asSlug }), input('items')],
  lost: ['input', 'correlationIdFunction', 'channelName', 'childCompleted', 'childFaulted'],
  difference:
    'It waits for all of its children, and each of them has its item as input; in Elsa the item is a member of the input ("Item" by default)',
}

const httpRequest: LeafMapping = {
  type: 'http-request',
  inputs: [
    input('method', 'method', { otherwise: 'GET' }),
    input('url'),
    input('requestHeaders', 'headers'),
    input('content', 'body'),
  ],
  lost: ['authorization', 'contentType', 'parsedContent', 'statusCode', 'responseHeaders', 'expectedStatusCodes'],
}

export const leafMappings: ReadonlyMap<string, LeafMapping> = new Map<string, LeafMapping>([
  ['WriteLine', { type: 'log', inputs: [input('text', 'message', { otherwise: '' })] }],
  ['Delay', { type: 'delay', inputs: [input('timeSpan', 'duration', { convert: toDuration })] }],
  [
    'PublishEvent',
    {
      type: 'publish-event',
      inputs: [input('eventName', 'event'), input('correlationId'), input('payload')],
      lost: ['isLocalEvent'],
    },
  ],
  [
    'SendEmail',
    {
      type: 'send-email',
      inputs: [
        ...['from', 'to', 'cc', 'bcc', 'replyTo'].map((name) => input(name, name, { convert: noneWhenEmpty })),
        input('subject', 'subject', { otherwise: '' }),
        input('body', 'html', { otherwise: '' }),
      ],
      lost: ['attachments'],
    },
  ],
  [
    'SqlQuery',
    {
      type: 'sql-query',
      inputs: [input('query', 'query', { literal: true })],
      lost: ['client', 'connectionString'],
      result: 'results',
      difference:
        'It runs on the database of the engine, unless "connection" names another one; its output is { rows, count }',
    },
  ],
  ['BulkDispatchWorkflows', bulkRun],
  ['DispatchWorkflow', runWorkflow(false)],
  ['ExecuteWorkflow', runWorkflow(true)],
  ['SendHttpRequest', httpRequest],
  [
    'FlowSendHttpRequest',
    {
      ...httpRequest,
      inputs: [...httpRequest.inputs, input('expectedStatusCodes', 'expectedStatus', { convert: asStatuses })],
      lost: httpRequest.lost!.filter((name) => name !== 'expectedStatusCodes'),
    },
  ],
  [
    'WriteHttpResponse',
    {
      type: 'http-response',
      inputs: [
        input('statusCode', 'status', { convert: asStatus }),
        input('content', 'body'),
        input('responseHeaders', 'headers'),
      ],
      lost: ['contentType'],
    },
  ],
  ['Finish', { type: 'finish', inputs: [] }],
  ['Complete', { type: 'finish', inputs: [], difference: 'It ends the whole workflow, not the composite it is in' }],
  ['Break', { type: 'break', inputs: [] }],
  [
    'Fault',
    {
      type: 'fault',
      inputs: [input('message', 'message', { otherwise: 'fault' }), input('code')],
      lost: ['category', 'faultType'],
    },
  ],
  [
    'SetOutput',
    { type: 'set-output', inputs: [input('outputName', 'name'), input('outputValue', 'value', { otherwise: null })] },
  ],
  ['RunTask', { type: 'run-task', inputs: [input('taskName', 'task'), input('payload')], result: 'result' }],
  ['Correlate', { type: 'correlate', inputs: [input('correlationId')] }],
])

/** Activities that start a workflow when they are marked so, and wait in the middle of one when they are not. */
export interface TriggerMapping {
  readonly trigger: LeafMapping | undefined
  readonly inFlow: LeafMapping | undefined
}

export const triggerMappings: ReadonlyMap<string, TriggerMapping> = new Map<string, TriggerMapping>([
  [
    'Timer',
    {
      trigger: { type: 'interval', inputs: [input('interval', 'interval', { convert: toDuration, literal: true })] },
      inFlow: { type: 'delay', inputs: [input('interval', 'duration', { convert: toDuration })] },
    },
  ],
  [
    'Cron',
    { trigger: { type: 'cron', inputs: [input('cronExpression', 'cron', { literal: true })] }, inFlow: undefined },
  ],
  ['StartAt', { trigger: undefined, inFlow: { type: 'wait-until', inputs: [input('dateTime', 'at')] } }],
  [
    'Event',
    {
      trigger: { type: 'event', inputs: [input('eventName', 'event')], result: 'result' },
      inFlow: { type: 'wait-for-event', inputs: [input('eventName', 'event')], result: 'result' },
    },
  ],
  [
    'HttpEndpoint',
    {
      trigger: {
        type: 'http-endpoint',
        inputs: [
          input('path', 'path', { literal: true }),
          input('supportedMethods', 'methods', { convert: asList, literal: true }),
          input('requestTimeout', 'timeout', { convert: asTime, literal: true }),
          input('requestSizeLimit', 'maxBytes', { convert: asBytes, literal: true }),
        ],
        lost: ['authorize', 'policy', 'parsedContent', 'files', 'routeData', 'queryStringData', 'headers'],
      },
      inFlow: undefined,
    },
  ],
])
