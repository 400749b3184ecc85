// The least that a durable answer takes: a bare Fastify route with the same request, which writes one row and, in a second commit, that it has ended.
// No engine, no batches, no access rules.
import { answer } from '../process/answer.mjs'
import { loadFastify, pg } from '../servers/driver.mjs'

const CONNECTIONS = 10
const body = {
  type: 'object',
  required: ['definitionId'],
  properties: { definitionId: { type: 'string' }, input: { type: 'object', additionalProperties: true } },
}
const begin = { name: 'begin', text: 'insert into run (input) values ($1) returning id' }
const end = { name: 'end', text: 'update run set output = input, ended = now() where id = $1 returning output' }
let app
let pool

answer({
  async open({ url }) {
    pool = new pg.Pool({ connectionString: url, max: CONNECTIONS })
    await pool.query(
      'create table run (id uuid primary key default gen_random_uuid(), input jsonb, output jsonb, ended timestamptz)',
    )
    app = loadFastify()()
    app.post('/runs', { schema: { body } }, async (request) => {
      const begun = await pool.query({ ...begin, values: [request.body.input] })
      const { id } = begun.rows[0]
      const ended = await pool.query({ ...end, values: [id] })
      return { id, status: 'completed', output: ended.rows[0].output }
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
  },
  async targets() {
    return { starts: `${app.listeningOrigin}/runs` }
  },
  async close() {
    await app?.close()
    await pool?.end()
  },
})
