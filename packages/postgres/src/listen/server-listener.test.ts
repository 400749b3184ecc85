import { type Logger, seededRandom, systemClock } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { Broken } from '../connection/broken.ts'
import type { Connection } from '../connection/connection.ts'
import { ServerListener } from './server-listener.ts'

/** A server that can be away. */
function bed() {
  const lines: string[] = []
  const say = (level: string) => (message: string) => void lines.push(`${level} ${message}`)
  const logger: Logger = {
    ...{ debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') },
    area: () => logger,
  }
  let isAway = false
  let attempts = 0
  let current: Pick<Connection, 'watcher'> | undefined
  const open = async (): Promise<Connection> => {
    attempts += 1
    if (isAway) throw Object.assign(new Error(`refused after ${attempts} ms`), { code: 'DATABASE_UNREACHABLE' })
    const connection = { watcher: undefined, onNotification: () => {}, send: async () => ({}), destroy: () => {} }
    current = connection
    return connection as unknown as Connection
  }
  const listener = new ServerListener({ clock: systemClock, random: seededRandom(1), logger, open })
  return {
    ...{ lines, listener },
    attempts: () => attempts,
    goes: () => {
      isAway = true
      const connection = current as Connection
      connection.watcher?.onBroken(connection, new Broken('lost', 'the connection ended'))
    },
    comes: () => {
      isAway = false
    },
  }
}

describe('a listener whose server goes away', () => {
  it('tells those who listen that nothing is heard, and when it is heard again', async () => {
    const { listener, goes, comes } = bed()
    const heard: string[] = []
    const onLoss = (): void => void heard.push('loss')
    const onResync = (): void => void heard.push('resync')
    await listener.subscribe('c', { onMessage: () => {}, onResync, onLoss })
    goes()
    expect(heard).toEqual(['resync', 'loss'])
    comes()
    await expect.poll(() => heard).toEqual(['resync', 'loss', 'resync'])
    await listener.close()
  })

  it('says so once, however often it tries, and once that it listens again', async () => {
    const { listener, lines, attempts, goes, comes } = bed()
    await listener.subscribe('c', { onMessage: () => {}, onResync: () => {} })
    goes()
    await expect.poll(attempts).toBeGreaterThan(4)
    comes()
    await expect.poll(() => lines.at(-1)).toBe('info listening again')
    await listener.close()
    const said = lines.filter((line) => !line.startsWith('debug'))
    expect(said).toEqual([
      'warn lost the listening connection, opening another',
      'warn cannot listen yet',
      'info listening again',
    ])
  })
})
