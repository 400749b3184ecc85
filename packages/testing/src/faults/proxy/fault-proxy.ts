import { type Clock, defineError, InvalidOption, type Random, systemClock, systemRandom } from '@lockstep/base'
import { openRuleBooks } from '../exchange/rule-book.ts'
import type { Fault } from '../fault/fault.ts'
import { type Counters, newCounters } from './counters.ts'
import { dialogues } from './dialogues.ts'
import type { FaultSite } from './fault-site.ts'
import { Link, type ProxyConnection } from './link.ts'
import { Links } from './links.ts'
import { PortListener } from './port-listener.ts'
import { type Protocol, readTarget, redirectUrl, type Target } from './target.ts'

export const FaultProxyClosed = defineError(
  'FAULT_PROXY_CLOSED',
  { retryable: false },
  (d: { fault: string }) => `Fault "${d.fault}" was used on a proxy that is closed`,
)

export interface FaultProxyOptions {
  /** The real server: its URL, or host and port. */
  readonly target: Target | string
  /** What the connections speak; needed by faults that match statements or commands. @default by the target's URL scheme */
  readonly protocol?: Protocol
  /** @default '127.0.0.1' */
  readonly host?: string
  /** @default a free one */
  readonly port?: number
  /** Source of jitter and chance; pass a seeded one to repeat a run. */
  readonly random?: Random
  /** Measures delays and periods. */
  readonly clock?: Clock
}

export interface FaultProxy extends AsyncDisposable {
  readonly host: string
  readonly port: number
  readonly counters: Readonly<Counters>
  readonly connections: readonly ProxyConnection[]
  /** The URL of the target, with the proxy in its place. */
  url(original: string): string
  /** Puts a fault in force at once. The same fault may be used on several proxies; its hits add up. */
  use(fault: Fault<unknown>): FaultHandle
  /** Removes every fault in force. */
  clear(): Promise<void>
  /** Cuts every present connection; answers how many there were. */
  dropConnections(): number
  /** Ends everything and leaves nothing: no socket, no listener, no timer. Repeating it is harmless. */
  close(): Promise<void>
}

export interface FaultHandle extends AsyncDisposable {
  /** Lifts the fault; resolves when the link works again. Repeating it is harmless. */
  remove(): Promise<void>
}

/** Starts a TCP proxy for one link: one client (or node) and one service. It forwards faithfully until a fault is used. */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const { clock = systemClock, random = systemRandom, host = '127.0.0.1', port = 0 } = options
  const { target, protocol: promised } = readTarget(options.target)
  const { protocol = promised } = options
  const counters = newCounters()
  const books = openRuleBooks(counters)
  const links = new Links()
  const handles = new Set<FaultHandle>()
  const shutters = new Set<symbol>()
  let closed = false

  const listener = new PortListener(host, port, (client) => {
    links.add(
      new Link({
        id: ++counters.accepted,
        client,
        target,
        clock,
        counters,
        dialogue: protocol && ((link) => dialogues[protocol](books, link, counters)),
        over: (link) => links.remove(link),
      }),
    )
  })
  await listener.open()

  const site: FaultSite = {
    address: { host, port: listener.port },
    clock,
    random,
    counters,
    eachLink: (visit) => links.each(visit),
    shutPort() {
      const mine = Symbol('shut')
      shutters.add(mine)
      void listener.shut()
      return async () => {
        shutters.delete(mine)
        if (shutters.size === 0 && !closed) await listener.open()
      }
    },
    judge(wanted, rule) {
      if (wanted === protocol) return books[wanted].add(rule)
      throw new InvalidOption({ option: 'protocol', rule: `'${wanted}' for this fault`, value: protocol })
    },
  }

  const use = (fault: Fault<unknown>): FaultHandle => {
    if (closed) throw new FaultProxyClosed({ fault: fault.name })
    const lift = fault.apply(site)
    let removed: Promise<void> | undefined
    const remove = (): Promise<void> => {
      handles.delete(handle)
      removed ??= Promise.resolve(lift())
      return removed
    }
    const handle: FaultHandle = { remove, [Symbol.asyncDispose]: remove }
    handles.add(handle)
    return handle
  }

  const clear = async (): Promise<void> => {
    await Promise.all([...handles].map((handle) => handle.remove()))
  }

  const close = async (): Promise<void> => {
    closed = true
    await clear()
    await Promise.all([listener.shut(), links.destroy()])
  }

  return {
    host,
    port: listener.port,
    counters,
    get connections() {
      return links.present
    },
    url: (original) => redirectUrl(original, site.address),
    use,
    clear,
    dropConnections() {
      const present = links.present
      for (const link of present) link.cut()
      return present.length
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
