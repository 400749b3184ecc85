import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { errorMessage, InvalidOption, isJsonObject } from '@lockstep/base'
import type { CustomActivity } from '@lockstep/engine'
import { parse as parseYaml } from 'yaml'
import { isActivity } from '../activity-modules/activities-of.ts'
import { type ActivitySource, configSource, moduleSource } from '../activity-modules/activity-source.ts'
import { loadModule } from '../activity-modules/load-module.ts'
import { modulesIn } from '../activity-modules/module-folder.ts'
import type { Programs } from '../open-node.ts'
import { type CodeOptions, optionNames, type RawOptions } from './raw-options.ts'

const candidates = ['ts', 'js', 'mjs', 'json', 'yaml', 'yml'].map((ending) => `lockstep.config.${ending}`)

export interface ConfigFile {
  /** Its name; absent: there is none. */
  readonly file?: string
  readonly options: RawOptions & CodeOptions
  /** Workflows and activities that the file brings with it; only code can. */
  readonly programs: Programs
}

/** Reads the configuration file: the one named, or the first that exists in `folder`. None is no error. */
export async function readConfigFile(folder: string, named?: string): Promise<ConfigFile> {
  const file =
    named === undefined
      ? candidates.map((name) => path.join(folder, name)).find((each) => existsSync(each))
      : path.resolve(folder, named)
  if (file === undefined) return { options: {}, programs: { workflows: [], activities: [], jobs: [] } }
  if (!existsSync(file))
    throw new InvalidOption({ option: '--config', rule: 'the path of an existing file', value: named })
  return checked(await load(file), file)
}

async function load(file: string): Promise<unknown> {
  try {
    if (file.endsWith('.json')) return JSON.parse(readFileSync(file, 'utf8'))
    // A file of nothing but comments says nothing.
    if (/\.ya?ml$/.test(file)) return parseYaml(readFileSync(file, 'utf8')) ?? {}
    return defaultOf(await loadModule(file))
  } catch (cause) {
    throw new InvalidOption(
      { option: path.basename(file), rule: `a file that can be read (${errorMessage(cause)})` },
      { cause },
    )
  }
}

/** Where no package says that files are modules, TypeScript becomes CommonJS, and its default export stands inside another. */
function defaultOf(loaded: unknown): unknown {
  return typeof loaded === 'object' && loaded !== null && 'default' in loaded ? defaultOf(loaded.default) : loaded
}

async function checked(value: unknown, at: string): Promise<ConfigFile> {
  const file = path.basename(at)
  if (!isJsonObject(value)) throw new InvalidOption({ option: file, rule: 'an object of options' })
  const { workflows = [], activities = [], jobs = [], limits, archive, ...options } = value as Record<string, unknown>
  for (const key of Object.keys(options)) {
    if (!(optionNames as readonly string[]).includes(key) && key !== 'secrets')
      throw new InvalidOption({
        option: `${file}: ${key}`,
        rule: `one of the known options (${optionNames.join(', ')}, secrets, workflows, activities, jobs, limits, archive)`,
      })
  }
  for (const [name, list] of Object.entries({ workflows, jobs })) {
    if (!Array.isArray(list) || list.some((each) => typeof each !== 'object' || each === null))
      throw new InvalidOption({ option: `${file}: ${name}`, rule: 'a list of workflows or jobs' })
  }
  const { sources, folders } = await sourcesOf(activities, at)
  return {
    file,
    options: options as RawOptions,
    programs: {
      workflows,
      activities: sources.flatMap((each) => each.activities),
      jobs,
      sources,
      folders,
      limits,
      archive,
    } as Programs,
  }
}

/** `activities` holds activities, and paths of modules that export some; a folder stands for all modules in it. */
async function sourcesOf(listed: unknown, config: string): Promise<Required<Pick<Programs, 'sources' | 'folders'>>> {
  const isSound = (each: unknown): boolean => typeof each === 'string' || isActivity(each)
  if (!Array.isArray(listed) || !listed.every(isSound))
    throw new InvalidOption({
      option: `${path.basename(config)}: activities`,
      rule: 'a list of activities made with defineActivity, and of paths of modules that export some',
    })
  const own = listed.filter((each): each is CustomActivity => typeof each !== 'string')
  const places = listed.filter((each) => typeof each === 'string').map((each) => placeOf(config, each))
  const folders = places.filter((place) => statSync(place).isDirectory())
  const files = places.flatMap((place) => (folders.includes(place) ? modulesIn(place) : [place]))
  const sources: ActivitySource[] = own.length === 0 ? [] : [configSource(config, own, defaultOf)]
  for (const file of files) sources.push(moduleSource(file, await loadActivities(file)))
  return { sources, folders }
}

function placeOf(config: string, written: string): string {
  const at = path.resolve(path.dirname(config), written)
  if (!existsSync(at))
    throw new InvalidOption({
      option: `${path.basename(config)}: activities`,
      rule: 'paths that exist',
      value: written,
    })
  return at
}

async function loadActivities(file: string): Promise<unknown> {
  try {
    return await loadModule(file)
  } catch (cause) {
    throw new InvalidOption({ option: file, rule: `a module that can be loaded (${errorMessage(cause)})` }, { cause })
  }
}
