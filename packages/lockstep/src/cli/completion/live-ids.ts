import type { Command } from 'commander'

/** Which list has what an argument may be; `many`: the next one too. */
export interface LiveIds {
  /** `instances list`. */
  readonly list: string
  readonly many: boolean
}

const OF_ANY_NOUN: Readonly<Record<string, string>> = {
  definition: 'definitions list',
  instance: 'instances list',
  node: 'nodes list',
}
const OF_ITS_OWN = new Set(['id', 'ids', 'key', 'name'])
/** Names there is none of yet. */
const NEW = new Set(['create'])

/** What the first argument of a command may be, as far as a node knows. `noun`: the command that holds it. */
export function liveIdsOf(command: Command, noun: Command | undefined): LiveIds | undefined {
  const [first] = command.registeredArguments
  if (first === undefined) return undefined
  const many = first.variadic
  const list = OF_ANY_NOUN[first.name()]
  if (list !== undefined) return { list, many }
  const isListed = noun?.commands.some((each) => each.name() === 'list') === true
  if (!isListed || NEW.has(command.name()) || !OF_ITS_OWN.has(first.name())) return undefined
  return { list: `${noun!.name()} list`, many }
}
