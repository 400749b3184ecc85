import type { Studio } from './open-studio.ts'

const MARKUP = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'

/** What the tests look at: one that waits, one with loops and branches, one that fails, one whose every text is markup. */
export const documents = [
  {
    id: 'order',
    name: 'Order approval',
    tags: ['sales/orders'],
    input: {
      type: 'object',
      properties: { amount: { type: 'number', default: 1_500 }, customerId: { type: 'string', default: 'ann' } },
    },
    variables: { attempts: { type: 'number', default: 0 } },
    activities: [
      { id: 'big', name: 'Large order?', type: 'if', inputs: { condition: { $expr: 'input.amount > 1000' } } },
      { id: 'ask', name: 'Wait for approval', type: 'wait-for-event', inputs: { event: 'approved', timeout: '7d' } },
      {
        id: 'count',
        name: 'Count the attempt',
        type: 'set-variable',
        inputs: { name: 'attempts', value: { $expr: 'vars.attempts + 1' } },
      },
      {
        id: 'total',
        name: 'Write the total',
        type: 'set-output',
        inputs: { name: 'total', value: { $expr: 'input.amount' } },
      },
    ],
    connections: [
      { from: 'big', outcome: 'true', to: 'ask' },
      { from: 'big', outcome: 'false', to: 'count' },
      { from: 'ask', to: 'count' },
      { from: 'count', to: 'total' },
    ],
  },
  {
    id: 'parcels',
    name: 'Parcels',
    activities: [
      {
        id: 'each',
        name: 'For each parcel',
        type: 'for-each',
        inputs: { items: { $expr: 'input.parcels' } },
        body: { activities: [{ id: 'label', name: 'Print the label', type: 'log', inputs: { message: 'label' } }] },
      },
      {
        id: 'both',
        name: 'Tell everybody',
        type: 'parallel',
        branches: [
          { activities: [{ id: 'mail', name: 'Mail', type: 'log', inputs: { message: 'mail' } }] },
          { activities: [{ id: 'text', name: 'Text message', type: 'delay', inputs: { duration: '300ms' } }] },
        ],
      },
    ],
    connections: [{ from: 'each', to: 'both' }],
  },
  {
    id: 'payment',
    name: 'Payment',
    tags: ['sales/orders'],
    variables: { card: { type: 'string', default: 'expired' } },
    activities: [
      { id: 'reserve', name: 'Reserve the amount', type: 'log', inputs: { message: 'reserve' } },
      {
        id: 'charge',
        name: 'Charge the card',
        type: 'script',
        inputs: { code: 'if (vars.card === "expired") throw new Error("The card is expired"); return 7' },
        retry: { attempts: 2, backoff: { initial: '50ms' } },
      },
    ],
    connections: [{ from: 'reserve', to: 'charge' }],
  },
  {
    id: 'markup',
    name: MARKUP,
    activities: [{ id: 'a', name: MARKUP, type: 'fault', inputs: { message: MARKUP } }],
  },
]

export async function publishAll({ api }: Studio): Promise<void> {
  for (const document of documents) await api('PUT', `/workflow-definitions/${document.id}`, document)
}

/** Starts one and waits until it stands still. */
export async function run({ api }: Studio, definitionId: string, input: unknown, correlationId?: string) {
  const started = await api('POST', '/workflow-instances', {
    definitionId,
    input,
    ...(correlationId === undefined ? {} : { correlationId }),
  })
  for (;;) {
    const found = await api('GET', `/workflow-instances/${started.id}`)
    const waits = found.status === 'suspended' && found.waitingFor.length > 0
    if (found.finishedAt !== null || waits) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

export const markupText = MARKUP
