/**
 * An Elsa flowchart begins at one activity and runs what its connections reach. Ours begins at everything that nothing
 * leads to, so what cannot be reached is left out. Nodes that do nothing by themselves (start, end, fork, join) are
 * left out too: whatever led to them leads to what follows them.
 */
import { groupBy } from '@lockstep/base'
import type { ElsaJson } from './elsa-json.ts'
import type { Exit, Fragment } from './graph-builder.ts'
import { canStart, noteUnreached, type Place, type Site } from './site.ts'

interface Link {
  readonly from: string
  readonly port: string
  readonly to: string
}

export const placeFlowchart: Place = (site, chart) => {
  const items = chart.get('activities').items
  const activities = new Map(items.map((each, position) => [each.get('id').text ?? `#${position}`, each]))
  const links = chart
    .get('connections')
    .items.map(linkOf)
    .filter((link) => activities.has(link.from) && activities.has(link.to))
  const starts = startsOf(chart, activities, links, site.isOutermost)
  const leaving = groupBy(links, ({ from }) => from)
  const fragments = placeReached(site, activities, leaving, starts)
  for (const [id, activity] of activities) if (!fragments.has(id)) noteUnreached(site, activity)
  const entries = entriesOf(fragments, leaving)
  for (const { from, port, to } of links) {
    const fragment = fragments.get(from)
    if (fragment?.entry === undefined) continue
    for (const entry of entries(to)) {
      site.graph.connect(exitsOf(fragment, port), entry)
      if (isRace(activities.get(to)!)) site.graph.joinAny(entry)
    }
  }
  return { entry: starts.flatMap(entries)[0], exits: openExits(fragments, leaving) }
}

type Leaving = ReadonlyMap<string, readonly Link[]>

/** From the starts on, along ways that can be left: behind what ends nothing is reached. */
function placeReached(
  site: Site,
  activities: ReadonlyMap<string, ElsaJson>,
  leaving: Leaving,
  starts: readonly string[],
): ReadonlyMap<string, Fragment> {
  const fragments = new Map<string, Fragment>()
  const reached = new Set(starts)
  for (const id of reached) {
    const isOutermost = site.isOutermost && starts.includes(id)
    const fragment = site.place({ ...site, isOutermost }, activities.get(id)!)
    fragments.set(id, fragment)
    for (const { port, to } of leaving.get(id) ?? []) {
      if (fragment.entry === undefined || exitsOf(fragment, port).length > 0) reached.add(to)
    }
  }
  return fragments
}

/** Where a way to a node really leads: through all that do nothing by themselves, each looked at once. */
function entriesOf(fragments: ReadonlyMap<string, Fragment>, leaving: Leaving): (id: string) => readonly string[] {
  const known = new Map<string, readonly string[]>()
  return (id) => {
    const present = known.get(id)
    if (present !== undefined) return present
    const found: string[] = []
    const seen = new Set([id])
    for (const node of seen) {
      const entry = fragments.get(node)?.entry
      if (entry !== undefined) found.push(entry)
      else for (const { to } of leaving.get(node) ?? []) seen.add(to)
    }
    known.set(id, found)
    return found
  }
}

/** In version 3 both ends are objects; before it they were texts with the ports beside them. */
function linkOf(connection: ElsaJson): Link {
  const source = connection.get('source')
  const target = connection.get('target')
  return {
    from: source.text ?? source.get('activity').text ?? '',
    port: (source.get('port').text ?? connection.get('sourcePort').text ?? 'Done').toLowerCase(),
    to: target.text ?? target.get('activity').text ?? '',
  }
}

function startsOf(
  chart: ElsaJson,
  activities: ReadonlyMap<string, ElsaJson>,
  links: readonly Link[],
  isOutermost: boolean,
): readonly string[] {
  const triggers = isOutermost ? [...activities].filter(([, each]) => canStart(each)).map(([id]) => id) : []
  if (triggers.length > 0) return triggers
  const named =
    chart.get('start').text ??
    chart.get('startActivity').text ??
    [...activities].find(([, each]) => each.get('type').text === 'Elsa.Start')?.[0]
  if (named !== undefined && activities.has(named)) return [named]
  const targets = new Set(links.map(({ to }) => to))
  const first = [...activities.keys()].find((id) => !targets.has(id)) ?? activities.keys().next().value
  return first === undefined ? [] : [first]
}

/** `done` leaves an activity however it ended; a name of its own leaves through that outcome. */
function exitsOf({ exits, ports }: Fragment, port: string): readonly Exit[] {
  const named = ports?.get(port)
  if (named !== undefined) return named
  if (port === 'done' || port === 'out' || exits.length === 0) return exits
  return exits.map(({ from }) => ({ from, outcome: port }))
}

/** What nothing leaves is left when the whole chart is. */
function openExits(fragments: ReadonlyMap<string, Fragment>, leaving: Leaving): readonly Exit[] {
  return [...fragments].filter(([id]) => !leaving.has(id)).flatMap(([, { exits }]) => exits)
}

function isRace(activity: ElsaJson): boolean {
  const mode = activity.get('mode')
  const value = mode.text ?? mode.get('expression').get('value').text ?? mode.get('expression').text
  return /Join$/.test(activity.get('type').text ?? '') && value === 'WaitAny'
}
