/** A store opened by the command line itself, without a node. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { silentLogger, systemClock, systemRandom, uuidSource } from '@lockstep/base'
import { DataFolderUnreadable, type Db, historyGuard } from '@lockstep/postgres'
import { type Edge, openDatabase } from '../open-database.ts'
import { resolveNodeOptions } from '../options/node-options.ts'
import { readEnvironment } from '../options/read-environment.ts'
import type { Terminal } from './terminal/terminal.ts'

export interface StorePlace {
  readonly databaseUrl?: string | undefined
  readonly dataDir?: string | undefined
}

export const directEdge: Edge = { clock: systemClock, random: systemRandom, logger: silentLogger }

/** What flags name goes before what the environment names. */
export function placeOf(
  { environment, folder: here }: Terminal,
  { databaseUrl, dataDir }: StorePlace,
): StorePlace & { dataDir: string } {
  const told = readEnvironment(environment)
  const folder = path.resolve(here, dataDir ?? told.dataDir ?? '.lockstep')
  return { dataDir: folder, databaseUrl: databaseUrl ?? (dataDir === undefined ? told.databaseUrl : undefined) }
}

/** `schema`: what is done about a schema of another version. A data folder must be there: none is made. */
export function openStore({ databaseUrl, dataDir }: StorePlace, schema: 'auto' | 'check' | 'off'): Promise<Db> {
  if (databaseUrl === undefined && dataDir !== undefined && !existsSync(dataDir))
    throw new DataFolderUnreadable({ folder: dataDir, message: 'there is no such folder' })
  const options = resolveNodeOptions({
    migrate: schema,
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    ...(dataDir === undefined ? {} : { dataDir }),
  })
  const name = `lockstep-cli:${uuidSource(systemClock, systemRandom)()}`
  return openDatabase(options, historyGuard(), name, directEdge)
}
