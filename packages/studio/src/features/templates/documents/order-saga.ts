// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are texts that hold templates
import type { Template } from '../template.ts'

const retry = { attempts: 5, backoff: { initial: '1s', max: '1m' } }

export const orderSaga: Template = {
  key: 'order-saga',
  title: 'Order with compensation',
  about: 'Reserves, charges and ships; when one fails for good, what was done before is undone in reverse.',
  document: {
    input: {
      type: 'object',
      required: ['order', 'amount'],
      properties: { order: { type: 'string' }, amount: { type: 'number' } },
    },
    activities: [
      {
        id: 'saga',
        name: 'All or nothing',
        type: 'try',
        body: {
          activities: [
            {
              id: 'reserve',
              name: 'Reserve stock',
              type: 'http-request',
              inputs: {
                method: 'POST',
                url: 'https://example.com/reservations',
                body: { order: { $expr: 'input.order' } },
              },
              retry,
              compensate: {
                activities: [
                  {
                    id: 'release',
                    name: 'Release stock',
                    type: 'http-request',
                    inputs: {
                      method: 'DELETE',
                      url: { $expr: '`https://example.com/reservations/${input.order}`' },
                    },
                    retry,
                  },
                ],
              },
            },
            {
              id: 'charge',
              name: 'Charge the customer',
              type: 'http-request',
              inputs: {
                method: 'POST',
                url: 'https://example.com/charges',
                body: { order: { $expr: 'input.order' }, amount: { $expr: 'input.amount' } },
              },
              retry,
              compensate: {
                activities: [
                  {
                    id: 'refund',
                    name: 'Refund the customer',
                    type: 'http-request',
                    inputs: {
                      method: 'POST',
                      url: 'https://example.com/refunds',
                      body: { order: { $expr: 'input.order' } },
                    },
                    retry,
                  },
                ],
              },
            },
            {
              id: 'ship',
              name: 'Ship it',
              type: 'http-request',
              inputs: {
                method: 'POST',
                url: 'https://example.com/shipments',
                body: { order: { $expr: 'input.order' } },
              },
              retry,
            },
            { id: 'shipped', type: 'set-output', inputs: { name: 'status', value: 'shipped' } },
          ],
          connections: [
            { from: 'reserve', to: 'charge' },
            { from: 'charge', to: 'ship' },
            { from: 'ship', to: 'shipped' },
          ],
        },
        catch: {
          activities: [
            { id: 'undo', name: 'Undo what was done', type: 'compensate' },
            { id: 'undone', type: 'set-output', inputs: { name: 'status', value: 'undone' } },
            { id: 'why', type: 'set-output', inputs: { name: 'reason', value: { $expr: 'error.message' } } },
          ],
          connections: [
            { from: 'undo', to: 'undone' },
            { from: 'undone', to: 'why' },
          ],
        },
      },
    ],
  },
}
