// The thread of the sandbox. Started by `startThread` with its settings; takes requests one at a time.

import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '@lockstep/base'
import { openMachine } from './sandbox-machine.ts'
import type { MachineSettings, SandboxReply, SandboxRequest } from './sandbox-protocol.ts'
import { ownThread, threadTime } from './thread-time.ts'

const port = parentPort
if (port === null) throw new Error('sandbox-worker is the entry of a worker thread')
const reply = (message: SandboxReply): void => port.postMessage(message)

// A thread is a process of its own as far as time is concerned: this is its composition.
const place = ownThread()
const { workedMs } = threadTime(place)
const machine = await openMachine(workerData as MachineSettings, { monotonic: systemClock.monotonic, workedMs })
let clean = Promise.resolve()

port.on('message', async (request: SandboxRequest) => {
  await clean
  const outcome = machine.run(request)
  reply({ type: 'outcome', outcome, workedMs: workedMs() })
  clean = machine.reset()
})
reply({ type: 'ready', place, workedMs: workedMs() })
