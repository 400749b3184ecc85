import type { TestNode } from './test-node.ts'
import { until } from './until.ts'

/** What tests read of `engine.get`. */
export interface View {
  readonly id: string
  readonly status: string
  readonly output: unknown
  readonly error: { readonly code: string; readonly message: string } | null
  readonly waitingFor: readonly { readonly name: string }[]
  readonly incidents: readonly { readonly code: string; readonly step: string | null }[]
}

export interface End {
  readonly status: string
  readonly output: unknown
  readonly error?: { readonly code: string; readonly message: string }
}

export interface Started {
  readonly instanceId: string
  readonly created: boolean
}

export const view = (node: TestNode, instanceId: string): Promise<View> => node.call('get', { instanceId })

/** Waits until the instance waits for `name` and nobody works on it. */
export function waitsFor(node: TestNode, instanceId: string, name: string): Promise<void> {
  return until(`${instanceId} waits for "${name}"`, async () => {
    const { status, waitingFor } = await view(node, instanceId)
    return status === 'suspended' && waitingFor.some((each) => each.name === name)
  })
}

export async function start(node: TestNode, definitionId: string, input: unknown, more: object = {}): Promise<string> {
  return (await node.call<Started>('start', { definitionId, input, ...more })).instanceId
}

/** `null`: it had not ended in time. */
export const endOf = (node: TestNode, instanceId: string, limitMs = 60_000): Promise<End | null> =>
  node.call('wait', { instanceId, limitMs })
