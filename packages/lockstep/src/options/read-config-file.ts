import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { errorMessage, InvalidOption, isJsonObject } from '@lockstep/base'
import { parse as parseYaml } from 'yaml'
import { optionNames, type RawOptions } from './raw-options.ts'

const candidates = ['ts', 'js', 'mjs', 'json', 'yaml', 'yml'].map((ending) => `lockstep.config.${ending}`)

/** Reads the configuration file: the one named, or the first that exists in `folder`. None is no error. */
export async function readConfigFile(folder: string, named?: string): Promise<RawOptions> {
  const file =
    named === undefined
      ? candidates.map((name) => path.join(folder, name)).find((each) => existsSync(each))
      : path.resolve(folder, named)
  if (file === undefined) return {}
  if (!existsSync(file))
    throw new InvalidOption({ option: '--config', rule: 'the path of an existing file', value: named })
  return checked(await load(file), path.basename(file))
}

async function load(file: string): Promise<unknown> {
  try {
    if (file.endsWith('.json')) return JSON.parse(readFileSync(file, 'utf8'))
    if (/\.ya?ml$/.test(file)) return parseYaml(readFileSync(file, 'utf8'))
    const loaded: unknown = await import(pathToFileURL(file).href)
    return typeof loaded === 'object' && loaded !== null && 'default' in loaded ? loaded.default : loaded
  } catch (cause) {
    throw new InvalidOption(
      { option: path.basename(file), rule: `a file that can be read (${errorMessage(cause)})` },
      { cause },
    )
  }
}

function checked(value: unknown, file: string): RawOptions {
  if (!isJsonObject(value)) throw new InvalidOption({ option: file, rule: 'an object of options' })
  for (const key of Object.keys(value)) {
    if (!(optionNames as readonly string[]).includes(key) && key !== 'workflows' && key !== 'activities')
      throw new InvalidOption({
        option: `${file}: ${key}`,
        rule: `one of the known options (${optionNames.join(', ')})`,
      })
  }
  return value as RawOptions
}
