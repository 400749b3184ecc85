import { afterEach, describe } from 'vitest'
import { agendaExamples } from './engine-store/agenda-examples.ts'
import { checkpointExamples } from './engine-store/checkpoint-examples.ts'
import { clusterExamples } from './engine-store/cluster-examples.ts'
import { definitionExamples } from './engine-store/definition-examples.ts'
import { type Bench, bench, type EngineStoreHarness, type OpenEngineStore } from './engine-store/fixture.ts'
import { flowExamples } from './engine-store/flow-examples.ts'
import { breakerExamples } from './engine-store/limit-breaker-examples.ts'
import { limitExamples } from './engine-store/limit-examples.ts'
import { maintenanceExamples } from './engine-store/maintenance-examples.ts'
import { membershipExamples } from './engine-store/membership-examples.ts'
import { type ModelRunOptions, modelExamples } from './engine-store/model-examples.ts'
import { operationExamples } from './engine-store/operation-examples.ts'
import { readerExamples } from './engine-store/reader-examples.ts'
import { scheduleExamples } from './engine-store/schedule-examples.ts'
import { startExamples } from './engine-store/start-examples.ts'
import { stimulusExamples } from './engine-store/stimulus-examples.ts'
import { humanTaskExamples, taskExamples } from './engine-store/task-examples.ts'
import { transactionExamples } from './engine-store/transaction-examples.ts'
import { triggerExamples } from './engine-store/trigger-examples.ts'
import { verbExamples } from './engine-store/verb-examples.ts'

/** What every store of the engine does. `open` answers an empty store each time it is called. */
export function engineStoreContract(
  provider: string,
  openHarness: OpenEngineStore,
  options: ModelRunOptions = {},
): void {
  describe(`${provider}: engine store contract`, () => {
    const opened: EngineStoreHarness[] = []
    const open = async (): Promise<Bench> => {
      const harness = await openHarness()
      opened.push(harness)
      return bench(harness.store)
    }
    afterEach(async () => {
      for (const harness of opened.splice(0)) await harness.close()
    })

    describe('membership', () => membershipExamples(open))
    describe('cluster', () => clusterExamples(open))
    describe('starts and repeated batches', () => startExamples(open))
    describe('checkpoints', () => checkpointExamples(open))
    describe('agenda', () => agendaExamples(open))
    describe('stimuli', () => stimulusExamples(open))
    describe('definitions', () => definitionExamples(open))
    describe('reading', () => readerExamples(open))
    describe('schedules', () => scheduleExamples(open))
    describe('maintenance', () => maintenanceExamples(open))
    describe('tasks', () => taskExamples(open))
    describe('human tasks', () => humanTaskExamples(open))
    describe('triggers', () => triggerExamples(open))
    describe('limits of steps', () => limitExamples(open))
    describe('breakers and progress of steps', () => breakerExamples(open))
    describe('flow control', () => flowExamples(open))
    describe('transactions of the user', () => transactionExamples(open))
    describe('verbs', () => verbExamples(open))
    describe('bulk operations and incidents', () => operationExamples(open))
    describe('any sequence of calls', () => modelExamples(openHarness, options))
  })
}
