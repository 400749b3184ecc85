import type { HumanTaskView } from '@lockstep/engine'
import { TaskNotYours } from './errors.ts'
import { may, nobody, type Principal } from './principal.ts'

/** As long as the engine keeps a name. */
const LONGEST = 512

/**
 * Who a decision is written down as. Whoever has proven who they are cannot say another name, unless they keep instances running: then both
 * names are kept. Where a task names who may do it, people have to be one of them, or act for one of them: users, and whoever comes through the issuer.
 */
export function decidedBy(
  principal: Principal,
  { assignee, candidates }: Pick<HumanTaskView, 'assignee' | 'candidates'>,
  by: string | undefined,
): string | undefined {
  const { kind, name } = principal
  if (kind === 'anonymous') return by
  const isForAnother = by !== undefined && by !== name
  if (isForAnother && !may(principal, 'instances:operate'))
    throw new TaskNotYours({ who: name, why: `it cannot be done in the name of "${by}": leave "by" out` })
  const named = assignee === undefined ? candidates : [assignee, ...candidates]
  if (kind !== 'key' && named.length > 0 && !named.includes(by ?? name)) {
    const all = named.map((each) => `"${each}"`).join(', ')
    throw new TaskNotYours({
      who: name,
      why: `it is for ${all}: an operator may act for one of them by naming it in "by"`,
    })
  }
  return isForAnother ? marked(by, `through ${name}`) : name
}

/** With a link nobody has to prove a name: what was said is kept, and that it was only said. */
export function decidedByLink({ kind, id, name }: Principal, by: string | undefined): string | undefined {
  if (id === nobody.id) return by === undefined ? undefined : marked(by, 'with a link')
  if (kind === 'anonymous') return by
  return by === undefined || by === name ? name : marked(by, `through ${name}`)
}

/** What was proven is kept whole; of what was only said, as much as there is room for. */
function marked(by: string, how: string): string {
  const mark = ` (${how})`
  const room = LONGEST - mark.length
  if (by.length <= room) return by + mark
  const signs = [...by]
  while (signs.join('').length > room - 1) signs.pop()
  return `${signs.join('')}…${mark}`
}
