import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root, say } from './say.mjs'

const folder = path.join(root, '.lockstep-bootstrap')
const owner = path.join(folder, 'pid')

/** Two starts in one fresh clone must not install over each other: the second waits, or takes over from a dead one. */
export async function withFolderLock(work) {
  let told = false
  while (!tryLock()) {
    const pid = ownerPid()
    if (pid !== undefined && !isAlive(pid)) {
      rmSync(folder, { recursive: true, force: true })
      continue
    }
    if (!told)
      say(`another process${pid === undefined ? '' : ` (pid ${pid})`} is installing or building here, waiting for it`)
    told = true
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
  const unlock = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', unlock)
  const interrupted = () => process.exit(130)
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted)
  try {
    return await work()
  } finally {
    unlock()
    process.off('exit', unlock).off('SIGINT', interrupted).off('SIGTERM', interrupted)
  }
}

function tryLock() {
  try {
    mkdirSync(folder)
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
  writeFileSync(owner, String(process.pid))
  return true
}

/** `undefined`: the owner has made the folder but not written its pid yet. */
function ownerPid() {
  try {
    return Number(readFileSync(owner, 'utf8')) || undefined
  } catch {
    return undefined
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
