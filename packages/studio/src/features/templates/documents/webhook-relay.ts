import type { Template } from '../template.ts'

export const webhookRelay: Template = {
  key: 'webhook-relay',
  title: 'Webhook in, request out',
  about: 'Takes a request, reshapes it and passes it on, with retries and a breaker that spares a partner who is down.',
  document: {
    activities: [
      {
        id: 'order',
        name: 'An order comes in',
        type: 'http-endpoint',
        inputs: {
          path: '/hooks/orders',
          methods: ['POST'],
          maxBytes: 100_000,
          body: { type: 'object', required: ['id'], properties: { id: { type: 'string' }, total: { type: 'number' } } },
        },
      },
      {
        id: 'shape',
        name: 'In the words of the partner',
        type: 'transform',
        inputs: { value: { reference: { $expr: 'input.body.id' }, amount: { $expr: 'input.body.total' } } },
      },
      {
        id: 'pass',
        name: 'Tell the partner',
        type: 'http-request',
        inputs: {
          method: 'POST',
          url: 'https://example.com/partner/orders',
          body: { $expr: 'steps.shape.output' },
          timeout: '10s',
        },
        retry: { attempts: 8, backoff: { initial: '2s', max: '10m' } },
        breaker: { key: 'partner', failures: 5, window: '1m', openFor: '30s' },
      },
      { id: 'out', type: 'set-output', inputs: { name: 'status', value: { $expr: 'steps.pass.output.status' } } },
    ],
    connections: [
      { from: 'order', to: 'shape' },
      { from: 'shape', to: 'pass' },
      { from: 'pass', to: 'out' },
    ],
  },
}
