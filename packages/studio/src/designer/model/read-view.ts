import type { Json } from './json.ts'
import { isObject } from './json.ts'
import { type Entry, FIELD, INPUT, prefixed } from './parts.ts'
import type { Body, Connection, Note, Position, Slot, Step } from './view.ts'

export function viewStep(key: string, entry: Entry): Step {
  const { layout, ...fields } = prefixed(entry, FIELD)
  const id = entry.get('id') as string
  return {
    key,
    id,
    type: entry.get('type') as string,
    name: typeof fields.name === 'string' && fields.name !== '' ? fields.name : id,
    body: entry.get('body') as string,
    at: entry.get('at') as number,
    inputs: prefixed(entry, INPUT),
    fields,
    position: positionOf(layout),
    disabled: entry.get('disabled') === true,
  }
}

function positionOf(layout: Json | undefined): Position | undefined {
  const place = isObject(layout) && isObject(layout.position) ? layout.position : undefined
  return typeof place?.x === 'number' && typeof place.y === 'number' ? { x: place.x, y: place.y } : undefined
}

export const viewBody = (key: string, entry: Entry): Body => ({
  key,
  step: entry.get('step') as string,
  slot: entry.get('slot') as Slot,
  at: entry.get('at') as number,
})

export const viewConnection = (key: string, entry: Entry): Connection => ({
  key,
  body: entry.get('body') as string,
  from: entry.get('from') as string,
  outcome: (entry.get(`${FIELD}outcome`) as string | undefined) ?? 'done',
  to: entry.get('to') as string,
  at: entry.get('at') as number,
})

export function viewNote(id: string, entry: Entry): Note {
  const number = (name: string, otherwise: number): number => {
    const value = entry.get(FIELD + name)
    return typeof value === 'number' ? value : otherwise
  }
  return {
    id,
    text: String(entry.get(`${FIELD}text`) ?? ''),
    at: entry.get('at') as number,
    x: number('x', 0),
    y: number('y', 0),
    width: number('width', 240),
    height: number('height', 120),
  }
}
