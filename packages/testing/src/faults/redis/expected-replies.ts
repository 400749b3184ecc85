import type { Command } from './command.ts'
import { kindOf } from './resp.ts'

const SUBSCRIPTION = /^([PS]?)(UN)?SUBSCRIBE$/
const SUBSCRIPTION_REPLY = /^[ps]?(un)?subscribe$/
const MESSAGE = /^[ps]?message$/

/** Commands after which the server sends as it likes. */
const STREAMING = new Set(['MONITOR', 'SYNC', 'PSYNC'])

/** How many replies each command gets, and which of what the server sends is one: pushed messages are not. */
export class ExpectedReplies {
  readonly #channels = new Map<string, Set<string>>()
  #hasListened = false
  #muted: 'no' | 'all' | 'next' = 'no'

  /** `undefined`: from here on replies cannot be told apart. */
  of(command: Command): number | undefined {
    if (STREAMING.has(command.name)) return undefined
    if (command.name === 'RESET') this.#channels.clear()
    const mode = replyMode(command)
    if (mode === 'ON') this.#muted = 'no'
    else if (mode === 'OFF') this.#muted = 'all'
    const muted = this.#muted
    if (muted === 'next') this.#muted = 'no'
    if (mode === 'SKIP' && muted === 'no') {
      this.#muted = 'next'
      return 0
    }
    return muted === 'no' ? this.#perChannel(command) : 0
  }

  isReply(value: Buffer): boolean {
    const type = value[0]
    if (type === 0x3e) return SUBSCRIPTION_REPLY.test(kindOf(value))
    // In RESP2 a message looks like any array, and some still come after the client has asked to leave.
    return !(type === 0x2a && this.#hasListened && MESSAGE.test(kindOf(value)))
  }

  /** A subscription is confirmed channel by channel; giving up all of them as well. */
  #perChannel(command: Command): number {
    const [found, family, leaves] = SUBSCRIPTION.exec(command.name) ?? []
    if (found === undefined) return 1
    this.#hasListened = true
    const channels = this.#channels.get(family ?? '') ?? new Set()
    this.#channels.set(family ?? '', channels)
    const named = command.args.length > 0 ? command.args : [...channels]
    for (const channel of named) {
      if (leaves) channels.delete(channel)
      else channels.add(channel)
    }
    return Math.max(1, named.length)
  }
}

function replyMode(command: Command): string | undefined {
  const [topic, mode] = command.args
  return command.name === 'CLIENT' && topic?.toUpperCase() === 'REPLY' ? mode?.toUpperCase() : undefined
}
