/**
 * What nodes tell each other when new instances of a workflow get another version, or none. Two topics leave together: `definition`, which
 * every version of Lockstep understands and which is told also where there is too much to name, and one that says which workflow it is about. Whoever
 * hears either of them asks anew; the second one is for people who read the log.
 */
import type { Clock, Logger } from '@lockstep/base'
import type { WakeBus } from '@lockstep/coordination'
import { DEFAULT_TENANT } from '../start/start-request.ts'

const TOPIC = 'definition'
const NAMED = `${TOPIC}:`

export interface PointedDefinition {
  readonly tenant: string
  readonly definitionId: string
  /** Absent: none, it was retracted. */
  readonly version: number | undefined
}

export interface DefinitionNewsOptions {
  readonly bus: WakeBus
  readonly clock: Clock
  readonly logger: Logger
  /** Somebody has pointed at another version. */
  readonly onHeard: () => void
}

export class DefinitionNews {
  readonly #o: DefinitionNewsOptions
  /** What came in this turn: the topics of one message come together. */
  readonly #named = new Set<string>()
  #isPlanned = false

  constructor(options: DefinitionNewsOptions) {
    this.#o = options
  }

  tell(pointed: PointedDefinition): void {
    this.#o.bus.publish(TOPIC)
    this.#o.bus.publish(NAMED + encode(pointed))
  }

  /** `false`: it is about something else. */
  hear(topic: string): boolean {
    if (topic !== TOPIC && !topic.startsWith(NAMED)) return false
    this.#o.onHeard()
    if (topic !== TOPIC) this.#named.add(topic.slice(NAMED.length))
    if (!this.#isPlanned) this.#o.clock.soon(() => this.#log())
    this.#isPlanned = true
    return true
  }

  #log(): void {
    const code = 'DEFINITION_INVALIDATED'
    const heard = this.#named.size === 0 ? [{}] : [...this.#named].map(decode)
    this.#named.clear()
    this.#isPlanned = false
    for (const fields of heard) this.#o.logger.info('definition invalidation received', { code, ...fields })
  }
}

/** A topic has no comma. */
const encode = ({ tenant, definitionId, version }: PointedDefinition): string =>
  [definitionId, version ?? '', tenant].map(encodeURIComponent).join(':')

function decode(named: string): Partial<PointedDefinition> {
  const [definitionId = '', version = '', tenant = ''] = named.split(':').map(decoded)
  return {
    definitionId,
    ...(version !== '' && { version: Number(version) }),
    ...(tenant !== '' && tenant !== DEFAULT_TENANT && { tenant }),
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
