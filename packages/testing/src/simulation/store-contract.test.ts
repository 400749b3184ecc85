import { seededRandom } from '@lockstep/base'
import { engineStoreContract } from '../contracts/index.ts'
import { simulatedStore } from './simulated-store.ts'
import { virtualClock } from './virtual-clock.ts'

engineStoreContract(
  'simulated',
  async () => ({ store: simulatedStore({ clock: virtualClock(), random: seededRandom(1) }).direct, close: async () => {} }),
  { sequences: 2_000 },
)
