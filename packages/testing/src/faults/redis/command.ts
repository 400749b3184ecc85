/** One command, as it passes. */
export interface Command {
  /** In upper case: `SET`. */
  readonly name: string
  readonly args: readonly string[]
  /** The arguments that name keys or channels, as far as known; else the first argument. */
  readonly keys: readonly string[]
}

export interface CommandReply {
  /** First line: `+OK`, `:1`, `-WRONGTYPE …`. Inside MULTI it is `+QUEUED`: nothing has happened yet, match EXEC instead. */
  readonly head: string
}

type KeysOf = (args: readonly string[]) => readonly string[]

const all: KeysOf = (args) => args
const allButLast: KeysOf = (args) => args.slice(0, -1)
const everyOther: KeysOf = (args) => args.filter((_, at) => at % 2 === 0)
const firstTwo: KeysOf = (args) => args.slice(0, 2)
const second: KeysOf = (args) => args.slice(1, 2)
const counted =
  (at: number): KeysOf =>
  (args) =>
    args.slice(at + 1, at + 1 + Number(args[at]))
const afterStreams: KeysOf = (args) => {
  const streams = args.slice(args.findIndex((arg) => arg.toUpperCase() === 'STREAMS') + 1)
  return streams.slice(0, streams.length / 2)
}

const keysOf: Readonly<Record<string, KeysOf>> = {
  ...each(
    all,
    'DEL UNLINK EXISTS TOUCH MGET WATCH SINTER SUNION SDIFF PFCOUNT SUBSCRIBE UNSUBSCRIBE PSUBSCRIBE SSUBSCRIBE',
  ),
  ...each(allButLast, 'BLPOP BRPOP BZPOPMIN BZPOPMAX'),
  ...each(everyOther, 'MSET MSETNX'),
  ...each(firstTwo, 'RENAME RENAMENX COPY SMOVE LMOVE BLMOVE RPOPLPUSH BRPOPLPUSH'),
  ...each(second, 'XGROUP XINFO OBJECT MEMORY'),
  ...each(counted(1), 'EVAL EVALSHA EVAL_RO EVALSHA_RO FCALL FCALL_RO'),
  ...each(counted(0), 'ZUNION ZINTER ZDIFF SINTERCARD LMPOP ZMPOP'),
  ...each(afterStreams, 'XREAD XREADGROUP'),
}

export function toCommand(words: readonly string[]): Command {
  const [first = '', ...args] = words
  const name = first.toUpperCase()
  return { name, args, keys: (keysOf[name] ?? ((every) => every.slice(0, 1)))(args) }
}

function each(keys: KeysOf, names: string): Record<string, KeysOf> {
  return Object.fromEntries(names.split(' ').map((name) => [name, keys]))
}
