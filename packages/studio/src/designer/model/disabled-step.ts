import { inOrder, isObject, type Json, type JsonObject } from './json.ts'

/**
 * The engine knows no disabled steps, so a document says what will happen: a disabled step is a `transform` without value that goes
 * on through `done`, and what it was stands in `x-disabled`. Of several outcomes the first one is followed; the connections of the
 * others wait in `x-disabled` too.
 */
const STANDS_IN = 'transform'
const KEEPS = ['id', 'name', 'description', 'join', 'layout', 'notes']
const DISABLED = 'x-disabled'
const OUTCOME = 'x-outcome'

export function writeDisabled(
  activity: JsonObject,
  lines: readonly JsonObject[],
): { readonly activity: JsonObject; readonly lines: readonly JsonObject[] } {
  const own = lines.filter((line) => line.from === activity.id)
  const followed = own.some((line) => outcomeOf(line) === 'done') ? 'done' : own[0] && outcomeOf(own[0])
  const stashed = own.filter((line) => outcomeOf(line) !== followed)
  const kept: Record<string, Json> = {}
  const was: Record<string, Json> = {}
  for (const [name, value] of Object.entries(activity))
    if (KEEPS.includes(name) || name.startsWith('x-')) kept[name] = value
    else was[name] = value
  const put = { ...was, ...(stashed.length > 0 && { connections: stashed }) }
  return {
    activity: { ...kept, type: STANDS_IN, inputs: { value: null }, [DISABLED]: inOrder(put, ['type', 'inputs']) },
    lines: lines
      .filter((line) => !stashed.includes(line))
      .map((line) => {
        if (line.from !== activity.id || followed === 'done') return line
        const { outcome, ...rest } = line
        return { ...rest, [OUTCOME]: outcome! }
      }),
  }
}

/** The other way round. Gives the lines of it back in `lines`, and those that waited. */
export function readDisabled(
  json: JsonObject,
  lines: JsonObject[],
): { readonly activity: JsonObject; readonly disabled: boolean; readonly stashed: readonly JsonObject[] } {
  const { [DISABLED]: was, type, inputs, ...kept } = json
  const ours =
    type === STANDS_IN && isObject(was) && typeof was.type === 'string' && isObject(inputs) && inputs.value === null
  if (!ours) return { activity: json, disabled: false, stashed: [] }
  const { connections, ...members } = was
  lines.forEach((line, index) => {
    if (line.from !== json.id || typeof line[OUTCOME] !== 'string') return
    const { [OUTCOME]: outcome, ...rest } = line
    lines[index] = { ...rest, outcome: outcome! }
  })
  return {
    activity: { ...kept, ...members },
    disabled: true,
    stashed: Array.isArray(connections) ? (connections as readonly JsonObject[]) : [],
  }
}

const outcomeOf = (line: JsonObject): string => (typeof line.outcome === 'string' ? line.outcome : 'done')
