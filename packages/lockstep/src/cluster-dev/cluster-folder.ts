import { existsSync, statSync } from 'node:fs'
import path from 'node:path'

const OTHERS_PASS = 0o001

/**
 * Where the PostgreSQL of a cluster on one machine lives: in the data folder. Root has it run by another user, who does not get into a data
 * folder in which the embedded store was before: then it lives beside that.
 */
export function clusterFolder(dataFolder: string, uid: number | undefined = process.getuid?.()): string {
  const isClosed = uid === 0 && existsSync(dataFolder) && (statSync(dataFolder).mode & OTHERS_PASS) === 0
  return isClosed ? `${dataFolder}-cluster` : path.join(dataFolder, 'cluster-postgres')
}
