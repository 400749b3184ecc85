import type { Json } from '@lockstep/base'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { builtInCatalogue } from '../../activity/built-in.ts'
import { compileExpression } from '../../expression/expression.ts'
import type { GraphBody } from '../../graph/document.ts'
import { expressionParser } from '../../graph/parse-expression.ts'
import { validateDocument } from '../../graph/validate-document.ts'
import { validateStructure } from '../../graph/validate-structure.ts'
import { eachScope } from '../each-activity.ts'
import { definition, elsa, flowchart, inLanguage, link, literal, script, sequence, writes } from './elsa.fixture.ts'
import { fromElsa } from './from-elsa.ts'

const problems = (document: unknown) =>
  validateDocument(document, builtInCatalogue(), { parseExpression: expressionParser(compileExpression) }).filter(
    ({ severity }) => severity === 'error',
  )
/** Without layout, which every activity has. */
const convert = (root: Json, more = {}) => {
  const { document, report } = fromElsa(definition(root, more))
  const plain = JSON.parse(JSON.stringify(document), (key, value) => (key === 'layout' ? undefined : value))
  return {
    ...plain,
    notes: report.notes.map(({ kind, elsaType, pointer }) => `${kind} ${elsaType} ${pointer.slice(1)}`),
    report,
    document,
  }
}
const arrows = ({ connections = [] }: { connections?: { from: string; outcome?: string; to: string }[] }) =>
  connections.map(({ from, outcome, to }) => `${from}${outcome === undefined ? '' : `.${outcome}`}>${to}`)

describe('the workflow', () => {
  it('keeps its name, variables, input and output', () => {
    const { document, report } = fromElsa(definition(sequence(writes('a'))))
    expect(document).toEqual({
      id: '7a3b-order',
      name: 'Order',
      input: { type: 'object', properties: { Amount: { type: 'number', description: 'How much' } } },
      output: { type: 'object', properties: { Result: {} } },
      variables: { Total: { type: 'integer', default: 5 }, customer_name: { type: 'string' } },
      activities: [{ id: 'a', type: 'log', layout: { position: { x: 10, y: 20 } }, inputs: { message: 'hello' } }],
    })
    expect(report).toEqual({ complete: true, activityCount: 2, mappedCount: 2, notes: [] })
    expect(problems(document)).toEqual([])
  })

  it.each<readonly [string, Json]>([
    ['nothing', null],
    ['a list', []],
    ['no root', { definitionId: 'x' }],
    ['a root that is text', { root: 'x' }],
    ['an Elsa 2 definition', { definitionId: 'x', activities: [], connections: [] }],
    ['a prototype', JSON.parse('{"root":{"type":"Elsa.Sequence","__proto__":{}}}')],
    ['depth', JSON.parse(`${'{"root":'.repeat(1_000)}1${'}'.repeat(1_000)}`)],
  ])('that is none is said to be none: %s', (_, json) => {
    const { document, report } = fromElsa(json)
    expect(report.notes).toHaveLength(1)
    expect(document.activities).toEqual([])
    expect(validateStructure(document)).toEqual([])
  })
})

describe('control flow', () => {
  it('a type whose name is endless is not mapped, and nobody waits for that', () => {
    const type = `Elsa.${'`'.repeat(1_000_000)}\n`
    expect(convert(sequence({ ...writes('a'), type })).report.mappedCount).toBe(1)
  })

  it('a sequence is a chain, and a nested one goes on in it', () => {
    const { activities, ...rest } = convert(
      sequence(
        writes('a'),
        elsa('Sequence', 's', { activities: [writes('b'), writes('c')] }),
        elsa('Sequence', 'none', { activities: [] }),
        writes('d'),
      ),
    )
    expect(activities.map(({ id }: { id: string }) => id)).toEqual(['a', 'b', 'c', 'd'])
    expect(arrows(rest).sort()).toEqual(['a>b', 'b>c', 'c>d'])
  })

  it('an if with nested activities comes together behind them', () => {
    const branching = elsa('If', 'i', {
      condition: script('getVariable("Total") > 3'),
      then: sequence(writes('yes')),
      else: null,
    })
    const result = convert(sequence(branching, writes('end')))
    expect(result.activities[0]).toMatchObject({ type: 'if', inputs: { condition: { $expr: 'vars.Total > 3' } } })
    expect(arrows(result)).toEqual(['i.true>yes', 'yes>end', 'i.false>end'])
    expect(problems(result.document)).toEqual([])
  })

  it('a flowchart keeps its connections and ports', () => {
    const result = convert(
      flowchart(
        [
          elsa('Start', 'go'),
          elsa('FlowDecision', 'ask', { condition: literal(true, 'Boolean') }),
          writes('yes'),
          writes('no'),
          elsa('FlowJoin', 'meet', { mode: literal('WaitAny') }),
          writes('last'),
          elsa('End', 'end'),
          writes('orphan'),
        ],
        [
          link('go', 'ask'),
          link('ask', 'yes', 'True'),
          link('ask', 'no', 'False'),
          link('yes', 'meet'),
          link('no', 'meet'),
          link('meet', 'last'),
          link('last', 'end'),
          link('ghost', 'yes'),
        ],
      ),
    )
    expect(arrows(result)).toEqual(['ask.true>yes', 'ask.false>no', 'yes>last', 'no>last'])
    expect(result.activities.find(({ id }: { id: string }) => id === 'last').join).toBe('any')
    expect(result.notes).toEqual(['not-mapped Elsa.WriteLine root/activities/7'])
    expect(problems(result.document)).toEqual([])
  })

  it('a fork in a flowchart leads to all that follow it, however many empty nodes there are, even in a ring', () => {
    const result = convert(
      flowchart(
        [writes('a'), elsa('FlowFork', 'f'), elsa('FlowFork', 'g'), writes('b'), writes('c')],
        [link('a', 'f'), link('f', 'b', 'One'), link('f', 'g', 'Two'), link('g', 'c'), link('g', 'f')],
      ),
    )
    expect(arrows(result)).toEqual(['a>b', 'a>c'])
  })

  it('connections of older documents are read too', () => {
    expect(
      arrows(
        convert(
          flowchart([writes('a'), writes('b')], [{ source: 'a', target: 'b', sourcePort: 'Done', targetPort: 'In' }]),
        ),
      ),
    ).toEqual(['a>b'])
  })

  it('loops, forks and their bodies', () => {
    const result = convert(
      sequence(
        elsa('ForEach', 'each', {
          items: script('getInput("list")'),
          currentValue: { typeName: 'Object', memoryReference: { id: 'var-2' } },
          body: sequence(elsa('WriteLine', 'w', { text: script('getVariable("CurrentValue")') })),
        }),
        elsa('ParallelForEach', 'all', { items: literal([1, 2], 'Object'), body: writes('p') }),
        elsa('While', 'loop', { condition: script('variables.Total < 10'), body: elsa('Break', 'out') }),
        elsa('For', 'count', {
          start: literal('0', 'Int32'),
          end: literal('9', 'Int32'),
          step: literal('1', 'Int32'),
          outerBoundInclusive: literal('false', 'Boolean'),
          body: writes('n'),
        }),
        elsa('Fork', 'fork', {
          branches: [writes('one'), sequence(writes('two'), writes('three'))],
          joinMode: literal('WaitAny'),
        }),
      ),
    )
    expect(result.activities).toEqual([
      {
        id: 'each',
        type: 'for-each',
        inputs: { items: { $expr: 'input.list' } },
        body: {
          activities: [
            { id: 'each_current', type: 'set-variable', inputs: { name: 'customer_name', value: { $expr: 'item' } } },
            { id: 'w', type: 'log', inputs: { message: { $expr: 'item' } } },
          ],
          connections: [{ from: 'each_current', to: 'w' }],
        },
      },
      {
        id: 'all',
        type: 'for-each',
        inputs: { items: [1, 2], concurrency: 10_000 },
        body: { activities: [expect.objectContaining({ id: 'p' })] },
      },
      {
        id: 'loop',
        type: 'while',
        inputs: { condition: { $expr: 'vars.Total < 10' } },
        body: { activities: [{ id: 'out', type: 'break' }] },
      },
      {
        id: 'count',
        type: 'for',
        inputs: { start: 0, end: 9, step: 1, inclusive: false },
        body: { activities: [expect.objectContaining({ id: 'n' })] },
      },
      {
        id: 'fork',
        type: 'parallel',
        inputs: { join: 'any' },
        branches: [
          { activities: [expect.objectContaining({ id: 'one' })] },
          {
            activities: [expect.objectContaining({ id: 'two' }), expect.objectContaining({ id: 'three' })],
            connections: [{ from: 'two', to: 'three' }],
          },
        ],
      },
    ])
    expect(result.notes).toEqual([])
  })

  it('a switch leaves through its labels', () => {
    const cases = [
      { label: 'Big', condition: { type: 'JavaScript', value: 'getInput("Amount") > 100' }, activity: writes('big') },
      { label: 'Odd', condition: { type: 'Literal', value: false } },
    ]
    const result = convert(
      sequence(elsa('Switch', 's', { cases, default: writes('other'), mode: literal('MatchAny') }), writes('end')),
    )
    expect(result.activities[0]).toMatchObject({
      type: 'switch',
      inputs: {
        cases: [
          { outcome: 'Big', condition: { $expr: 'input.Amount > 100' } },
          { outcome: 'Odd', condition: false },
        ],
        mode: 'all',
      },
    })
    expect(arrows(result)).toEqual(['s.Big>big', 's.default>other', 'big>end', 's.Odd>end', 'other>end'])
    expect(result.notes).toEqual([])
    expect(problems(result.document)).toEqual([])
    const flow = convert(
      flowchart(
        [elsa('FlowSwitch', 's', { cases }), writes('x'), writes('y')],
        [link('s', 'x', 'Odd'), link('s', 'y', 'Default')],
      ),
    )
    expect(arrows(flow)).toContain('s.Odd>x')
    expect(arrows(flow)).toContain('s.default>y')
  })

  it('nothing follows what ends, and what is behind it is left out: it would start with the workflow', () => {
    const ids = ({ activities }: { activities: { id: string }[] }) => activities.map(({ id }) => id)
    const chain = convert(sequence(writes('a'), elsa('Finish', 'f'), writes('b')))
    expect([ids(chain), arrows(chain), chain.notes]).toEqual([
      ['a', 'f'],
      ['a>f'],
      ['not-mapped Elsa.WriteLine root/activities/2'],
    ])
    const chart = convert(
      flowchart(
        [elsa('Fault', 'f', { message: literal('no') }), writes('b'), writes('c')],
        [link('f', 'b'), link('b', 'c')],
      ),
    )
    expect([ids(chart), chart.notes]).toEqual([
      ['f'],
      ['not-mapped Elsa.WriteLine root/activities/1', 'not-mapped Elsa.WriteLine root/activities/2'],
    ])
    const both = elsa('If', 'i', { condition: literal(true), then: elsa('Finish', 'x'), else: elsa('Finish', 'y') })
    expect(ids(convert(sequence(both, writes('z'))))).toEqual(['i', 'x', 'y'])
  })

  it('a flowchart that comes back to its start gets a step before it', () => {
    const result = convert(flowchart([writes('a'), writes('b')], [link('a', 'b'), link('b', 'a')], { start: 'a' }))
    expect(arrows(result)).toEqual(['a>b', 'b>a', 'start>a'])
    expect(problems(result.document)).toEqual([])
  })
})

describe('hostile charts', () => {
  it('of empty nodes that double the ways at each step are gone through once', () => {
    const forks = Array.from({ length: 2_000 }, (_, n) => elsa('FlowFork', `f${n}`))
    const ways = forks.flatMap((_, n) => [link(`f${n}`, `f${n + 1}`, 'A'), link(`f${n}`, `f${n + 1}`, 'B')])
    const result = convert(flowchart([...forks, writes('f2000')], ways))
    expect(result.activities).toHaveLength(1)
  })

  it('with more activities than a workflow can have are refused', () => {
    const { document, report } = fromElsa(
      definition(sequence(...Array.from({ length: 6_000 }, (_, n) => writes(`a${n}`)))),
    )
    expect(document.activities).toEqual([])
    expect(report.notes[0]!.reason).toContain('more than 5000')
  })
})

describe('activities', () => {
  const starts = { customProperties: { canStartWorkflow: true } }
  it.each<readonly [string, Json, string, Json | undefined]>([
    [
      'Delay',
      elsa('Delay', 'x', { timeSpan: literal('1.02:00:00.5', 'TimeSpan') }),
      'delay',
      { duration: '93600500ms' },
    ],
    [
      'Timer that starts',
      elsa('Timer', 'x', { interval: literal('00:05:00'), ...starts }),
      'interval',
      { interval: '300000ms' },
    ],
    ['Timer in between', elsa('Timer', 'x', { interval: literal('00:05:00') }), 'delay', { duration: '300000ms' }],
    [
      'Cron',
      elsa('Cron', 'x', { cronExpression: literal('0 0 * * *'), canStartWorkflow: true }),
      'cron',
      { cron: '0 0 * * *' },
    ],
    [
      'StartAt',
      elsa('StartAt', 'x', { dateTime: literal('2030-01-01T00:00:00Z') }),
      'wait-until',
      { at: '2030-01-01T00:00:00Z' },
    ],
    ['Event that starts', elsa('Event', 'x', { eventName: literal('paid'), ...starts }), 'event', { event: 'paid' }],
    ['Event in between', elsa('Event', 'x', { eventName: literal('paid') }), 'wait-for-event', { event: 'paid' }],
    [
      'PublishEvent',
      elsa('PublishEvent', 'x', { eventName: literal('paid'), payload: inLanguage('Object', '{"n":1}') }),
      'publish-event',
      { event: 'paid', payload: { n: 1 } },
    ],
    [
      'DispatchWorkflow',
      elsa('DispatchWorkflow', 'x', {
        workflowDefinitionId: literal('7A3B-Other'),
        waitForCompletion: literal('true', 'Boolean'),
        correlationId: script('getCorrelationId()'),
      }),
      'run-workflow',
      { definitionId: '7a3b-other', wait: true, correlationId: { $expr: 'correlationId' } },
    ],
    [
      'ExecuteWorkflow',
      elsa('ExecuteWorkflow', 'x', {
        workflowDefinitionId: literal('child'),
        input: inLanguage('Variable', { id: 'var-1', name: 'Total' }),
      }),
      'run-workflow',
      { definitionId: 'child', input: { $expr: 'vars.Total' }, wait: true },
    ],
    [
      'HttpEndpoint',
      elsa('HttpEndpoint', 'x', {
        path: literal('orders/{id}'),
        supportedMethods: inLanguage('Object', '["POST"]'),
        requestTimeout: literal('00:00:20', 'TimeSpan'),
        requestSizeLimit: literal('2048', 'Int64'),
        ...starts,
      }),
      'http-endpoint',
      { path: 'orders/{id}', methods: ['POST'], timeout: '20000ms', maxBytes: 2_048 },
    ],
    [
      'HttpEndpoint without limits',
      elsa('HttpEndpoint', 'x', {
        path: literal('orders'),
        requestTimeout: literal(null, 'TimeSpan'),
        requestSizeLimit: literal('', 'Int64'),
        ...starts,
      }),
      'http-endpoint',
      { path: 'orders' },
    ],
    [
      'FlowSendHttpRequest',
      elsa('FlowSendHttpRequest', 'x', {
        url: literal('https://example.org'),
        expectedStatusCodes: inLanguage('Object', '[200, 404]'),
      }),
      'http-request',
      { method: 'GET', url: 'https://example.org', expectedStatus: [200, 404] },
    ],
    [
      'SendEmail',
      elsa('SendEmail', 'x', {
        from: literal('shop@example.org'),
        to: inLanguage('Object', '["ann@example.org"]'),
        cc: inLanguage('Object', '[]'),
        subject: literal('Order'),
        body: literal('<p>Thanks</p>'),
      }),
      'send-email',
      { from: 'shop@example.org', to: ['ann@example.org'], subject: 'Order', html: '<p>Thanks</p>' },
    ],
    [
      'RunJavaScript',
      elsa('RunJavaScript', 'x', {
        script: literal("const n = getInput('Amount'); setVariable('customer name', 'Ann'); setTotal(n + 1); return n"),
      }),
      'script',
      {
        code: 'const n = input.Amount; setVariable("customer_name", \'Ann\'); setVariable("Total", n + 1); return n',
      },
    ],
    [
      'SendHttpRequest',
      elsa('SendHttpRequest', 'x', {
        url: literal('https://example.org'),
        method: literal('PUT'),
        content: inLanguage('Input', { name: 'Amount' }),
      }),
      'http-request',
      { method: 'PUT', url: 'https://example.org', body: { $expr: 'input.Amount' } },
    ],
    [
      'WriteHttpResponse',
      elsa('WriteHttpResponse', 'x', { statusCode: literal('201', 'Int32'), content: literal('ok') }),
      'http-response',
      { status: 201, body: 'ok' },
    ],
    ['Finish', elsa('Finish', 'x'), 'finish', undefined],
    [
      'Fault',
      elsa('Fault', 'x', { message: literal('no'), code: literal('E1') }),
      'fault',
      { message: 'no', code: 'E1' },
    ],
    [
      'SetOutput',
      elsa('SetOutput', 'x', { outputName: literal('Result'), outputValue: literal('1') }),
      'set-output',
      { name: 'Result', value: '1' },
    ],
    [
      'RunTask',
      elsa('RunTask', 'x', { taskName: literal('Ship'), payload: inLanguage('Json', '[1]') }),
      'run-task',
      { task: 'Ship', payload: [1] },
    ],
    ['Correlate', elsa('Correlate', 'x', { correlationId: literal('c') }), 'correlate', { correlationId: 'c' }],
    [
      'SetVariable',
      elsa('SetVariable', 'x', { variable: { id: 'var-1', name: 'Total' }, value: literal('7', 'Int32') }),
      'set-variable',
      { name: 'Total', value: 7 },
    ],
    [
      'SetVariable by reference',
      elsa('SetVariable', 'x', { variable: { memoryReference: { id: 'var-2' } }, value: literal('7') }),
      'set-variable',
      { name: 'customer_name', value: '7' },
    ],
  ])('%s', (_, activity, type, inputs) => {
    const { activities, notes, document } = convert(flowchart([activity], []))
    expect(activities).toEqual([{ id: 'x', type, ...(inputs !== undefined && { inputs }) }])
    expect(notes).toEqual([])
    expect(problems(document)).toEqual([])
  })

  it.each<readonly [string, Json, string, Json, string]>([
    [
      'BulkDispatchWorkflows',
      elsa('BulkDispatchWorkflows', 'x', {
        workflowDefinitionId: literal('Child'),
        items: script('getInput("list")'),
        input: inLanguage('Object', '{"shop":1}'),
      }),
      'bulk-run',
      { definitionId: 'child', items: { $expr: 'input.list' } },
      'no counterpart for input',
    ],
    [
      'SqlQuery',
      elsa('SqlQuery', 'x', { client: literal('SqlServer'), query: literal('select 1') }),
      'sql-query',
      { query: 'select 1' },
      'no counterpart for client',
    ],
    [
      'RunJavaScript without return',
      elsa('RunJavaScript', 'x', { script: literal("setOutcome('big')") }),
      'script',
      { code: "setOutcome('big')" },
      'what it returns',
    ],
  ])('%s, with a difference', (_, activity, type, inputs, reason) => {
    const { activities, report, document } = convert(flowchart([activity], []))
    expect(activities).toEqual([{ id: 'x', type, inputs }])
    expect(report.notes.map(({ kind }: { kind: string }) => kind)).not.toContain('not-mapped')
    expect(report.notes.map((note: { reason: string }) => note.reason).join()).toContain(reason)
    expect(problems(document)).toEqual([])
  })

  it.each([
    ['a function of Elsa', 'return newGuid()'],
    ['an assignment that Elsa watches', 'variables.Total = 3'],
    ['a variable that is not there', "setVariable('ghost', 1)"],
    ['what is no JavaScript', 'return ('],
  ])('a script with %s is for a person', (_, code) => {
    const { activities, notes } = convert(sequence(elsa('RunJavaScript', 'x', { script: literal(code) })))
    expect(activities[0].type).toBe('elsa-run-java-script')
    expect(notes).toEqual(['not-mapped Elsa.RunJavaScript root/activities/0'])
  })

  it('what must stand in the document is said where it is computed', () => {
    const endpoint = elsa('HttpEndpoint', 'x', { path: script('getTotal()'), ...starts })
    const { notes, document } = convert(flowchart([endpoint], []))
    expect(notes).toEqual(['not-mapped Expression root/activities/0/path'])
    expect(problems(document)).not.toEqual([])
  })

  it('a result that goes into a variable goes there by a step', () => {
    const result = convert(
      sequence(
        elsa('Event', 'wait', {
          eventName: literal('paid'),
          result: { typeName: 'Object', memoryReference: { id: 'var-1' } },
        }),
        writes('end'),
      ),
    )
    expect(result.activities[1]).toEqual({
      id: 'wait_result',
      type: 'set-variable',
      inputs: { name: 'Total', value: { $expr: 'steps.wait.output' } },
    })
    expect(arrows(result)).toEqual(['wait>wait_result', 'wait_result>end'])
    expect(problems(result.document)).toEqual([])
  })

  it('says which types the engine does not have, once each', () => {
    const root = sequence(elsa('Correlate', 'f'), elsa('Correlate', 'g'), writes('w'))
    const onlyLog = {
      get: (type: string) => (type === 'log' ? builtInCatalogue().get(type) : undefined),
      types: () => [],
    }
    expect(fromElsa(definition(root), onlyLog).report.notes).toMatchObject([
      {
        kind: 'missing-type',
        elsaType: 'Elsa.Correlate',
        activityId: 'f',
        reason: expect.stringContaining('"correlate"'),
      },
    ])
    expect(fromElsa(definition(root)).report.notes).toEqual([])
  })

  it('what has no counterpart is a placeholder that cannot be published', () => {
    const result = convert(
      sequence(
        elsa('RunCSharp', 'code', { script: literal('1+1') }),
        elsa('Cron', 'tick', { cronExpression: literal('* * * * *') }),
        writes('end'),
      ),
    )
    expect(result.activities[0]).toEqual({ id: 'code', type: 'elsa-run-csharp', inputs: { script: '1+1' } })
    expect(result.notes).toEqual([
      'not-mapped Elsa.RunCSharp root/activities/0',
      'not-mapped Elsa.Cron root/activities/1',
    ])
    expect(result.report.notes[0]).toMatchObject({
      activityId: 'code',
      suggestion: expect.stringContaining('elsa-run-csharp'),
    })
    expect(problems(result.document).map(({ code }) => code)).toEqual([
      'UNKNOWN_ACTIVITY_TYPE',
      'UNKNOWN_ACTIVITY_TYPE',
    ])
    expect(arrows(result)).toEqual(['code>tick', 'tick>end'])
  })

  it('says what an activity loses', () => {
    const lossy = elsa('SendHttpRequest', 'x', {
      url: literal('u'),
      authorization: literal('Bearer x'),
      contentType: literal(''),
      parsedContent: { memoryReference: { id: 'var-1' } },
    })
    expect(fromElsa(definition(lossy)).report.notes[0]).toMatchObject({
      kind: 'partly',
      reason: '"http-request" has no counterpart for authorization, parsedContent',
    })
  })

  it('names that clash or cannot be ids become ids of their own', () => {
    const odd = [
      elsa('WriteLine', 'x', { name: '1 wörd', text: literal('a') }),
      elsa('WriteLine', 'y', { name: '1 wörd', text: literal('b') }),
      elsa('WriteLine', 'z', { name: null, id: '__proto__', text: literal('c') }),
    ]
    const { document } = convert(sequence(...odd))
    expect(validateStructure(document)).toEqual([])
    expect(new Set(document.activities.map(({ id }: { id: string }) => id)).size).toBe(3)
  })
})

describe('expressions', () => {
  const value = (expression: Json) => {
    const { activities, notes } = convert(
      sequence(elsa('WriteLine', 'Before Me', { text: literal('') }), elsa('WriteLine', 'x', { text: expression })),
    )
    return { message: activities[1].inputs.message, notes }
  }

  it.each([
    ['getVariable("Total")', 'vars.Total'],
    ["getVariable('customer name')", 'vars.customer_name'],
    ['variables.Total', 'vars.Total'],
    ['getTotal()', 'vars.Total'],
    ['return getTotal() + 1;', 'vars.Total + 1'],
    ['getInput("Amount")', 'input.Amount'],
    ['getInput("two words")', 'input["two words"]'],
    [
      'getInput("order").lines[0].price >= 10 && !getVariable("Total")',
      'input.order.lines[0].price >= 10 && !vars.Total',
    ],
    ['getCorrelationId()', 'correlationId'],
    ['getOutputFrom("Before Me")', 'steps.Before_Me.output'],
    ['getVariable("Total") === "a(b)" ? \'x\' : null', 'vars.Total === "a(b)" ? \'x\' : null'],
    ['true', 'true'],
    ['getTotal() == "getTotal()"', 'vars.Total == "getTotal()"'],
  ])('%s is read', (source, expected) => {
    expect(value(script(source))).toEqual({ message: { $expr: expected }, notes: [] })
  })

  it.each([
    'setVariable("Total", 1)',
    'getVariable("Unknown")',
    'getOutputFrom("Nobody")',
    'getUnknown()',
    'fetch("http://example.org")',
    'getInput("x").toUpperCase()',
    'process.env.SECRET',
    'globalThis',
    'this',
    '(() => 1)()',
    'x = 1',
    'getTotal() + ++y',
    'getTotal(); getTotal()',
    '`a ' + '$' + '{getTotal()}`',
    'constructor',
    'new Date()',
    '[].constructor.constructor("return 1")()',
    '/* */ evil',
    '$0',
    'getTotal() // 1',
    '1getTotal()',
    'mygetTotal()',
    'a.getTotal()',
    'getInput("x").getTotal()',
    'getInput("x").variables.Total + (1)()',
  ])('%s is left to a person', (source) => {
    const { message, notes } = value(script(source))
    expect(notes).toEqual(['not-mapped JavaScript root/activities/1/text/expression'])
    expect(() => compileExpression(message.$expr)).toThrow()
    expect(message.$expr).toContain('JavaScript')
  })

  it.each([
    ['Liquid', '{{ Variables.Total */ 1 }}'],
    ['CSharp', 'Variables.Total'],
    ['Python', '1'],
    ['Variable', 'Nobody'],
    ['Object', '{not json'],
    ['Literal', { $expr: 'input' }],
  ])('%s is left to a person', (language, source) => {
    const { message, notes } = value(inLanguage(language, source))
    expect(notes).toEqual([`not-mapped ${language} root/activities/1/text/expression`])
    expect(() => compileExpression(message.$expr)).toThrow()
  })
})

const startsOf = ({ activities, connections = [] }: GraphBody) =>
  activities.filter(({ id }) => !connections.some(({ to }) => to === id))

describe('any JSON at all', () => {
  const types = [
    'Sequence',
    'Flowchart',
    'If',
    'Switch',
    'While',
    'For',
    'ForEach',
    'ParallelForEach',
    'Fork',
    'Parallel',
    'SetVariable',
    'WriteLine',
    'Event',
    'Cron',
    'Nope',
    'Start',
    'FlowJoin',
  ]
  const { activity } = fc.letrec<{ activity: Json; value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<Json>,
      fc.record({
        typeName: fc.constantFrom('String', 'Int32'),
        expression: fc.record({
          type: fc.constantFrom('Literal', 'JavaScript', 'Object', 'Variable', 'Input', 'Liquid'),
          value: fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<Json>,
        }),
      }),
      fc.array(tie('activity'), { maxLength: 4 }),
      tie('activity'),
    ),
    activity: fc
      .tuple(
        fc.constantFrom(...types),
        fc.constantFrom('a', 'b', 'c', '1', ''),
        fc.dictionary(
          fc.constantFrom(
            'activities',
            'connections',
            'then',
            'else',
            'body',
            'cases',
            'default',
            'branches',
            'items',
            'condition',
            'variable',
            'variables',
            'text',
            'value',
            'eventName',
            'result',
            'name',
            'metadata',
            'customProperties',
            'start',
          ),
          tie('value'),
          { maxKeys: 5 },
        ),
      )
      .map(([type, id, members]) => ({ ...members, id, type: `Elsa.${type}` })),
  }))

  it('gives a document of the right shape, in which every graph starts at one activity, as in Elsa', () => {
    fc.assert(
      fc.property(activity, (root) => {
        const { document, report } = fromElsa({ definitionId: 'x', root }, builtInCatalogue())
        expect(validateStructure(document)).toEqual([])
        for (const { graph } of eachScope(document))
          expect(startsOf(graph)).toHaveLength(Math.min(1, graph.activities.length))
        for (const note of report.notes) expect(note.reason.length * note.suggestion.length).toBeGreaterThan(0)
      }),
      { numRuns: 1_000 },
    )
  })
})
