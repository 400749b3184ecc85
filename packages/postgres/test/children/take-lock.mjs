// Tries to lock the folder given as argument when told to on stdin; says what came of it; holds it until stdin ends.
import { createInterface } from 'node:readline'
import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import { lockFolder } from '../../dist/pglite/folder-lock.js'

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
console.log('ready')
await lines.next()
const lock = await lockFolder(process.argv[2], clock, random).catch((error) => {
  console.log(error.code)
})
if (lock !== undefined) console.log('locked')
await lines.next()
lock?.release()
process.exit(0)
