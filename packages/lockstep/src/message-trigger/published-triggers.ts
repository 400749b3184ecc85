import type { Engine } from '@lockstep/engine'
import { type MessageTrigger, messageTriggers } from './message-trigger.ts'

type Definitions = Pick<Engine['definitions'], 'tenants' | 'list' | 'version'>

const PAGE = 500

/** The triggers of all published graphs, whichever tenant's. Versions never change, so each is read once. */
export class PublishedTriggers {
  readonly #definitions: Definitions
  #known = new Map<string, readonly MessageTrigger[]>()

  constructor(definitions: Definitions) {
    this.#definitions = definitions
  }

  async read(): Promise<readonly MessageTrigger[]> {
    const found = new Map<string, readonly MessageTrigger[]>()
    for (const tenant of await this.#definitions.tenants()) await this.#readOf(tenant, found)
    this.#known = found
    return [...found.values()].flat()
  }

  async #readOf(tenant: string, found: Map<string, readonly MessageTrigger[]>): Promise<void> {
    for (let after: string | undefined; ; ) {
      const page = await this.#definitions.list(tenant, after, PAGE, { kind: 'graph', published: true })
      for (const { id, published } of page) {
        if (published === undefined) continue
        const key = `${tenant}\n${id}\n${published}`
        found.set(key, this.#known.get(key) ?? (await this.#triggersOf(tenant, id, published)))
      }
      if (page.length < PAGE) return
      after = page.at(-1)!.id
    }
  }

  async #triggersOf(tenant: string, id: string, version: number): Promise<readonly MessageTrigger[]> {
    const { document } = await this.#definitions.version(tenant, id, version)
    return messageTriggers(tenant, id, document)
  }
}
