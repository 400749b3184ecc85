import { toWireId } from '@lockstep/base'
import { cursorText, type LiveCursor, type LiveEvent } from '@lockstep/engine'
import { filterKey, instanceOf, passes, type StreamFilter } from './stream-filter.ts'

/** Written once for all streams that carry the same. */
const written = new WeakMap<readonly LiveEvent[], Map<string, Buffer>>()

/** The events that pass, as the stream carries them; `undefined` when none does. */
export function eventsText(events: readonly LiveEvent[], filter: StreamFilter): Buffer | undefined {
  const texts = written.get(events) ?? new Map<string, Buffer>()
  written.set(events, texts)
  const key = filterKey(filter)
  const known = texts.get(key)
  if (known !== undefined) return known.length === 0 ? undefined : known
  const parts = events.filter((event) => passes(filter, event)).map(eventText)
  const text = Buffer.from(parts.join(''))
  texts.set(key, text)
  return text.length === 0 ? undefined : text
}

const eventText = (event: LiveEvent): string => blockText(event, event.topic, toWire(event))

export const blockText = (at: LiveCursor, name: string, data: object): string =>
  `id: ${cursorText(at)}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/** Has a place but no data: whoever hears it notes the place, and nothing else happens. */
export const heartbeatText = (at: LiveCursor | undefined): string =>
  at === undefined ? ': ping\n\n' : `: ping\nid: ${cursorText(at)}\n\n`

export const commentText = (text: string): string => `: ${text}\n\n`

function toWire(event: LiveEvent): object {
  const { topic, type, at, seq, nodeId, detail } = event
  const head = { topic, type, at: new Date(at).toISOString(), position: cursorText(event) }
  const instance = instanceOf(event)
  return {
    ...head,
    ...(instance !== undefined && { instanceId: toWireId('instance', instance) }),
    ...(seq !== undefined && { seq }),
    ...(detail !== undefined && { [type === 'ended' ? 'status' : 'step']: detail }),
    ...(nodeId !== undefined && { nodeId: toWireId('node', nodeId) }),
    ...about(event),
  }
}

function about({ topic, subject, data }: LiveEvent): object {
  if (topic === 'instances') return {}
  const { instanceId: _, ...rest } = (data ?? {}) as Readonly<Record<string, unknown>>
  if (subject === undefined) return rest
  switch (topic) {
    case 'definitions':
      return { definitionId: subject, ...rest }
    case 'incidents':
      return { incidentId: toWireId('incident', subject), ...rest }
    case 'schedules':
      return { scheduleId: subject, ...rest }
    case 'locks':
      return { lock: subject, ...rest }
    case 'cluster':
      return { nodeId: toWireId('node', subject), ...rest }
  }
}
