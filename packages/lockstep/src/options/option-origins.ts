import { environmentNames, optionNames, type RawOptions } from './raw-options.ts'
import { readEnvironment } from './read-environment.ts'

/** Who set each option: `--host`, the name of a variable, the name of a file, `code` or `default`. */
export type OptionOrigins = Readonly<Partial<Record<keyof RawOptions, string>>>

/** In the order in which they win. */
export interface OptionSources {
  readonly flags?: RawOptions
  readonly environment?: NodeJS.ProcessEnv
  readonly file?: { readonly name: string; readonly options: RawOptions }
  readonly defaults?: RawOptions
}

export function optionOrigins({ flags = {}, environment = {}, file, defaults = {} }: OptionSources): OptionOrigins {
  const variables = readEnvironment(environment)
  const originOf = (option: keyof RawOptions): string | undefined => {
    if (flags[option] !== undefined) return flagOf(option)
    if (variables[option] !== undefined) return variableOf(option, environment)
    if (file?.options[option] !== undefined) return file.name
    return defaults[option] === undefined ? undefined : 'default of the command'
  }
  const found = optionNames.map((option) => [option, originOf(option)] as const)
  return Object.fromEntries(found.filter(([, origin]) => origin !== undefined))
}

const flagOf = (option: string): string => `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

function variableOf(option: keyof RawOptions, environment: NodeJS.ProcessEnv): string {
  const name = environmentNames[option]
  return environment[name] ? name : environment[`${name}_FILE`] ? `${name}_FILE` : 'LOCKSTEP_LOG'
}
