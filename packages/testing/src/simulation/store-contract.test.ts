import { seededRandom } from '@lockstep/base'
import type { EngineStore } from '@lockstep/engine/ports'
import { engineStoreContract } from '../contracts/index.ts'
import { simulatedStore } from './simulated-store.ts'
import { type VirtualClock, virtualClock } from './virtual-clock.ts'

engineStoreContract(
  'simulated',
  async () => ({
    store: simulatedStore({ clock: virtualClock(), random: seededRandom(1) }).direct,
    close: async () => {},
  }),
  { sequences: 1_000 },
)

engineStoreContract(
  'simulated, through a link',
  async () => {
    const clock = virtualClock()
    const store = simulatedStore({ clock, random: seededRandom(1) })
    return { store: drivenBy(clock, store.connect(clock.view()).store), close: async () => {} }
  },
  { sequences: 60 },
)

/** Lets time pass while somebody waits for an answer. */
function drivenBy(clock: VirtualClock, store: EngineStore): EngineStore {
  let isDriven = false
  let waiting = 0
  const drive = async (): Promise<void> => {
    isDriven = true
    while (waiting > 0) await clock.advance(1)
    isDriven = false
  }
  const whileWaiting = async (answer: Promise<unknown>): Promise<unknown> => {
    waiting += 1
    if (!isDriven) void drive()
    try {
      return await answer
    } finally {
      waiting -= 1
    }
  }
  const driven = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get: (target, key) => {
        const method: unknown = Reflect.get(target, key)
        return typeof method === 'function' ? (...args: unknown[]) => whileWaiting(method(...args)) : method
      },
    })
  return {
    membership: driven(store.membership),
    commits: driven(store.commits),
    agenda: driven(store.agenda),
    stimuli: driven(store.stimuli),
    definitions: driven(store.definitions),
    definitionUsage: driven(store.definitionUsage),
    instances: driven(store.instances),
    transactions: driven(store.transactions),
    schedules: driven(store.schedules),
    maintenance: driven(store.maintenance),
    verbs: driven(store.verbs),
    incidents: driven(store.incidents),
    operations: driven(store.operations),
    flow: driven(store.flow),
    tasks: driven(store.tasks),
    humanTasks: driven(store.humanTasks),
    triggers: driven(store.triggers),
    steps: {
      limits: driven(store.steps.limits),
      breakers: driven(store.steps.breakers),
      progress: driven(store.steps.progress),
      parts: driven(store.steps.parts),
    },
  }
}
