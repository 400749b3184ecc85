/** What the supervisor of a dev cluster and its nodes say to each other, over the channel that Node opens between parent and child. */
import { type DevOutcome, type DevProcess, type DevVerb, devVerbs } from '@lockstep/server'

/** Supervisor to node, at its start and whenever anything changes. Whoever has heard it knows that it is a node of a dev cluster. */
export interface StatesMessage {
  readonly clusterDev: 'states'
  readonly processes: readonly DevProcess[]
}

/** Node to supervisor. */
export interface OrderMessage {
  readonly clusterDev: 'order'
  readonly id: number
  readonly verb: DevVerb
  readonly name: string
}

/** What came of the order with this id. */
export interface OutcomeMessage {
  readonly clusterDev: 'outcome'
  readonly id: number
  readonly outcome: DevOutcome
}

/** Other parents have other things to say to their children: process managers do. */
export function fromSupervisor(message: unknown): StatesMessage | OutcomeMessage | undefined {
  const said = spoken(message)
  if (said?.clusterDev === 'states' || said?.clusterDev === 'outcome')
    return said as unknown as StatesMessage | OutcomeMessage
  return undefined
}

export function fromNode(message: unknown): OrderMessage | undefined {
  const said = spoken(message)
  const isOrder = said?.clusterDev === 'order' && devVerbs.some((verb) => verb === said.verb)
  return isOrder ? (said as unknown as OrderMessage) : undefined
}

const spoken = (message: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof message === 'object' && message !== null ? (message as Readonly<Record<string, unknown>>) : undefined
