import { describe, expect, it } from 'vitest'
import { compileSchema } from '../graph/json-schema.ts'
import { DuplicateActivityType } from './activity-catalogue.ts'
import { builtInActivities, builtInCatalogue } from './built-in.ts'

describe('the built-in activities', () => {
  it('are all in the catalogue, sorted', () => {
    expect(builtInCatalogue().types()).toEqual(builtInActivities.map(({ type }) => type).sort())
    expect(builtInCatalogue().get('if')?.outcomes).toEqual(['true', 'false'])
    expect(builtInCatalogue().get('constructor')).toBeUndefined()
  })

  it.each(builtInActivities.map((type) => [type.type, type] as const))('describe themselves: %s', (_, type) => {
    expect(type.type).toMatch(/^[a-z]+(-[a-z]+)*$/)
    expect(type.title).not.toBe('')
    expect(type.description).toMatch(/\.$/)
    expect([type.category, type.icon]).toEqual([expect.stringMatching(/^[A-Z]/), expect.stringMatching(/^[a-z0-9-]+$/)])
    expect(() => compileSchema(type.inputs)).not.toThrow()
    expect(JSON.parse(JSON.stringify(type))).toEqual(type)
    expect(type.kind === 'container').toBe(type.container !== undefined)
  })

  it('cannot be replaced by another of the same name', () => {
    expect(() => builtInCatalogue([builtInActivities[0]!])).toThrow(DuplicateActivityType)
  })
})
