/** Reads a Dockerfile as far as ours goes: stages, and the instructions of each with their words. */
export interface Instruction {
  readonly name: string
  readonly text: string
}

export interface Stage {
  readonly from: string
  readonly name: string
  readonly instructions: readonly Instruction[]
}

export function readDockerfile(text: string): {
  readonly args: ReadonlyMap<string, string>
  readonly stages: readonly Stage[]
} {
  const lines = text
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
  const args = new Map<string, string>()
  const stages: { from: string; name: string; instructions: Instruction[] }[] = []
  for (const line of lines) {
    const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
    if (name === 'ARG' && stages.length === 0) args.set(rest.split('=')[0]!, rest.slice(rest.indexOf('=') + 1))
    else if (name === 'FROM') {
      const [, image = '', stage = ''] = /^(\S+)(?: AS (\S+))?$/.exec(rest) ?? []
      stages.push({
        from: image.replace(/^\$\{(\w+)\}$/, (_all, arg: string) => args.get(arg) ?? ''),
        name: stage,
        instructions: [],
      })
    } else stages.at(-1)?.instructions.push({ name, text: rest })
  }
  return { args, stages }
}

/** `COPY --from=build a b ./` is what is copied, to where, and from which stage. */
export function readCopy(text: string): {
  readonly from?: string
  readonly sources: readonly string[]
  readonly to: string
} {
  const words = text.split(/\s+/)
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length)
  const paths = words.filter((word) => !word.startsWith('--'))
  return { ...(from === undefined ? {} : { from }), sources: paths.slice(0, -1), to: paths.at(-1)! }
}
