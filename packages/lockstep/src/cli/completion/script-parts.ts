/** What the scripts of several shells have in common. */
import type { Place, Word } from './command-tree.ts'

export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
export const offered = ({ commands, options }: Place): readonly Word[] => [...commands, ...options]
export const waysOf = ({ said, aliases }: Place): readonly string[] => [said, ...aliases]

/** Words that lead from one place to the next; what else is said is a value. */
export const steps = (places: readonly Place[]): string =>
  places
    .filter(({ said }) => said !== '')
    .map((place) => `      ${waysOf(place).map(quoted).join(' | ')}) at=${quoted(place.said)} ;;`)
    .join('\n')

/** `list='instances list' many=yes`, where a node can be asked. */
export const asked = ({ ids }: Place): string =>
  ids === undefined ? '' : ` list=${quoted(ids.list)}${ids.many ? ' many=yes' : ''}`
