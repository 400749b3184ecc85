import type { Template } from '../template.ts'

export const fanOutImport: Template = {
  key: 'fan-out-import',
  title: 'Fan-out import',
  about: 'Sends many lines at once, ten at a time here and never more than fifty a second from all nodes.',
  document: {
    input: {
      type: 'object',
      required: ['lines'],
      properties: { lines: { type: 'array', items: { type: 'object' } } },
    },
    activities: [
      {
        id: 'lines',
        name: 'For each line',
        type: 'for-each',
        inputs: { items: { $expr: 'input.lines' }, concurrency: 10 },
        body: {
          activities: [
            {
              id: 'store',
              name: 'Store the line',
              type: 'http-request',
              inputs: { method: 'POST', url: 'https://example.com/lines', body: { $expr: 'item' } },
              retry: { attempts: 5, backoff: { initial: '1s', max: '1m' } },
              limit: { key: 'import', concurrency: 20, rate: { limit: 50, per: '1s' } },
            },
          ],
        },
      },
      { id: 'out', type: 'set-output', inputs: { name: 'imported', value: { $expr: 'steps.lines.output.count' } } },
    ],
    connections: [{ from: 'lines', to: 'out' }],
  },
}
