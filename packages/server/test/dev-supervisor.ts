import {
  allows,
  type DevControl,
  type DevOutcome,
  type DevProcess,
  type DevState,
} from '../src/dev-cluster/dev-control.ts'

const becomes = { kill: 'dead', pause: 'paused', continue: 'running', revive: 'starting' } as const

/** Keeps to what a supervisor promises, without processes. */
export function devSupervisor(self: string, ...others: readonly string[]) {
  const states = new Map<string, DevState>([self, ...others].map((name) => [name, 'running']))
  const orders: string[] = []
  let isGone = false
  const view = (name: string): DevProcess => ({ name, state: states.get(name)!, url: `http://127.0.0.1/${name}` })
  const control: DevControl = {
    self,
    processes: () => (isGone ? [] : [...states.keys()].map(view)),
    async order(verb, name): Promise<DevOutcome> {
      orders.push(`${verb} ${name}`)
      const state = states.get(name)
      if (state === undefined) return { status: 'unknown' }
      if (!allows(verb, state)) return { status: 'wrong-state', state }
      states.set(name, becomes[verb])
      return { status: 'done', process: view(name) }
    },
  }
  const leave = (): void => {
    isGone = true
  }
  return { control, orders, states, leave }
}
