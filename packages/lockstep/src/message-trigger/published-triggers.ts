import type { Engine } from '@lockstep/engine'
import { type MessageTrigger, messageTriggers } from './message-trigger.ts'

type Definitions = Pick<Engine['definitions'], 'list' | 'version'>

const PAGE = 500

/** The triggers of all published graphs. Versions never change, so each is read once. */
export class PublishedTriggers {
  readonly #definitions: Definitions
  readonly #tenant: string
  #known = new Map<string, readonly MessageTrigger[]>()

  constructor(definitions: Definitions, tenant: string) {
    this.#definitions = definitions
    this.#tenant = tenant
  }

  async read(): Promise<readonly MessageTrigger[]> {
    const found = new Map<string, readonly MessageTrigger[]>()
    for (let after: string | undefined; ; ) {
      const page = await this.#definitions.list(this.#tenant, after, PAGE, { kind: 'graph', published: true })
      for (const { id, published } of page) {
        if (published === undefined) continue
        const key = `${id}\n${published}`
        found.set(key, this.#known.get(key) ?? (await this.#triggersOf(id, published)))
      }
      if (page.length < PAGE) break
      after = page.at(-1)!.id
    }
    this.#known = found
    return [...found.values()].flat()
  }

  async #triggersOf(id: string, version: number): Promise<readonly MessageTrigger[]> {
    const { document } = await this.#definitions.version(this.#tenant, id, version)
    return messageTriggers(id, document)
  }
}
