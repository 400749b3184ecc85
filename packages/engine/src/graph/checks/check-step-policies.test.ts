import { describe, expect, it } from 'vitest'
import { activityCatalogue } from '../../activity/activity-catalogue.ts'
import type { ActivityType } from '../../activity/activity-type.ts'
import { builtInActivities } from '../../activity/built-in.ts'
import { compileExpression } from '../../expression/expression.ts'
import { expressionParser } from '../parse-expression.ts'
import { validateDocument } from '../validate-document.ts'

const own = (type: string, runs: 'effect' | 'transaction'): ActivityType => ({
  ...{ type, kind: 'action', title: type, description: type, inputs: { type: 'object' }, outcomes: ['done'], runs },
})
const catalogue = activityCatalogue([...builtInActivities, own('call', 'effect'), own('book', 'transaction')])
const parseExpression = expressionParser(compileExpression)

const problems = (activity: object) =>
  validateDocument({ id: 'doc', activities: [{ id: 'a', type: 'call', ...activity }] }, catalogue, {
    parseExpression,
  }).map(({ pointer, code }) => `${pointer} ${code}`)

const breaker = { failures: 3, window: '1m', openFor: '30s' }
const limit = { key: 'api', concurrency: 1 }

describe('policies of a step', () => {
  it('are taken as the handbook writes them', () => {
    expect(
      problems({
        lock: { name: { $expr: "'file-' + input.name" }, waitMs: 5_000, ttlMs: 1_000 },
        limit: { key: { $expr: 'input.customer' }, concurrency: 4, rate: { limit: 100, per: '1m' } },
        breaker: { ...breaker, key: 'bank', halfOpen: 2, whenOpen: 'fail' },
        heartbeatTimeout: '30s',
      }),
    ).toEqual([])
    expect(problems({ lock: 'file' })).toEqual([])
    expect(problems({ lock: { $expr: 'input.file' } })).toEqual([])
  })

  it.each<[string, object, string]>([
    ['an unknown member of a limit', { limit: { ...limit, burst: 3 } }, '/activities/0/limit/burst UNKNOWN_FIELD'],
    ['a limit that bounds nothing', { limit: { key: 'api' } }, '/activities/0/limit INVALID_POLICY'],
    ['a limit without a key', { limit: { concurrency: 1 } }, '/activities/0/limit MISSING_FIELD'],
    ['no attempt at once', { limit: { key: 'api', concurrency: 0 } }, '/activities/0/limit/concurrency OUT_OF_RANGE'],
    ['half an attempt', { limit: { key: 'api', concurrency: 1.5 } }, '/activities/0/limit/concurrency WRONG_TYPE'],
    ['a key that is too long', { limit: { ...limit, key: 'k'.repeat(201) } }, '/activities/0/limit/key OUT_OF_RANGE'],
    ['an empty key', { limit: { ...limit, key: '' } }, '/activities/0/limit/key OUT_OF_RANGE'],
    ['a key that is a number', { limit: { ...limit, key: 3 } }, '/activities/0/limit/key WRONG_TYPE'],
    [
      'a rate of none',
      { limit: { key: 'api', rate: { limit: 0, per: '1s' } } },
      '/activities/0/limit/rate/limit OUT_OF_RANGE',
    ],
    [
      'a period that is none',
      { limit: { key: 'api', rate: { limit: 1, per: '0s' } } },
      '/activities/0/limit/rate/per OUT_OF_RANGE',
    ],
    [
      'a period that is no duration',
      { limit: { key: 'api', rate: { limit: 1, per: 'minute' } } },
      '/activities/0/limit/rate/per INVALID_DURATION',
    ],
    ['a lock without a name', { lock: { waitMs: 3 } }, '/activities/0/lock MISSING_FIELD'],
    [
      'a lock that waits less than nothing',
      { lock: { name: 'f', waitMs: -1 } },
      '/activities/0/lock/waitMs OUT_OF_RANGE',
    ],
    ['an unknown member of a lock', { lock: { name: 'f', wait: 3 } }, '/activities/0/lock/wait UNKNOWN_FIELD'],
    ['a lock of two names', { lock: { name: 'f', $expr: 'input' } }, '/activities/0/lock MALFORMED_EXPRESSION'],
    [
      'a breaker of no failures',
      { breaker: { ...breaker, failures: 0 } },
      '/activities/0/breaker/failures OUT_OF_RANGE',
    ],
    ['a breaker without a window', { breaker: { failures: 3, openFor: '1s' } }, '/activities/0/breaker MISSING_FIELD'],
    [
      'another way to be open',
      { breaker: { ...breaker, whenOpen: 'skip' } },
      '/activities/0/breaker/whenOpen VALUE_NOT_ALLOWED',
    ],
    ['no time between heartbeats', { heartbeatTimeout: 0 }, '/activities/0/heartbeatTimeout OUT_OF_RANGE'],
    ['an expression that cannot be read', { lock: { $expr: 'input.' } }, '/activities/0/lock INVALID_EXPRESSION'],
    [
      'an expression that names nothing',
      { limit: { ...limit, key: { $expr: 'steps.b.output' } } },
      '/activities/0/limit/key UNKNOWN_STEP',
    ],
    [
      'a limit on what runs at once',
      { type: 'log', inputs: { message: 'm' }, limit },
      '/activities/0/limit POLICY_NOT_SUPPORTED',
    ],
    [
      'heartbeats inside a transaction',
      { type: 'book', heartbeatTimeout: '1s' },
      '/activities/0/heartbeatTimeout POLICY_NOT_SUPPORTED',
    ],
    [
      'a lock on a container',
      { type: 'for-each', inputs: { items: [] }, body: { activities: [{ id: 'b', type: 'call' }] }, lock: 'f' },
      '/activities/0/lock POLICY_NOT_SUPPORTED',
    ],
  ])('are refused: %s', (_, activity, problem) => {
    expect(problems(activity)).toEqual([problem])
  })

  it('of a transaction may limit and lock it', () => {
    expect(problems({ type: 'book', limit, lock: 'file', breaker })).toEqual([])
  })
})
