import { randomBytes } from 'node:crypto'
import { type LogFields, type Logger, systemClock, systemRandom } from '@lockstep/base'
import type { AnyWorkflow, CustomActivity } from '@lockstep/engine'
import { resolveNodeOptions } from '../../packages/lockstep/src/options/node-options.ts'
import { readEnvironment } from '../../packages/lockstep/src/options/read-environment.ts'
import { startNode } from '../../packages/lockstep/src/start-node.ts'

export const newKeyText = (): string => randomBytes(32).toString('base64')

export interface Told {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what the wire carries
  readonly body: any
  readonly text: string
}

/** A whole node in this process, composed as `lockstep server` does, whose log lines are kept. */
export interface SecretSite extends AsyncDisposable {
  readonly url: string
  readonly lines: readonly string[]
  send(method: string, path: string, body?: unknown): Promise<Told>
  set(name: string, value: string): Promise<Told>
  /** Saves and publishes. */
  publish(document: object): Promise<void>
  /** Runs to its end. */
  run(definitionId: string, input?: unknown): Promise<Told>
}

export async function openSecretSite(
  environment: Record<string, string>,
  programs: { readonly workflows?: readonly AnyWorkflow[]; readonly activities?: readonly CustomActivity[] } = {},
): Promise<SecretSite> {
  const lines: string[] = []
  const logger = keptIn(lines)
  const { workflows = [], activities = [] } = programs
  const options = resolveNodeOptions(readEnvironment({ LOCKSTEP_PORT: '0', LOCKSTEP_DRAIN_MS: '500', ...environment }))
  const edge = { clock: systemClock, random: systemRandom, logger }
  const node = await startNode(options, edge, { workflows, activities, jobs: [] })
  const send = async (method: string, path: string, body?: unknown): Promise<Told> => {
    const response = await fetch(`${node.url}/api/v1${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '') && text !== ''
    return { status: response.status, text, body: isJson ? JSON.parse(text) : text }
  }
  return {
    url: node.url,
    lines,
    send,
    set: (name, value) => send('PUT', `/secrets/${name}`, { value }),
    publish: async (document) => {
      const { id } = document as { readonly id: string }
      const told = await send('PUT', `/workflow-definitions/${id}`, document)
      if (told.status >= 300) throw new Error(told.text)
    },
    run: (definitionId, input = null) => send('POST', '/workflow-instances', { definitionId, input, wait: '60s' }),
    [Symbol.asyncDispose]: () => node.stop(),
  }
}

function keptIn(lines: string[]): Logger {
  const write = (message: string, fields?: LogFields): void => {
    lines.push(
      `${message} ${JSON.stringify(fields, (_, value) => (typeof value === 'bigint' ? `${value}` : value)) ?? ''}`,
    )
  }
  return { debug: write, info: write, warn: write, error: write, area: () => keptIn(lines) }
}
