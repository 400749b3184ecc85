import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { findProcess, listProcesses, type ProcessEntry, workingFolder } from '../../src/harness/process-table.ts'
import { freeSharedMemory } from '../../src/harness/shared-memory.ts'
import { type Footprint, footprintOf, untilGone } from './footprint.ts'
import { waitUntil } from './wait-until.ts'

const packageFolder = fileURLToPath(new URL('../..', import.meta.url))

/** A program that starts servers, runs `then`, and prints the servers' pids and folders. */
function owner(servers: readonly string[], then = ''): ChildProcess {
  const code = `
    import * as harness from '@lockstep/testing/harness'
    const start = (name) => harness['start' + name]({ quiet: true, env: { PATH: process.env.PATH } })
    const servers = await Promise.all(${JSON.stringify(servers)}.map(start))
    const [first] = servers
    const facts = servers.map(({ pid, folder }) => ({ pid, folder }))
    ${then}
    console.log(JSON.stringify(facts))
    await new Promise((resolve) => process.stdin.once('end', resolve).resume())`
  return spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: packageFolder,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}

async function footprintsOf(child: ChildProcess): Promise<Footprint[]> {
  if (!child.stdout) throw new Error('no output to read')
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const footprints = (JSON.parse(line) as { pid: number; folder: string }[]).map(footprintOf)
  for (const { folder, processes } of footprints) {
    expect(existsSync(folder)).toBe(true)
    expect(processes.length).toBeGreaterThanOrEqual(2)
  }
  return footprints
}

function childrenOf(pid: number | undefined): ProcessEntry[] {
  return listProcesses().filter((entry) => entry.parentPid === pid)
}

describe('nothing is left behind', () => {
  it.each(['SIGKILL', 'SIGINT', 'SIGTERM'] as const)(
    'when the owner of PostgreSQL and Redis gets %s',
    async (signal) => {
      const child = owner(['Postgres', 'Redis'])
      const footprints = await footprintsOf(child)
      child.kill(signal)
      await Promise.all(footprints.map(untilGone))
    },
  )

  it('when the owner of RabbitMQ is killed', async () => {
    const child = owner(['Rabbitmq'])
    const footprints = await footprintsOf(child)
    child.kill('SIGKILL')
    await Promise.all(footprints.map(untilGone))
  })

  it('when the owner is killed while its server is paused', async () => {
    const child = owner(['Postgres'], 'await first.pause()')
    const footprints = await footprintsOf(child)
    child.kill('SIGKILL')
    await Promise.all(footprints.map(untilGone))
  })

  it('when the owner ends and has forgotten to stop its servers', async () => {
    const child = owner(['Postgres', 'Redis'])
    const footprints = await footprintsOf(child)
    child.stdin?.end()
    expect(await once(child, 'exit')).toEqual([0, null])
    await Promise.all(footprints.map(untilGone))
  })

  it('when the owner is killed before its server is ready', async () => {
    const child = owner(['Postgres'])
    const initdb = await waitUntil('initdb runs', () => {
      const guardians = new Set(childrenOf(child.pid).map(({ pid }) => pid))
      const found = listProcesses().find((entry) => guardians.has(entry.parentPid))
      return found && workingFolder(found.pid)?.includes('lockstep-') ? found : undefined
    })
    const folder = workingFolder(initdb.pid) as string
    const processes = [initdb, ...childrenOf(child.pid)]
    child.kill('SIGKILL')
    await untilGone({ folder, processes })
  })

  it('when the guardian itself is told to end', async () => {
    const child = owner(['Redis'])
    const [footprint] = (await footprintsOf(child)) as [Footprint]
    const [guardian] = childrenOf(child.pid)
    process.kill(guardian?.pid as number, 'SIGTERM')
    await untilGone(footprint)
    child.kill()
  })

  it('but the folder, when even the guardian is killed', async () => {
    const child = owner(['Postgres', 'Redis'])
    const footprints = await footprintsOf(child)
    for (const { pid } of childrenOf(child.pid)) process.kill(pid, 'SIGKILL')
    child.kill('SIGKILL')
    for (const { folder, processes } of footprints) {
      await waitUntil('its processes are gone', () => processes.every(({ pid }) => findProcess(pid) === undefined))
      freeSharedMemory(join(folder, 'data'))
      rmSync(folder, { recursive: true })
    }
  })
})
