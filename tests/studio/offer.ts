/** A workflow in three versions, and a draft that goes beyond them. */
interface Step {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly inputs: Record<string, unknown>
  readonly layout: { readonly position: { readonly x: number; readonly y: number } }
}

const at = (along: number, across = 0) => ({ position: { x: across * 2, y: along / 2 } })

/** Asks a service for a price unless `url` is undefined, works out a total, and writes it down. */
export function offer(url?: string) {
  const ask =
    url === undefined
      ? { type: 'script', inputs: { code: 'return { price: 7, currency: "EUR" }' } }
      : { type: 'http-request', inputs: { method: 'GET', url } }
  const price = url === undefined ? 'steps.ask.output.price' : 'steps.ask.output.body.price'
  const activities: Step[] = [
    { id: 'ask', name: 'Ask for the price', ...ask, layout: at(0) },
    {
      id: 'total',
      name: 'Work out the total',
      type: 'set-variable',
      inputs: { name: 'price', value: { $expr: `${price} * input.amount` } },
      layout: at(280),
    },
    { id: 'big', name: 'Large?', type: 'if', inputs: { condition: { $expr: 'vars.price > 20' } }, layout: at(560) },
    {
      id: 'note',
      name: 'Write it down',
      type: 'set-output',
      inputs: { name: 'total', value: { $expr: 'vars.price' } },
      layout: at(840),
    },
  ]
  return {
    id: 'offer',
    name: 'Price offer',
    input: { type: 'object', properties: { amount: { type: 'number', default: 3 } } },
    variables: { price: { type: 'number', default: 0 } } as Record<string, unknown>,
    activities,
    connections: [
      { from: 'ask', to: 'total' },
      { from: 'total', to: 'big' },
      { from: 'big', outcome: 'true', to: 'note' },
      { from: 'big', outcome: 'false', to: 'note' },
    ],
  }
}

/** The second: somebody is told of large ones. */
export function offerWithMail() {
  const document = offer()
  document.activities.push({
    ...{ id: 'mail', name: 'Tell sales', type: 'log', layout: at(840, 120) },
    inputs: { message: { $expr: '"offer of " + vars.price' } },
  })
  document.connections.splice(2, 1, { from: 'big', outcome: 'true', to: 'mail' }, { from: 'mail', to: 'note' })
  return document
}

/** The third: approval in the place of the mail, another limit, another name, and a step that was moved. */
export function offerWithApproval() {
  const document = offer()
  const [ask, total, big] = document.activities
  document.activities[0] = { ...ask!, name: 'Ask the price list' }
  document.activities[1] = { ...total!, layout: at(280, 80) }
  document.activities[2] = { ...big!, inputs: { condition: { $expr: 'vars.price > 50' } } }
  document.activities.push({
    ...{ id: 'wait', name: 'Wait for approval', type: 'wait-for-event', layout: at(840, 120) },
    inputs: { event: 'approved' },
  })
  document.connections.splice(2, 1, { from: 'big', outcome: 'true', to: 'wait' }, { from: 'wait', to: 'note' })
  return document
}
