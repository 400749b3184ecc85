import { errorCode, errorMessage } from '../error/define-error.ts'
import type { LogFields, Logger } from './logger.ts'

/** More kinds of failure than this in one outage are noise too. */
const MOST_KINDS = 20
/** What differs between two attempts that fail for the same reason: ids, ports, how long it took. */
const VARIABLE = /[0-9a-f-]*\d[0-9a-f-]*/gi

/**
 * Something that is tried over and over. What keeps it from working is said once and not with every attempt; that it works again is
 * said too. Another reason is another line. What is not said stands in the log at its lowest level.
 */
export class Trouble {
  readonly #logger: Logger
  readonly #fails: string
  readonly #works: string
  readonly #said = new Set<string>()
  #failures = 0

  constructor(logger: Logger, fails: string, works: string) {
    this.#logger = logger
    this.#fails = fails
    this.#works = works
  }

  /** `named`: what makes it another failure beside its reason, such as what could not be done. `fields` only go with the line. */
  failed(error: unknown, fields: LogFields = {}, named = ''): void {
    this.#failures += 1
    const [code, reason] = [errorCode(error), errorMessage(error)]
    const kind = `${named}\n${code}\n${reason.replace(VARIABLE, '#')}`
    const said = { ...(code === undefined ? {} : { code }), ...fields, reason }
    if (this.#said.has(kind) || this.#said.size >= MOST_KINDS) return this.#logger.debug(this.#fails, said)
    this.#said.add(kind)
    this.#logger.warn(this.#fails, said)
  }

  /** It worked. Costs nothing where nothing had failed. */
  over(fields: LogFields = {}): void {
    if (this.#failures === 0) return
    const failures = this.#failures
    this.#failures = 0
    this.#said.clear()
    this.#logger.info(this.#works, { ...fields, failures })
  }
}
