import { once } from 'node:events'
import http, { type ServerResponse } from 'node:http'
import net from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { leaveTogether } from './leave-together.ts'

/** A server whose answers leave when the test says so. */
async function open() {
  const asked: ServerResponse[] = []
  const turns: (() => void)[] = []
  const server = http.createServer((_request, response) => void asked.push(response))
  const departures = leaveTogether(server, { soon: (run) => void turns.push(run) })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as net.AddressInfo
  opened.push(server)
  const endTurn = (): void => turns.splice(0).forEach((run) => run())
  return {
    departures,
    asked,
    turns,
    endTurn,
    /** What `look` sees once another turn is over. */
    afterTurn<T>(look: () => T): () => T {
      return () => {
        endTurn()
        return look()
      }
    },
    /** What comes back over a connection of its own. */
    connect() {
      const socket = net.connect(port, '127.0.0.1')
      let text = ''
      socket.setEncoding('utf8').on('data', (more) => {
        text += more
      })
      return {
        ask: (more = '') => socket.write(`GET / HTTP/1.1\r\nhost: a\r\n${more}\r\n`),
        get text() {
          return text
        },
        closed: once(socket, 'close'),
      }
    },
  }
}

const opened: http.Server[] = []
afterEach(() => {
  for (const server of opened.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

it('lets answers that became ready in one turn leave at its end', async () => {
  const { connect, asked, turns, endTurn } = await open()
  const callers = [connect(), connect()]
  for (const caller of callers) caller.ask()
  await expect.poll(() => asked.length).toBe(2)
  for (const response of asked) response.end('done')
  expect(turns).toHaveLength(1)
  expect(asked.map((response) => response.writableFinished)).toEqual([false, false])
  endTurn()
  await expect.poll(() => callers.map(({ text }) => text.endsWith('done'))).toEqual([true, true])
  expect(asked.map((response) => response.writableFinished)).toEqual([true, true])
})

it('lets no more than 256 wait for the others', async () => {
  const { connect, asked, endTurn } = await open()
  const callers = Array.from({ length: 260 }, connect)
  for (const caller of callers) caller.ask()
  await expect.poll(() => asked.length).toBe(260)
  for (const response of asked) response.end('done')
  const answered = (): number => callers.filter(({ text }) => text.endsWith('done')).length
  await expect.poll(answered).toBe(256)
  endTurn()
  await expect.poll(answered).toBe(260)
})

it('answers one request after another over one connection, whole and in order', async () => {
  const { connect, asked, afterTurn } = await open()
  const caller = connect()
  for (let n = 0; n < 3; n += 1) caller.ask() // all at once, as a client may
  await expect.poll(() => asked.length).toBe(3)
  asked.forEach((response, n) => void response.end(`answer ${n}`))
  await expect.poll(afterTurn(() => caller.text.match(/answer \d/g))).toEqual(['answer 0', 'answer 1', 'answer 2'])
})

it('loses nothing of a stream, nor of the answer that ends a connection', async () => {
  const { connect, asked, afterTurn } = await open()
  const [listener, last] = [connect(), connect()]
  listener.ask()
  last.ask('connection: close\r\n')
  await expect.poll(() => asked.length).toBe(2)
  const [stream, final] = asked.sort((a) => (a.shouldKeepAlive ? -1 : 1)) as [ServerResponse, ServerResponse]
  stream.write('first,')
  stream.write('second,')
  final.end('bye')
  await expect.poll(afterTurn(() => listener.text)).toContain('second,')
  await expect.poll(afterTurn(() => last.text)).toMatch(/bye$/)
  await last.closed
  stream.end('third')
  await expect.poll(afterTurn(() => listener.text)).toContain('third')
})

it('does nothing for a caller who has left meanwhile', async () => {
  const { connect, asked, endTurn, departures } = await open()
  const caller = connect()
  caller.ask()
  await expect.poll(() => asked.length).toBe(1)
  asked[0]!.end('too late')
  asked[0]!.socket?.destroy()
  const left = departures.left()
  endTurn()
  await left
  await caller.closed
  expect(caller.text).toBe('')
})

it('lets all leave that is ready by the time a server that stops goes on', async () => {
  const { connect, asked, turns, departures } = await open()
  const caller = connect()
  caller.ask()
  await expect.poll(() => asked.length).toBe(1)
  const left = departures.left()
  asked[0]!.end('last words') // after the server asked, in the same turn
  turns.shift()!()
  await left
  for (const server of opened) server.closeAllConnections()
  await caller.closed
  expect(caller.text).toMatch(/last words$/)
})
