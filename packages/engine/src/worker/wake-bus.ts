export { silentBus, type WakeBus } from '@lockstep/coordination'
