/** One database and real `lockstep server` processes on it, which a test starts, asks over HTTP, and ends. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import { type Db, openPostgres } from '@lockstep/postgres'
import { type ClonedDatabase, cloneDatabase } from '@lockstep/testing/harness'
import { inject } from 'vitest'
import { readRows } from '../faults/read-rows.ts'
import { until } from '../faults/until.ts'
import { LockstepProcess } from '../start/run-lockstep.ts'

/** A busy machine is slow, not broken. */
export const PATIENCE_MS = 90_000
/** Lives that a busy machine does not end by mistake. */
const LIFE = { LOCKSTEP_HEARTBEAT_MS: '500', LOCKSTEP_NODE_TTL_MS: '10000' }

// biome-ignore lint/suspicious/noExplicitAny: a test reads what the wire carries
export type Told = { readonly status: number; readonly body: any }

export class SiteNode {
  readonly name: string
  readonly process: LockstepProcess
  readonly url: string

  constructor(name: string, process: LockstepProcess, url: string) {
    this.name = name
    this.process = process
    this.url = url
  }

  async ask(method: string, where: string, body?: unknown): Promise<Told> {
    const response = await fetch(`${this.url}${where}`, {
      method,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }

  /** Behind `/api/v1`; anything but success is an error of the test. */
  async api(method: string, where: string, body?: unknown): Promise<Told['body']> {
    const told = await this.ask(method, `/api/v1${where}`, body)
    if (told.status >= 300) throw new Error(`${method} ${where}: ${told.status} ${JSON.stringify(told.body)}`)
    return told.body
  }

  /** A node of the cluster, by its name. */
  async node(name: string): Promise<Told['body']> {
    const { items } = await this.api('GET', '/cluster/nodes')
    return items.find((each: { name: string }) => each.name === name)
  }

  async publish(document: { readonly id: string }): Promise<void> {
    await this.api('PUT', `/workflow-definitions/${document.id}`, document)
  }

  async start(definitionId: string, more: object = {}): Promise<string> {
    return (await this.api('POST', '/workflow-instances', { definitionId, ...more })).id
  }

  async ended(id: string): Promise<Told['body']> {
    let instance: Told['body']
    await until(
      `${id} has ended`,
      async () => {
        instance = await this.api('GET', `/workflow-instances/${id}`)
        return ['completed', 'faulted', 'cancelled', 'terminated'].includes(instance.status)
      },
      PATIENCE_MS,
    )
    return instance
  }
}

export class ClusterSite implements AsyncDisposable {
  readonly db: Db
  readonly url: string
  readonly folder = mkdtempSync(path.join(tmpdir(), 'lockstep-cluster-'))
  readonly #cloned: ClonedDatabase
  readonly #nodes: SiteNode[] = []

  private constructor(cloned: ClonedDatabase, db: Db) {
    this.#cloned = cloned
    this.url = cloned.url
    this.db = db
  }

  static async open(): Promise<ClusterSite> {
    const cloned = await cloneDatabase(inject('postgres'))
    return new ClusterSite(cloned, await openPostgres({ url: cloned.url, clock, random }))
  }

  async node(name: string, env: Record<string, string> = {}, args: readonly string[] = []): Promise<SiteNode> {
    const process = new LockstepProcess(['server', '--port', '0', '--node-name', name, ...args], {
      cwd: this.folder,
      env: { LOCKSTEP_DATABASE_URL: this.url, LOCKSTEP_OUTBOUND_ALLOW: '127.0.0.1', ...LIFE, ...env },
    })
    const node = new SiteNode(name, process, await process.url())
    this.#nodes.push(node)
    return node
  }

  rows<Row>(text: string, ...values: readonly unknown[]): Promise<Row[]> {
    return readRows(this.db, text, values)
  }

  /** Names of the nodes that wrote the facts of an instance, in their order, each once in a row. */
  async writers(wireId: string): Promise<string[]> {
    const rows = await this.rows<{ name: string }>(
      `select distinct on (j.seq) coalesce(e.name, '?') as name from journal j
         left join cluster_event e on e.node_id = j.node_id and e.kind = 'joined' where j.instance_id = $1 order by j.seq`,
      wireId.replace('wfi_', ''),
    )
    return rows.map(({ name }) => name).filter((name, index, all) => name !== all[index - 1])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.process[Symbol.asyncDispose]()))
    await this.db.close()
    await this.#cloned.drop()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** A service outside that answers a request when the test lets it. */
export class SlowService implements AsyncDisposable {
  readonly url: string
  readonly #server: Server
  readonly #waiting: ServerResponse[] = []
  #count = 0

  private constructor(server: Server) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', (_request: IncomingMessage, response: ServerResponse) => {
      this.#count += 1
      this.#waiting.push(response)
    })
  }

  static async open(): Promise<SlowService> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new SlowService(server)
  }

  /** Requests that have come. */
  get count(): number {
    return this.#count
  }

  letGo(): void {
    for (const response of this.#waiting.splice(0)) response.end('{}')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.letGo()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
