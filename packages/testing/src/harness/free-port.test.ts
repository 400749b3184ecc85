import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { accepts } from './ask-port.ts'
import { freePort } from './free-port.ts'

it('gives a port that a server can listen on', async () => {
  const port = await freePort()
  expect(await accepts(port)).toBe(false)
  const server = createServer((socket) => socket.end())
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  expect(await accepts(port)).toBe(true)
  await new Promise((resolve) => server.close(resolve))
})
