// The process that runs the code of Restate's workflows. Its server calls it; see restate.mjs.

import * as restate from '@restatedev/restate-sdk'
import { steps, waiter } from './restate-programs.mjs'

process.on('disconnect', () => process.exit(0))
await restate.serve({ services: [steps, waiter], port: Number(process.argv[2]) })
process.send('ready')
