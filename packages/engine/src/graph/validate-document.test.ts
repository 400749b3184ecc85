import type { Json } from '@lockstep/base'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ExpressionInvalid } from '../expression/errors.ts'
import { badControlFlow } from './fixtures/bad-control-flow.fixture.ts'
import { badSemantics, doubtful } from './fixtures/bad-semantics.fixture.ts'
import { badStructure } from './fixtures/bad-structure.fixture.ts'
import { costOf } from './fixtures/cost.fixture.ts'
import { type BadDocument, body, doc, log, loop, reads, task } from './fixtures/document-builders.fixture.ts'
import { randomDocuments } from './fixtures/random-document.fixture.ts'
import { toyCatalogue, toyExpression } from './fixtures/toy-shell.fixture.ts'
import { expressionParser } from './parse-expression.ts'
import { validateDocument } from './validate-document.ts'

const parseExpression = expressionParser((source) => {
  if (source.endsWith('+'))
    throw new ExpressionInvalid({ expression: source, line: 1, column: 4, reason: 'it ends too early' })
  const names = source.match(/\b(steps(\.\w+)?|item|index|error)\b/g) ?? []
  return { ...toyExpression('null'), references: names }
})

const check = (document: unknown) => validateDocument(document, toyCatalogue, { parseExpression })
const found = (document: unknown) => check(document).map(({ pointer, code, severity }) => [pointer, code, severity])

describe('a valid document', () => {
  it('of the handbook has no problems', () => {
    expect(
      check({
        id: 'order-approval',
        name: 'Order approval',
        input: { type: 'object', properties: { amount: { type: 'number' } } },
        variables: { attempts: { type: 'number', default: 0 } },
        activities: [
          { id: 'big', type: 'if', inputs: { condition: { $expr: 'input.amount > 1000' } } },
          { id: 'ask', type: 'wait-for-event', inputs: { event: 'approved', timeout: '7d' } },
          { id: 'log', type: 'log', inputs: { message: { $expr: '"order of " + input.amount' } } },
        ],
        connections: [
          { from: 'big', outcome: 'true', to: 'ask' },
          { from: 'big', outcome: 'false', to: 'log' },
          { from: 'ask', to: 'log' },
        ],
      }),
    ).toEqual([])
  })

  it.each<[string, unknown]>([
    [
      'notes, layout and x- members',
      doc([task('a', { layout: { x: 1 }, notes: 'n', 'x-colour': 'red' })], [], { layout: {}, 'x-y': 1 }),
    ],
    [
      'every container',
      doc([
        loop(),
        { id: 'par', type: 'parallel', branches: [body(task('y'))] },
        { id: 'guard', type: 'try', body: body(task('z')), catch: body(task('c')) },
      ]),
    ],
    [
      'every policy',
      doc([
        task('a', {
          retry: { attempts: 3, backoff: { initial: '1s', factor: 2, max: 'PT1M' }, jitter: 0.1, nonRetryable: ['X'] },
          timeout: 500,
          effect: 'atMostOnce',
          onError: 'continue',
        }),
      ]),
    ],
    [
      'an activity that runs inside a transaction, which its document may say',
      doc([{ id: 'a', type: 'book', effect: 'transactional', retry: { attempts: 2 }, timeout: '5s' }]),
    ],
    ['one that does not say so', doc([{ id: 'a', type: 'book', onError: 'continue' }])],
    [
      'expressions in place of inputs',
      doc([{ id: 'd', type: 'delay', inputs: { duration: { $expr: 'input.wait' } } }]),
    ],
    [
      'an expression inside a list',
      doc([loop({ inputs: { items: [1, { $expr: 'input.x' }], concurrency: { $expr: 'input.n' } } })]),
    ],
    [
      'item inside a for-each and error inside a catch',
      doc([
        loop({ body: body(reads('x', 'item')) }),
        { id: 'guard', type: 'try', body: body(task('z')), catch: body(reads('c', 'error')) },
      ]),
    ],
    [
      'steps of the same turn and from before the loop',
      doc([task('a'), loop({ body: body(task('x'), reads('y', 'steps.x + steps.a')) })]),
    ],
    [
      'steps of a branch, after it',
      doc(
        [{ id: 'par', type: 'parallel', branches: [body(task('y'))] }, reads('z', 'steps.y')],
        [{ from: 'par', to: 'z' }],
      ),
    ],
    [
      'a switch with its cases connected',
      doc(
        [
          { id: 's', type: 'switch', inputs: { value: 1, cases: [{ outcome: 'one', equals: 1 }] }, onError: 'outcome' },
          task('a'),
        ],
        [
          { from: 's', outcome: 'one', to: 'a' },
          { from: 's', outcome: 'default', to: 'a' },
          { from: 's', outcome: 'failed', to: 'a' },
        ],
      ),
    ],
    [
      'a switch whose cases are only known when it runs',
      doc(
        [{ id: 's', type: 'switch', inputs: { cases: { $expr: 'input' } } }, task('a')],
        [{ from: 's', outcome: 'any-name', to: 'a' }],
      ),
    ],
    [
      'loops of every kind, left and continued, and read where they can be',
      doc(
        [
          loop({
            inputs: { items: [], collect: 'x' },
            body: body(reads('x', 'item + index'), { id: 'b', type: 'break' }),
          }),
          {
            id: 'f',
            type: 'for',
            inputs: { start: 3, end: { $expr: 'input.n' }, step: -1 },
            body: body(reads('y', 'item')),
          },
          {
            id: 'w',
            type: 'while',
            inputs: { condition: { $expr: 'index < 3' } },
            body: body(task('z'), { id: 'p', type: 'parallel', branches: [body({ id: 'c', type: 'continue' })] }),
          },
          reads('r', 'steps.z'),
        ],
        [{ from: 'w', to: 'r' }],
      ),
    ],
    [
      'a script that reads what it may, with any outcome',
      doc(
        [task('a'), { id: 's', type: 'script', inputs: { code: 'setOutcome("b"); return steps.a' } }, task('b')],
        [{ from: 's', outcome: 'b', to: 'b' }],
      ),
    ],
    [
      'a cycle with a start',
      doc(
        [task('a'), task('b')],
        [
          { from: 'a', to: 'b' },
          { from: 'b', outcome: 'again', to: 'b' },
        ],
      ),
    ],
    [
      'the outcome failed of a step that asks for it',
      doc([log({ onError: 'outcome' }), task('b')], [{ from: 'log', outcome: 'failed', to: 'b' }]),
    ],
    [
      'an if that goes on after a failure',
      doc(
        [{ id: 'i', type: 'if', inputs: { condition: true }, onError: 'continue' }, task('b')],
        [{ from: 'i', to: 'b' }],
      ),
    ],
    [
      'a variable set to a value of its type',
      doc([{ id: 'v', type: 'set-variable', inputs: { name: 'n', value: 2 } }], [], {
        variables: { n: { type: 'integer' } },
      }),
    ],
    ['a step called constructor', doc([task('constructor'), reads('toString', 'steps.constructor')])],
    ['a trigger that starts the work', doc([{ id: 'cron', type: 'tick' }, task('a')], [{ from: 'cron', to: 'a' }])],
  ])('may have %s', (_, document) => {
    expect(check(document)).toEqual([])
  })
})

const rows = (bad: readonly BadDocument[]) =>
  bad.map(([name, document, ...problems]) => [name, document, problems] as const)

describe('a document of the wrong shape', () => {
  it.each(rows(badStructure))('is refused: %s', (_, document, problems) => {
    expect(found(document)).toEqual(problems.map((entry) => [...entry, 'error']))
  })
})

describe('a document that makes no sense', () => {
  it.each(rows([...badSemantics, ...badControlFlow]))('is refused: %s', (_, document, problems) => {
    expect(found(document)).toEqual(problems.map((entry) => [...entry, 'error']))
  })

  it.each(rows(doubtful))('is doubtful: %s', (_, document, problems) => {
    expect(found(document)).toEqual(problems.map((entry) => [...entry, 'warning']))
  })
})

describe('the limits', () => {
  const nested = (levels: number): object =>
    levels === 0 ? task('x') : loop({ id: `l${levels}`, body: body(nested(levels - 1)) })

  it('allow 5,000 activities and no more', () => {
    const many = (count: number) => doc(Array.from({ length: count }, (_, n) => task(`a${n}`)))
    expect(check(many(5_000))).toEqual([])
    expect(found(many(5_001))).toEqual([['/activities', 'TOO_MANY_ACTIVITIES', 'error']])
  })

  it('allow 32 containers inside each other and no more', () => {
    expect(check(doc([nested(32)]))).toEqual([])
    expect(check(doc([nested(33)]))).toMatchObject([{ code: 'TOO_DEEP', severity: 'error' }])
  })

  it('stop at documents that would exhaust the stack', () => {
    let value: Json = 1
    for (let depth = 0; depth < 100_000; depth++) value = [value]
    expect(check(doc([task('a', { inputs: { value } })]))).toMatchObject([{ code: 'TOO_DEEP' }])
  })
})

describe('problems', () => {
  it('say what to do', () => {
    const texts = check(
      doc(
        [
          { id: 'a', type: 'dely' },
          log({ inputs: { mesage: 'm' } }),
          { id: 'i', type: 'if', inputs: { condition: 1 } },
        ],
        [{ from: 'i', outcome: 'maybe', to: 'a' }],
      ),
    ).map(({ text }) => text)
    expect(texts).toEqual([
      'No activity type is called "dely". Did you mean "delay"?',
      '"log" (log) needs input "message": add it',
      '"log" (log) has no input "mesage". Did you mean "message"?',
      '"i" (if) has no outcome "maybe": use one of true, false',
    ])
  })

  it('come in the order of the document', () => {
    const activities = Array.from({ length: 12 }, (_, n) => task(`a${n}`, { timeout: 'x' }))
    expect(check(doc(activities)).map(({ pointer }) => pointer)).toEqual(
      activities.map((_, n) => `/activities/${n}/timeout`),
    )
  })

  it('are the same list every time, and no document makes validation throw', () => {
    const broken = randomDocuments({ cycles: true }).chain((document) =>
      fc.tuple(fc.nat(), fc.jsonValue()).map(([pick, junk]) => damage(document as unknown as Json, pick, junk as Json)),
    )
    fc.assert(
      fc.property(broken, (document) => {
        expect(check(document)).toEqual(check(JSON.parse(JSON.stringify(document))))
      }),
      { numRuns: 300 },
    )
  })
})

describe('a document that is wrong in thousands of places', () => {
  const name = (n: number): string => `${'a'.repeat(50)}${String(n).padStart(6, '0')}`
  const activities = Array.from({ length: 3_000 }, (_, n) => task(name(n)))
  const connections = Array.from({ length: 3_000 }, (_, n) => ({ from: name(0), to: `${'a'.repeat(44)}zzzzzz${n}` }))

  it('is judged in bounded time, by its first thousand errors', () => {
    const judge = (): void => {
      const errors = check(doc(activities, connections)).filter(({ severity }) => severity === 'error')
      expect(errors).toHaveLength(1_000)
    }
    expect(costOf(judge)).toBeLessThan(200)
  })

  it('has its errors told whatever many warnings come before', () => {
    const lonely = Array.from({ length: 1_500 }, (_, n) => ({
      ...task(`w${n}`),
      type: 'run-workflow',
      inputs: { definitionId: 'd' },
    }))
    const told = check({
      ...doc([...lonely, { id: 'last', type: 'log', inputs: { message: { $expr: '1 +' } } }]),
      id: 'd',
    })
    expect(told.filter(({ severity }) => severity === 'warning')).toHaveLength(1_000)
    expect(told.some(({ severity, code }) => severity === 'error' && code === 'INVALID_EXPRESSION')).toBe(true)
  })
})

/** The document with one value somewhere in it replaced. */
function damage(document: Json, pick: number, junk: Json): Json {
  const places: { holder: Record<string, Json>; key: string }[] = []
  const copy: Json = JSON.parse(JSON.stringify(document))
  const visit = (value: Json): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, member] of Object.entries(value)) {
      places.push({ holder: value as Record<string, Json>, key })
      visit(member as Json)
    }
  }
  visit(copy)
  const place = places[pick % places.length]!
  place.holder[place.key] = junk
  return copy
}
