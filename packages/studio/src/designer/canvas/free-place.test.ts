import { describe, expect, it } from 'vitest'
import { Design, type JsonObject } from '../model/index.ts'
import { besideOthers, placeBelow } from './free-place.ts'

const at = (x: number, y: number) => ({ layout: { position: { x, y } } })
const document = {
  id: 'places',
  activities: [
    { id: 'first', type: 'log', ...at(40, 0) },
    { id: 'each', type: 'for-each', body: { activities: [{ id: 'in', type: 'log', ...at(0, 300) }] }, ...at(0, 100) },
    { id: 'copy', type: 'log', ...at(60, 20) },
  ],
} as JsonObject

function open() {
  const read = Design.fromGraph(document)
  if (read.status !== 'read') throw new Error(read.reason)
  const { view } = read.design
  return { view, where: (key: string) => view.steps.get(key)?.position ?? { x: 0, y: 0 } }
}

describe('a free place', () => {
  const { view, where } = open()

  it('lies below all of a body, as large as they are with what is inside them', () => {
    expect(placeBelow(view, '', where)).toEqual({ x: 0, y: 100 + 44 + 300 + 58 + 16 + 56 })
    expect(placeBelow(view, 'nothing/body', where)).toEqual({ x: 0, y: 0 })
  })

  it('lies right of all others for what would hide one of them, and where it is for what hides none', () => {
    expect(besideOthers(view, '', new Set(['copy']), where)).toEqual(new Map([['copy', { x: 276, y: 20 }]]))
    const away = (key: string) => (key === 'copy' ? { x: 900, y: 20 } : where(key))
    expect(besideOthers(view, '', new Set(['copy']), away).size).toBe(0)
  })
})
