/** Five workflows that show what there is, with nothing outside of the node: what they would call is played by steps of their own. */
import type { Json } from '@lockstep/base'

const order = {
  id: 'sample-order',
  name: 'Order fulfilment',
  description: 'A saga: stock and money are taken, and given back in reverse order when the parcel cannot be sent.',
  input: {
    type: 'object',
    properties: {
      order: { type: 'string' },
      amount: { type: 'number', default: 42 },
      courier: { enum: ['ok', 'full'] },
      vatId: { type: 'string', default: 'DE 42' },
    },
    required: ['amount'],
  },
  variables: {
    reserved: { type: 'boolean', default: false },
    paid: { type: 'number', default: 0 },
    vatId: { type: 'string', default: '' },
  },
  activities: [
    {
      id: 'fulfil',
      type: 'try',
      name: 'Reserve, charge, ship',
      body: {
        activities: [
          {
            id: 'reserve',
            type: 'set-variable',
            inputs: { name: 'reserved', value: true },
            compensate: {
              activities: [{ id: 'release', type: 'set-variable', inputs: { name: 'reserved', value: false } }],
            },
          },
          {
            id: 'charge',
            type: 'set-variable',
            inputs: { name: 'paid', value: { $expr: 'input.amount' } },
            compensate: { activities: [{ id: 'refund', type: 'set-variable', inputs: { name: 'paid', value: 0 } }] },
          },
          {
            id: 'table',
            type: 'critical-section',
            name: 'There is one packing table',
            inputs: { lock: 'packing-table', ttl: '30s' },
            body: { activities: [{ id: 'pack', type: 'delay', inputs: { duration: '3s' } }] },
          },
          {
            id: 'ship',
            type: 'script',
            inputs: { code: "if (input.courier === 'full') throw new Error('no room in the van')\nreturn 'sent'" },
          },
        ],
        connections: [
          { from: 'reserve', to: 'charge' },
          { from: 'charge', to: 'table' },
          { from: 'table', to: 'ship' },
        ],
      },
      catch: {
        activities: [
          { id: 'undo', type: 'compensate' },
          { id: 'lost', type: 'set-output', inputs: { name: 'result', value: 'given back' } },
        ],
        connections: [{ from: 'undo', to: 'lost' }],
      },
    },
    { id: 'state', type: 'set-output', inputs: { name: 'paid', value: { $expr: 'vars.paid' } } },
    {
      id: 'invoice',
      type: 'script',
      name: 'Write the invoice',
      // Fails for good until somebody mends what is wrong: an incident, to be retried.
      inputs: {
        code: [
          "if (input.vatId === 'unknown' && vars.vatId === '')",
          "  throw new Error('Nobody knows the VAT id: set the variable vatId, and retry')",
          "return 'written'",
        ].join('\n'),
      },
    },
  ],
  connections: [
    { from: 'fulfil', to: 'state' },
    { from: 'state', to: 'invoice' },
  ],
}

const reminder = {
  id: 'sample-reminder',
  name: 'Reminder in 20 s',
  description: 'A durable timer: stop the node while it waits, and it fires when the node is back.',
  input: { type: 'object', properties: { text: { type: 'string', default: 'call Ada' } }, required: ['text'] },
  activities: [
    { id: 'wait', type: 'delay', name: 'Wait 20 s', inputs: { duration: '20s' } },
    { id: 'remind', type: 'log', inputs: { message: { $expr: "'reminder: ' + input.text" }, level: 'debug' } },
    { id: 'said', type: 'set-output', inputs: { name: 'said', value: { $expr: 'input.text' } } },
  ],
  connections: [
    { from: 'wait', to: 'remind' },
    { from: 'remind', to: 'said' },
  ],
}

const approval = {
  id: 'sample-approval',
  name: 'Approval',
  description: 'A person decides, in Studio or by a link that works once.',
  input: {
    type: 'object',
    properties: { who: { type: 'string', default: 'Ada' }, amount: { type: 'number', default: 42 } },
    required: ['who', 'amount'],
  },
  activities: [
    {
      id: 'ask',
      type: 'human-task',
      name: 'Somebody decides',
      inputs: {
        title: { $expr: "'May ' + input.who + ' spend ' + input.amount + ' euro?'" },
        outcomes: ['approve', 'reject'],
        form: { type: 'object', properties: { note: { type: 'string' } } },
        timeout: '30m',
      },
    },
    { id: 'yes', type: 'set-output', inputs: { name: 'approved', value: true } },
    { id: 'no', type: 'set-output', inputs: { name: 'approved', value: false } },
    { id: 'nobody', type: 'set-output', inputs: { name: 'approved', value: null } },
  ],
  connections: [
    { from: 'ask', outcome: 'approve', to: 'yes' },
    { from: 'ask', outcome: 'reject', to: 'no' },
    { from: 'ask', outcome: 'timeout', to: 'nobody' },
  ],
}

const flaky = {
  id: 'sample-flaky-api',
  name: 'Flaky API',
  description: 'A call that fails now and then: retries, and a breaker that opens when it fails too often.',
  input: { type: 'object', properties: { api: { enum: ['ok', 'down'] } }, required: ['api'] },
  activities: [
    {
      id: 'call',
      type: 'sample-call',
      name: 'Call the API',
      inputs: { api: { $expr: 'input.api' } },
      retry: { attempts: 3, backoff: { initial: '1s', max: '4s' } },
      breaker: { key: 'sample-api', failures: 4, window: '1m', openFor: '20s' },
      onError: 'outcome',
    },
    { id: 'answered', type: 'set-output', inputs: { name: 'result', value: 'answered' } },
    { id: 'gave-up', type: 'set-output', inputs: { name: 'result', value: 'gave up' } },
  ],
  connections: [
    { from: 'call', to: 'answered' },
    { from: 'call', outcome: 'failed', to: 'gave-up' },
  ],
}

const report = {
  id: 'sample-report',
  name: 'Report every minute',
  description: 'A schedule: fires once a minute, on one node, and catches up once after a pause.',
  input: { type: 'object', properties: { report: { type: 'string', default: 'sales' } }, required: ['report'] },
  activities: [
    {
      id: 'minutely',
      type: 'cron',
      name: 'Every minute',
      inputs: { cron: '* * * * *', zone: 'UTC', misfire: 'fire-once', overlap: 'skip', input: { report: 'sales' } },
    },
    { id: 'write', type: 'set-output', inputs: { name: 'wrote', value: { $expr: 'input.report' } } },
  ],
  connections: [{ from: 'minutely', to: 'write' }],
}

export const sampleDocuments: readonly (Json & { readonly id: string })[] = [order, reminder, approval, flaky, report]

export const sampleIds: readonly string[] = sampleDocuments.map(({ id }) => id)
