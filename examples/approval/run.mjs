// Two expenses: one is approved through a link, one goes to the boss. See README.md.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { resolveNodeOptions, startNode } from 'lockstep'

const folder = await mkdtemp(path.join(tmpdir(), 'lockstep-approval-'))
const store = process.env.DATABASE_URL === undefined ? { dataDir: folder } : { databaseUrl: process.env.DATABASE_URL }
const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
const node = await startNode(resolveNodeOptions({ ...store, port: 0 }), edge)
try {
  const workflow = JSON.parse(await readFile(new URL('workflow.json', import.meta.url), 'utf8'))
  await call('PUT', `/workflow-definitions/${workflow.id}`, workflow)

  const small = await start({ who: 'Ann', amount: 40 })
  const [task] = await tasks(small)
  say(`Accounting is asked: ${task.title}`)
  const { token } = await call('POST', `/human-tasks/${task.id}/token`)
  const { form, outcomes } = await call('GET', `/resume/${token}`)
  say(`The link shows the fields ${Object.keys(form.properties)} and the choices ${outcomes}`)
  const refused = await call('POST', `/resume/${token}`, { outcome: 'approve', data: { reason: 'ok' } })
  say(`Handed in too little: ${refused.problems[0].pointer} ${refused.problems[0].text}`)
  const taken = await call('POST', `/resume/${token}`, {
    outcome: 'approve',
    data: { reason: 'team lunch' },
    by: 'Bea',
  })
  say(`Handed in again: ${taken.outcome}`)
  say(
    `Clicked once more: ${(await call('POST', `/resume/${token}`, { outcome: 'reject', data: { reason: 'oh no' } })).code}`,
  )

  const large = await start({ who: 'Carl', amount: 5000 })
  const boss = await until(async () => (await tasks(large)).find((each) => each.assignee === 'boss'))
  say(`The boss is asked: ${boss.title}`)
  await call('POST', `/human-tasks/${boss.id}/complete`, { outcome: 'reject', by: 'the boss' })

  const ends = [await ended(small), await ended(large)]
  for (const { input, output } of ends) say(`${input.who}: ${output.paid ? 'paid' : 'not paid'}`)
  process.exitCode = ends[0].output.paid === true && ends[1].output.paid === false ? 0 : 1
} finally {
  await node.stop()
  await rm(folder, { recursive: true, force: true })
}

async function start(input) {
  return (await call('POST', '/workflow-instances', { definitionId: 'expense-approval', input })).id
}

/** Open tasks of an instance, as soon as there are any. */
function tasks(instanceId) {
  return until(async () => {
    const { items } = await call('GET', `/human-tasks?instanceId=${instanceId}`)
    return items.length > 0 ? items : undefined
  })
}

function ended(instanceId) {
  return until(async () => {
    const instance = await call('GET', `/workflow-instances/${instanceId}?wait=30s`)
    return instance.finishedAt === null ? undefined : instance
  })
}

async function until(look) {
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function call(method, url, body) {
  const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  return (await fetch(`${node.url}/api/v1${url}`, { method, ...sent })).json()
}

function say(text) {
  process.stdout.write(`${text}\n`)
}
