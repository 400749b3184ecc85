import { readdirSync } from 'node:fs'
import path from 'node:path'

/** Tests and declarations stand beside modules and are none. */
export const isModule = (file: string): boolean => /\.(ts|js|mjs)$/.test(file) && !/\.(d|test)\.(ts|js|mjs)$/.test(file)

export function modulesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter(isModule)
    .sort()
    .map((name) => path.join(folder, name))
}
