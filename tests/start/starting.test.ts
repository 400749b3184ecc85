/** A node that waits for its database says so, instead of refusing connections. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { cloneDatabase, freePort } from '@lockstep/testing/harness'
import { resolveNodeOptions, startNode } from 'lockstep'
import { afterEach, describe, expect, inject, it } from 'vitest'

const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
const servers: Server[] = []
const sockets = new Set<Socket>()
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  for (const server of servers.splice(0)) server.close()
})

const listening = async (onSocket: (socket: Socket) => void = () => {}): Promise<number> => {
  const server = createServer((socket) => {
    sockets.add(socket)
    onSocket(socket)
  }).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

describe('a node that comes up', () => {
  it('lives, has not started, says why, and sends everybody else away for a moment', async () => {
    const silent = await listening()
    const free = await listening()
    servers.pop()!.close()
    const options = resolveNodeOptions({
      ...{ port: free, basePath: '/flows' },
      databaseUrl: `postgres://nobody@127.0.0.1:${silent}/nothing`,
    })
    const start = startNode(options, edge).then(
      () => 'started',
      (error: unknown) => error,
    )
    const ask = (path: string) => fetch(`http://127.0.0.1:${free}/flows${path}`)
    await expect
      .poll(() =>
        ask('/health/live').then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200)
    const [startup, ready, other] = await Promise.all([
      ask('/health/startup'),
      ask('/health/ready'),
      ask('/api/v1/cluster/nodes'),
    ])
    expect([startup.status, await startup.json()]).toEqual([
      503,
      { status: 'starting', checks: [{ name: 'node', ok: false, reason: 'waiting for the database' }] },
    ])
    expect([ready.status, await ready.json()]).toMatchObject([503, { status: 'not-ready' }])
    expect([other.status, other.headers.get('retry-after'), await other.json()]).toMatchObject([
      503,
      '1',
      { code: 'NODE_STARTING', retryable: true },
    ])
    for (const socket of sockets) socket.destroy()
    expect(await start).toMatchObject({ code: expect.stringMatching(/^DATABASE_|CONNECTION_/) })
    await expect(ask('/health/live')).rejects.toThrow()
  })

  it('waits for a database that is not up yet, says so, and goes on when it is', async () => {
    await using database = await cloneDatabase(inject('postgres'))
    const [there, free] = [await freePort(), await freePort()]
    const address = new URL(database.url)
    const behind = Number(address.port)
    address.port = String(there)
    const lines: string[] = []
    const note = (line: string): void => void lines.push(line)
    const logger: typeof silentLogger = { ...silentLogger, info: note, warn: note, area: () => logger }
    const options = resolveNodeOptions({ port: free, databaseUrl: address.href })
    const start = startNode(options, { ...edge, logger }, undefined, { databaseWaitMs: 60_000 })
    await expect.poll(() => lines, { timeout: 30_000 }).toContain('waiting for the database')
    const answer = await fetch(`http://127.0.0.1:${free}/health/startup`)
    expect([answer.status, await answer.json()]).toMatchObject([
      503,
      { checks: [{ reason: 'waiting for the database' }] },
    ])
    const relay = createServer((socket) => {
      const onward = connect(behind, '127.0.0.1')
      for (const each of [socket, onward]) sockets.add(each.on('error', () => undefined))
      socket.pipe(onward).pipe(socket)
    }).listen(there, '127.0.0.1')
    servers.push(relay)
    const node = await start
    try {
      expect((await fetch(`${node.url}/health/startup`)).status).toBe(200)
      const told = lines.filter((line) => /database/.test(line))
      expect(told).toEqual(['waiting for the database', 'the database answers'])
    } finally {
      await node.stop()
    }
  })

  it('ends when the time is over, as without waiting', async () => {
    const databaseUrl = `postgres://nobody@127.0.0.1:${await freePort()}/nothing`
    const start = startNode(resolveNodeOptions({ port: 0, databaseUrl }), edge, undefined, { databaseWaitMs: 100 })
    await expect(start).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE', details: { reason: 'refused' } })
  })

  it('answers on the port that it took first, and lets go of it when another has it', async () => {
    await using database = await cloneDatabase(inject('postgres'))
    const node = await startNode(resolveNodeOptions({ port: 0, databaseUrl: database.url }), edge)
    try {
      const answer = await fetch(`${node.url}/health/startup`)
      expect([answer.status, await answer.json()]).toEqual([200, { status: 'started' }])
      const taken = Number(new URL(node.url).port)
      const second = startNode(resolveNodeOptions({ port: taken, databaseUrl: database.url }), edge)
      await expect(second).rejects.toMatchObject({ code: 'PORT_IN_USE' })
    } finally {
      await node.stop()
    }
  })
})
