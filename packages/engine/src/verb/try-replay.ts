/**
 * Runs the code of a function over the journal of one of its instances, to see whether it comes past all that is recorded there. Nothing is
 * written, and nothing outside is done: what the code asks for beyond the record never comes.
 */
import { LazyAbort } from '@lockstep/base'
import { FunctionExecution, type FunctionShell, type WorkflowLocks } from '../function/function-execution.ts'
import type { AnyWorkflow } from '../function/workflow-context.ts'
import type { MigrationProblem } from '../graph/migrate/migration-problem.ts'
import type { RecordedFact } from '../store/agenda-store.ts'
import type { ExecutionHost, InstanceIdentity } from '../worker/execution.ts'

/** Turns of the event loop after which code that is still not there is taken to be on another way. */
const MOST_TURNS = 200

export async function tryReplay(
  workflow: AnyWorkflow,
  shell: FunctionShell,
  identity: InstanceIdentity,
  facts: readonly RecordedFact[],
): Promise<MigrationProblem | undefined> {
  const host = deafHost(identity)
  const execution = new FunctionExecution(workflow, { ...shell, locks: openLocks, secrets: openSecrets }, host)
  try {
    execution.replay(undefined, facts)
    execution.advance()
    for (let turn = 0; turn < MOST_TURNS && !execution.isBeyondRecord; turn += 1) {
      const posture = execution.posture()
      if (posture.kind === 'ended') return problem(workflow, posture.error?.message ?? 'it ended before')
      await new Promise<void>((resolve) => shell.clock.soon(resolve))
    }
    return execution.isBeyondRecord ? undefined : problem(workflow, 'it does not ask for all that is recorded')
  } finally {
    execution.dispose()
    host.abort.release()
  }
}

function problem({ id, version }: AnyWorkflow, reason: string): MigrationProblem {
  return {
    code: 'NON_DETERMINISTIC',
    at: id,
    text: `Version ${version} of "${id}" does not fit what this run has recorded: ${reason}`,
  }
}

const never = <T>(): Promise<T> => new Promise(() => {})

function deafHost(identity: InstanceIdentity): ExecutionHost & { readonly abort: LazyAbort } {
  return {
    identity,
    abort: new LazyAbort(),
    isStill: false,
    isDraining: false,
    record: () => {},
    propose: () => {},
    durable: never,
    effect: never,
    transact: never,
    startChild: never,
    endOf: never,
    readAnew: () => {},
    storeNow: () => 0,
    newId: () => '00000000-0000-7000-8000-000000000000',
    changed: () => {},
  }
}

/** What is in them changes nothing of what is asked for. */
const openSecrets = async (): Promise<string> => 'secret'

/** Sections that were under way are gone through without their lock: nothing happens inside. */
const openLocks = {
  mutex: () => ({
    run: (work: (lease: object) => Promise<unknown>) => work({ fence: 0n, signal: new AbortController().signal }),
  }),
} as unknown as WorkflowLocks
