// Where test files keep their databases, folders and sockets: in memory, where the machine has room for it. A run makes and deletes some hundred
// thousand files; on some file systems each new one looks through those that were deleted lately, which took an eighth to a sixth of all processor time.
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import path from 'node:path'

const MEMORY = '/dev/shm'
const PREFIX = 'lockstep-tests-'
const TMPFS = 0x01021994
/** More than a run was ever seen to hold at a time, several times over. */
const ROOM_BYTES = 8 * 1024 ** 3

/** For `TMPDIR` of a run; gone when this process is. `undefined`: there is no such room, and files go where the system has them. */
export function memoryFolder() {
  if (!hasRoom()) return undefined
  for (const name of readdirSync(MEMORY)) if (isLeftOver(name)) remove(path.join(MEMORY, name))
  const folder = path.join(MEMORY, `${PREFIX}${process.pid}`)
  mkdirSync(folder)
  chmodSync(folder, 0o755) // servers of databases run as users of their own
  process.on('exit', () => remove(folder))
  return folder
}

function hasRoom() {
  if (!existsSync(MEMORY)) return false
  const { type, bavail, bsize } = statfsSync(MEMORY)
  return type === TMPFS && bavail * bsize >= ROOM_BYTES
}

/** A run that was killed cleans up nothing, and memory is not a disk. */
function isLeftOver(name) {
  const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length)) : 0
  return pid > 0 && !existsSync(`/proc/${pid}`)
}

function remove(folder) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}
