import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { errorMessage, InvalidOption, isJsonObject } from '@lockstep/base'
import { parse as parseYaml } from 'yaml'
import type { Programs } from '../open-node.ts'
import { optionNames, type RawOptions } from './raw-options.ts'

const candidates = ['ts', 'js', 'mjs', 'json', 'yaml', 'yml'].map((ending) => `lockstep.config.${ending}`)

export interface ConfigFile {
  readonly options: RawOptions
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
  return checked(await load(file), path.basename(file))
}

async function load(file: string): Promise<unknown> {
  try {
    if (file.endsWith('.json')) return JSON.parse(readFileSync(file, 'utf8'))
    if (/\.ya?ml$/.test(file)) return parseYaml(readFileSync(file, 'utf8'))
    const loaded: unknown = file.endsWith('.ts') ? await loadTypeScript(file) : await import(pathToFileURL(file).href)
    return defaultOf(loaded)
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

/** Node 20 cannot read TypeScript by itself. Loaded only when it is needed: it brings a compiler. */
async function loadTypeScript(file: string): Promise<unknown> {
  const { tsImport } = await import('tsx/esm/api')
  return tsImport(pathToFileURL(file).href, import.meta.url)
}

function checked(value: unknown, file: string): ConfigFile {
  if (!isJsonObject(value)) throw new InvalidOption({ option: file, rule: 'an object of options' })
  const { workflows = [], activities = [], jobs = [], ...options } = value as Record<string, unknown>
  for (const key of Object.keys(options)) {
    if (!(optionNames as readonly string[]).includes(key))
      throw new InvalidOption({
        option: `${file}: ${key}`,
        rule: `one of the known options (${optionNames.join(', ')}, workflows, activities, jobs)`,
      })
  }
  for (const [name, list] of Object.entries({ workflows, activities, jobs })) {
    if (!Array.isArray(list) || list.some((each) => typeof each !== 'object' || each === null))
      throw new InvalidOption({ option: `${file}: ${name}`, rule: 'a list of workflows, activities or jobs' })
  }
  return {
    options: options as RawOptions,
    programs: { workflows, activities, jobs } as Programs,
  }
}
