// A file of customers, a workflow per line, a worker outside. See README.md.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { resolveNodeOptions, startNode, taskWorker } from 'lockstep'

const LINES = 60
const folder = await mkdtemp(path.join(tmpdir(), 'lockstep-import-'))
const store = process.env.DATABASE_URL === undefined ? { dataDir: folder } : { databaseUrl: process.env.DATABASE_URL }
const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
const node = await startNode(resolveNodeOptions({ ...store, port: 0 }), edge)

/** By e-mail address: what the worker keeps. The task's id tells a repetition from another customer. */
const customers = new Map()
/** The first three customers meet a busy database, once each. */
const turnedAway = new Set()
const worker = taskWorker({
  url: node.url,
  task: 'store-customer',
  concurrency: 4,
  handler: ({ email }, { task }) => {
    if (!email.includes('@'))
      throw Object.assign(new Error(`"${email}" is no e-mail address`), { code: 'BAD_LINE', retryable: false })
    if (turnedAway.size < 3 && !turnedAway.has(email)) {
      turnedAway.add(email)
      throw new Error('the customer database is busy') // the step tries again
    }
    customers.set(email, task.id)
    return { id: customers.size }
  },
})
try {
  for (const file of ['line.json', 'import.json']) {
    const workflow = JSON.parse(await readFile(new URL(file, import.meta.url), 'utf8'))
    await send('PUT', `/api/v1/workflow-definitions/${workflow.id}`, workflow)
  }
  const lines = Array.from({ length: LINES }, (_, n) => ({
    email: n % 20 === 7 ? `wrong-${n}` : `customer-${n}@example.com`,
  }))
  const { status, body } = await send('POST', '/workflows/customers/import', lines)
  say(`The import answered ${status}: ${body.imported} of ${LINES} lines were imported`)
  for (const { line, why } of body.failed) say(`line ${line}: ${why}`)
  say(`The worker has ${customers.size} customers`)
  process.exitCode = status === 207 && body.failed.length === 3 && customers.size === LINES - 3 ? 0 : 1
} finally {
  await worker.stop()
  await node.stop()
  await rm(folder, { recursive: true, force: true })
}

async function send(method, url, body) {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${node.url}${url}`, { method, headers, body: JSON.stringify(body) })
  return { status: answer.status, body: await answer.json() }
}

function say(text) {
  process.stdout.write(`${text}\n`)
}
