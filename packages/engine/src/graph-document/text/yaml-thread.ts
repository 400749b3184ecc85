/**
 * YAML is read at less than a megabyte a second: a large text would stop the node's main loop, and a node whose loop
 * stands still is taken for dead. Small texts are read at once, larger ones in a thread, one at a time.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { textProblem } from './text-entry.ts'
import { runYamlTask, type YamlResult, type YamlTask } from './yaml-task.ts'

const AT_ONCE_BYTES = 64 * 1_024
const HEAP_MB = 2_048

export interface YamlThread {
  /** `undefined`: it needs more memory than there is for it. */
  run<T extends YamlTask>(task: T): Promise<YamlResult<T> | undefined>
}

export function yamlThread(): YamlThread {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(task) {
      if (sizeOf(task) <= AT_ONCE_BYTES) return Promise.resolve(runYamlTask(task))
      const mine = last.then(() => inThread(task))
      last = mine.catch(() => {})
      return mine
    },
  }
}

function sizeOf(task: YamlTask): number {
  if ('read' in task) return task.read.length
  return 'write' in task ? JSON.stringify(task.write).length : task.locate.length
}

function inThread<T extends YamlTask>(task: T): Promise<YamlResult<T> | undefined> {
  const worker = new Worker(workerFile(), {
    workerData: task,
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  })
  return new Promise((resolve, reject) => {
    worker.on('message', resolve)
    worker.on('error', (error: Error & { readonly code?: string }) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve(undefined)
      else reject(error)
    })
    worker.on('exit', () => resolve(undefined))
  })
}

export const outOfMemory = textProblem('TOO_LARGE', 'Reading this YAML takes too much memory: send it as JSON')

/** Node runs no TypeScript in a thread: from source, the built entry is used. */
function workerFile(): URL {
  if (!import.meta.url.endsWith('.ts')) return new URL('./yaml-worker.js', import.meta.url)
  const built = new URL('../../../dist/graph-document/text/yaml-worker.js', import.meta.url)
  if (existsSync(fileURLToPath(built))) return built
  throw new Error('the thread for YAML is not built, run "npx tsc -b packages/engine" first')
}
