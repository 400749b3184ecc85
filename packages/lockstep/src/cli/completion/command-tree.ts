import type { Command } from 'commander'
import { type LiveIds, liveIdsOf } from './live-ids.ts'

export interface Word {
  readonly word: string
  readonly about: string
}

/** One place on the command line: what has been said, and what may follow. */
export interface Place {
  /** `instances list`; empty at the beginning. */
  readonly said: string
  /** Other ways to say it. */
  readonly aliases: readonly string[]
  readonly commands: readonly Word[]
  readonly options: readonly Word[]
  /** What a node has to be asked for. */
  readonly ids?: LiveIds
}

/** Every place that the commands know, the beginning first. */
export function placesOf(commands: readonly Command[]): readonly Place[] {
  const beginning = {
    said: '',
    aliases: [],
    commands: commands.flatMap(wordsOf),
    options: [
      { word: '--help', about: 'show what a command does' },
      { word: '--version', about: 'print the version' },
    ],
  }
  return [beginning, ...commands.flatMap((command) => below(command, [''], '', undefined))]
}

function below(command: Command, before: readonly string[], said: string, noun: Command | undefined): readonly Place[] {
  const here = said === '' ? command.name() : `${said} ${command.name()}`
  const names = [command.name(), ...command.aliases()]
  const ways = before.flatMap((way) => names.map((name) => (way === '' ? name : `${way} ${name}`)))
  const ids = liveIdsOf(command, noun)
  const place = {
    said: here,
    aliases: ways.filter((way) => way !== here),
    commands: command.commands.flatMap(wordsOf),
    options: [
      ...command.options.flatMap(({ long, description }) => (long ? [{ word: long, about: description }] : [])),
      { word: '--help', about: 'show what it does' },
    ],
    ...(ids === undefined ? {} : { ids }),
  }
  return [place, ...command.commands.flatMap((each) => below(each, ways, here, command))]
}

/** Its name, and the other one that the help shows. A singular is on the way to the plural: it needs no offer of its own. */
function wordsOf(command: Command): readonly Word[] {
  const name = command.name()
  const other = command.alias()
  const names = other === undefined || name.startsWith(other) ? [name] : [name, other]
  return names.map((word) => ({ word, about: command.description() }))
}
