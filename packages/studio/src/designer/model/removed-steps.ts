import type * as Y from 'yjs'
import type { Design } from './design.ts'
import { put } from './entries.ts'
import type { Json } from './json.ts'
import type { Entry, Parts } from './parts.ts'
import { ROOT } from './view.ts'

type Members = ReadonlyMap<string, Readonly<Record<string, Json>>>

/** Steps with what is inside them and the lines that lead to them: enough to put them back. */
export interface RemovedSteps {
  readonly steps: Members
  readonly bodies: Members
  readonly connections: Members
}

/** These steps and all that is inside them, as they are now. Nothing is changed. */
export function takeSteps({ steps, bodies, connections }: Parts, keys: Iterable<string>): RemovedSteps {
  const found = new Set(keys)
  const held = (body: unknown): boolean => found.has(bodies.get(body as string)?.get('step') as string)
  for (let before = -1; before !== found.size; ) {
    before = found.size
    for (const [key, step] of steps.entries()) if (held(step.get('body'))) found.add(key)
  }
  const ids = new Set([...found].map((key) => placeOf(steps.get(key)!.get('body'), steps.get(key)!.get('id'))))
  const ends = (line: Entry): boolean =>
    [line.get('from'), line.get('to')].some((id) => ids.has(placeOf(line.get('body'), id)))
  return {
    steps: membersOf(steps, (_, key) => found.has(key)),
    bodies: membersOf(bodies, (body) => found.has(body.get('step') as string)),
    connections: membersOf(connections, (line) => held(line.get('body')) || ends(line)),
  }
}

/** What is there again stays as it is; lines come back where both their ends are. Answers the keys of the steps. */
export const restoreSteps = (design: Design, removed: RemovedSteps): readonly string[] =>
  design.edit(({ steps, bodies, connections }) => {
    const back = [...removed.steps].filter(([key]) => !steps.has(key))
    for (const [key, members] of removed.bodies) if (!bodies.has(key)) put(bodies, key, members)
    for (const [key, members] of back) {
      const body = bodies.has(members.body as string) ? members.body! : ROOT
      put(steps, key, { ...members, body })
    }
    const ids = new Set([...steps.values()].map((step) => placeOf(step.get('body'), step.get('id'))))
    for (const [key, line] of removed.connections)
      if (!connections.has(key) && [line.from, line.to].every((id) => ids.has(placeOf(line.body, id))))
        put(connections, key, line)
    return back.map(([key]) => key)
  })

const placeOf = (body: unknown, id: unknown): string => `${body}|${id}`

const membersOf = (map: Y.Map<Entry>, wanted: (entry: Entry, key: string) => boolean): Members =>
  new Map(
    [...map.entries()]
      .filter(([key, entry]) => wanted(entry, key))
      .map(([key, entry]) => [key, Object.fromEntries(entry.entries())]),
  )
