// Documents that the fault tests publish.
const note = (id, value) => ({ id, type: 'note', inputs: { value } })
const expr = ($expr) => ({ $expr })
const ledger = (id, inputs = {}) => ({ id, type: 'ledger', effect: 'transactional', inputs })

export const graphDocuments = [
  {
    id: 'scripted-graph-child',
    name: 'Child',
    activities: [
      note('double', expr('input.n * 2')),
      { id: 'out', type: 'set-output', inputs: { name: 'doubled', value: expr('steps.double.output') } },
    ],
    connections: [{ from: 'double', to: 'out' }],
  },
  {
    id: 'scripted-graph',
    name: 'Everything',
    variables: { sum: { type: 'number', default: 0 }, caught: { type: 'string', default: 'no' } },
    activities: [
      { id: 'big', type: 'if', inputs: { condition: expr('input.n > 10') } },
      note('small', 'small'),
      note('large', 'large'),
      {
        id: 'each',
        type: 'for-each',
        inputs: { items: [1, 2, 3] },
        body: {
          activities: [
            note('mark', expr('item')),
            { id: 'add', type: 'set-variable', inputs: { name: 'sum', value: expr('vars.sum + item') } },
          ],
          connections: [{ from: 'mark', to: 'add' }],
        },
      },
      {
        id: 'both',
        type: 'parallel',
        branches: [
          {
            activities: [note('left', 'left'), { id: 'pause', type: 'delay', inputs: { duration: '25ms' } }],
            connections: [{ from: 'left', to: 'pause' }],
          },
          { activities: [note('right', 'right')] },
        ],
      },
      { id: 'late', type: 'wait-for-event', inputs: { event: 'never', timeout: '40ms' } },
      {
        id: 'guard',
        type: 'try',
        body: { activities: [{ id: 'break', type: 'fault', inputs: { message: 'on purpose', code: 'ON_PURPOSE' } }] },
        catch: {
          activities: [{ id: 'mend', type: 'set-variable', inputs: { name: 'caught', value: expr('error.code') } }],
        },
      },
      { id: 'ask', type: 'wait-for-event', inputs: { event: 'go' } },
      {
        id: 'kid',
        type: 'run-workflow',
        inputs: { definitionId: 'scripted-graph-child', input: { n: expr('input.n') } },
      },
      { id: 'charge', type: 'note-once', effect: 'atMostOnce', inputs: { value: 'charged' } },
      { id: 'again', type: 'wait-for-event', inputs: { event: 'again' } },
      note('last', 'last'),
      {
        id: 'out',
        type: 'set-output',
        inputs: {
          name: 'all',
          value: {
            sum: expr('vars.sum'),
            caught: expr('vars.caught'),
            answer: expr('steps.ask.output'),
            doubled: expr('steps.kid.output.doubled'),
            charged: expr('steps.charge.output'),
            again: expr('steps.again.output'),
          },
        },
      },
    ],
    connections: [
      { from: 'big', outcome: 'false', to: 'small' },
      { from: 'big', outcome: 'true', to: 'large' },
      { from: 'small', to: 'each' },
      { from: 'large', to: 'each' },
      { from: 'each', to: 'both' },
      { from: 'both', to: 'late' },
      { from: 'late', outcome: 'timeout', to: 'guard' },
      { from: 'guard', outcome: 'caught', to: 'ask' },
      { from: 'ask', to: 'kid' },
      { from: 'kid', to: 'charge' },
      { from: 'charge', to: 'again' },
      { from: 'again', to: 'last' },
      { from: 'last', to: 'out' },
    ],
  },
  {
    id: 'ledger-graph',
    name: 'Transactions',
    activities: [
      ledger('book'),
      {
        id: 'both',
        type: 'parallel',
        branches: [
          {
            activities: [ledger('left'), { id: 'pause', type: 'delay', inputs: { duration: '25ms' } }],
            connections: [{ from: 'left', to: 'pause' }],
          },
          { activities: [note('beside', 'beside'), ledger('right')], connections: [{ from: 'beside', to: 'right' }] },
        ],
      },
      { ...ledger('flaky', { failFirst: true }), retry: { attempts: 3, backoff: { initial: '10ms' } } },
      { id: 'ask', type: 'wait-for-event', inputs: { event: 'go' } },
      ledger('settle'),
      { id: 'out', type: 'set-output', inputs: { name: 'last', value: expr('steps.settle.output') } },
    ],
    connections: [
      { from: 'book', to: 'both' },
      { from: 'both', to: 'flaky' },
      { from: 'flaky', to: 'ask' },
      { from: 'ask', to: 'settle' },
      { from: 'settle', to: 'out' },
    ],
  },
]
