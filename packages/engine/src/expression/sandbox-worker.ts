// The thread of the sandbox. Started by `startThread` with its settings; takes requests one at a time.

import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '@lockstep/base'
import { openMachine } from './sandbox-machine.ts'
import type { MachineSettings, SandboxReply, SandboxRequest } from './sandbox-protocol.ts'

const port = parentPort
if (port === null) throw new Error('sandbox-worker is the entry of a worker thread')
const reply = (message: SandboxReply): void => port.postMessage(message)

// A thread is a process of its own as far as time is concerned: this is its composition.
const machine = await openMachine(workerData as MachineSettings, () => systemClock.monotonic())
let clean = Promise.resolve()

port.on('message', async (request: SandboxRequest) => {
  await clean
  reply({ type: 'outcome', outcome: machine.run(request) })
  clean = machine.reset()
})
reply({ type: 'ready' })
