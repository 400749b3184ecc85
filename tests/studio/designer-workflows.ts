/** Drawn by the tests of the designer: a saga with containers, an approval, and one large enough to be slow. */
export const saga = {
  id: 'order-saga',
  name: 'Order saga',
  input: { type: 'object', properties: { amount: { type: 'number', default: 1_500 } } },
  notes: [
    { id: 'note1', text: 'Each step undoes itself when a later one fails.', x: -20, y: -120, width: 260, height: 60 },
  ],
  activities: [
    {
      id: 'reserve',
      name: 'Reserve the goods',
      type: 'log',
      inputs: { message: 'reserved' },
      retry: { attempts: 3 },
      compensate: {
        activities: [{ id: 'release', name: 'Release the goods', type: 'log', inputs: { message: 'released' } }],
      },
    },
    { id: 'big', name: 'Large order?', type: 'if', inputs: { condition: { $expr: 'input.amount > 1000' } } },
    { id: 'ask', name: 'Wait for approval', type: 'wait-for-event', inputs: { event: 'approved', timeout: '7d' } },
    {
      id: 'pay',
      name: 'Charge the card',
      type: 'try',
      body: {
        activities: [
          { id: 'charge', name: 'Charge', type: 'log', inputs: { message: 'charged' } },
          { id: 'receipt', name: 'Send the receipt', type: 'log', inputs: { message: 'sent' } },
        ],
        connections: [{ from: 'charge', to: 'receipt' }],
      },
      catch: { activities: [{ id: 'tell', name: 'Tell the customer', type: 'log', inputs: { message: 'declined' } }] },
    },
    { id: 'ship', name: 'Ship', type: 'log', inputs: { message: 'shipped' } },
  ],
  connections: [
    { from: 'reserve', to: 'big' },
    { from: 'big', outcome: 'true', to: 'ask' },
    { from: 'big', outcome: 'false', to: 'pay' },
    { from: 'ask', to: 'pay' },
    { from: 'pay', to: 'ship' },
  ],
}

/** Placed in rows, so that nothing has to be laid out. */
export function large(count: number) {
  const place = (index: number) => ({ position: { x: (index % 20) * 240, y: Math.floor(index / 20) * 120 } })
  return {
    id: 'large',
    name: 'Large',
    activities: Array.from({ length: count }, (_, index) => ({
      id: `s${index}`,
      type: 'log',
      inputs: { message: `step ${index}` },
      layout: place(index),
    })),
    connections: Array.from({ length: count - 1 }, (_, index) => ({ from: `s${index}`, to: `s${index + 1}` })),
  }
}
