// A document behind HTTP. With `checked` it compares the fence of every write with the highest it has seen.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { fenceVerifier, memoryFenceStore } from '@lockstep/coordination'

export async function openStorage(checked) {
  const writes = []
  const verifier = fenceVerifier(memoryFenceStore())

  const server = createServer(async (request, response) => {
    const content = (await request.toArray()).join('')
    const write = () => void writes.push(content)
    if (!checked) {
      write()
      return response.end('written')
    }
    const result = await verifier.protect({ headers: request.headers, resource: 'document' }, write)
    if (result.status === 'accepted') return response.end('written')
    response.statusCode = result.httpStatus
    response.end(result.status === 'stale' ? `refused: fence ${result.seen} was here` : `refused: ${result.status}`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    writes,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}
