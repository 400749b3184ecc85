import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import { type Db, openPostgres } from '@lockstep/postgres'
import { cloneDatabase } from '@lockstep/testing/harness'
import { inject } from 'vitest'
import { readRows } from '../faults/read-rows.ts'
import { nodeProgram } from '../setup/bundle-nodes.ts'

const program = nodeProgram(new URL('./task-node.mjs', import.meta.url))

export interface Crash {
  readonly port: string
  readonly method: string
  readonly when: 'before' | 'after'
  /** From 1. */
  readonly n?: number
}

export interface TaskNode {
  readonly url: string
  readonly nodeId: string
  readonly ended: Promise<unknown>
  kill9(): Promise<void>
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what the wire carries
  call(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: any }>
}

/** One database and the node processes on it. */
export interface TaskSite extends AsyncDisposable {
  readonly db: Db
  node(options?: { readonly name?: string; readonly crash?: Crash; readonly engine?: object }): Promise<TaskNode>
  rows<Row>(text: string): Promise<Row[]>
}

export async function openTaskSite(): Promise<TaskSite> {
  const database = await cloneDatabase(inject('postgres'))
  const db = await openPostgres({ url: database.url, clock, random })
  const children = new Set<ChildProcess>()
  const kill9 = async (child: ChildProcess): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return {
    db,
    async node({ name = 'node', crash, engine } = {}) {
      const child = fork(program, [database.url, JSON.stringify({ name, crash, engine })], { execArgv: [] })
      children.add(child)
      const ended = once(child, 'exit')
      const [said] = (await Promise.race([once(child, 'message'), ended.then(() => [undefined])])) as [
        { readonly url: string; readonly nodeId: string } | undefined,
      ]
      if (said === undefined) throw new Error('the node did not start')
      return { ...said, ended, kill9: () => kill9(child), call: (...asked) => call(said.url, ...asked) }
    },
    rows: (text) => readRows(db, text),
    async [Symbol.asyncDispose]() {
      for (const child of children) await kill9(child)
      await db.close()
      await database.drop()
    },
  }
}

async function call(url: string, method: string, path: string, body?: unknown) {
  const json = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const answer = await fetch(`${url}${path}`, { method, ...json })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
}

export const api = (path: string): string => `/api/v1${path}`
