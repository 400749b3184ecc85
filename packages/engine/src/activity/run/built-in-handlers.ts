import { isJsonObject, type Json, type JsonObject, parseDuration } from '@lockstep/base'
import { WorkflowFault } from '../../step/workflow-fault.ts'
import type { ActivityContext, ActivityResult, InlineResult } from '../activity-handler.ts'
import { runSwitch } from './switch.ts'

type InlineRun = (inputs: JsonObject, context: ActivityContext) => ActivityResult | InlineResult

const done = (more: Partial<InlineResult> = {}): InlineResult => ({
  kind: 'completed',
  outcome: 'done',
  ...more,
})
const text = (value: Json | undefined): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null))

/** The code behind the built-in activities that run within the step's own turn. Containers, `run-workflow` and `script` are the interpreter's. */
export const builtInHandlers: Readonly<Record<string, InlineRun>> = {
  if: ({ condition }) => ({ kind: 'completed', outcome: isTruthy(condition) ? 'true' : 'false' }),

  switch: (inputs) => runSwitch(inputs),

  transform: ({ value }) => done({ output: value ?? null }),

  correlate: ({ correlationId }) => done({ correlationId: text(correlationId) }),

  // Where they lead to is the interpreter's business.
  break: () => done(),
  continue: () => done(),
  finish: ({ output }) => done(isJsonObject(output) ? { result: output } : {}),

  log: ({ message, level }, { logger, instanceId, step }) => {
    const write = level === 'debug' || level === 'warn' || level === 'error' ? level : 'info'
    logger[write](text(message), { instanceId, step })
    return done()
  },

  // Triggers have done their part when the instance is there.
  cron: () => done(),
  interval: () => done(),
  event: () => done(),
  'http-endpoint': () => done(),

  'http-response': ({ status, body, headers }) =>
    done({ output: { status: status ?? 200, headers: headers ?? {}, body: body ?? null }, answers: true }),

  'set-variable': ({ name, value }) => done({ assign: { [text(name)]: value ?? null } }),

  'set-output': ({ name, value }) => done({ result: { [text(name)]: value ?? null } }),

  delay: ({ duration }) => ({ kind: 'waiting', wait: { kind: 'timer', ms: toDuration(duration) } }),

  'wait-until': ({ at }) => ({ kind: 'waiting', wait: { kind: 'timer', at: toInstant(at) } }),

  'wait-for-event': ({ event, correlationId, timeout }, context) => {
    const correlation = typeof correlationId === 'string' ? correlationId : context.correlationId
    return {
      kind: 'waiting',
      wait: {
        kind: 'event',
        name: text(event),
        ...(correlation === undefined ? {} : { correlationId: correlation }),
        ...(timeout === undefined || timeout === null ? {} : { timeoutMs: toDuration(timeout) }),
      },
    }
  },

  'publish-event': ({ event, correlationId, payload }) =>
    done({
      publish: {
        name: text(event),
        correlationId: typeof correlationId === 'string' ? correlationId : undefined,
        payload: payload ?? null,
      },
    }),

  fault: ({ message, code }) => {
    throw new WorkflowFault({ message: text(message), faultCode: typeof code === 'string' ? code : 'WORKFLOW_FAULT' })
  },
}

/** As JavaScript would say. */
function isTruthy(value: Json | undefined): boolean {
  return Boolean(value)
}

function toDuration(value: Json | undefined): number {
  return parseDuration(typeof value === 'number' ? value : text(value))
}

/** Epoch ms, or ISO 8601 text. */
function toInstant(value: Json | undefined): number {
  const ms = typeof value === 'number' ? value : Date.parse(text(value))
  if (!Number.isFinite(ms))
    throw new WorkflowFault({
      message: `"at" must be a date and time such as 2027-01-31T09:00:00Z, not ${text(value)}`,
      faultCode: 'INVALID_INPUT',
    })
  return ms
}
