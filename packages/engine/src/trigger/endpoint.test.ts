import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endpointOf, parametersOf, shapeOf, splitPath } from './endpoint.ts'

describe('paths of endpoints', () => {
  it('have one shape whatever their parameters are called and however many slashes stand around them', () => {
    expect(shapeOf('/orders/{id}/lines/{n}')).toBe('/orders/{}/lines/{}')
    expect(shapeOf('orders/{x}/lines/{y}//')).toBe('/orders/{}/lines/{}')
    expect(shapeOf('/')).toBe('/')
    expect(shapeOf('{all}')).toBe('/{}')
  })

  it('are split at once, however many slashes a stranger sends', () => {
    const slashes = '/'.repeat(1_000_000)
    expect(splitPath(`${slashes}a${slashes}`)).toEqual(['a'])
    expect(splitPath(slashes)).toEqual([])
    expect(splitPath(`/a${slashes}b`)).toHaveLength(1_000_001)
  })

  it('give back the parameters that a path was made of', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/)
    const segment = fc.record({ name, value: fc.stringMatching(/^[a-z0-9]{1,8}$/), isParameter: fc.boolean() })
    fc.assert(
      fc.property(fc.uniqueArray(segment, { selector: (each) => each.name, maxLength: 8 }), (segments) => {
        const path = `/${segments.map((each) => (each.isParameter ? `{${each.name}}` : each.value)).join('/')}`
        const given = splitPath(`/${segments.map((each) => each.value).join('/')}`)
        const wanted = segments.filter((each) => each.isParameter).map((each) => [each.name, each.value])
        expect(parametersOf(endpointOf({ path }), given)).toEqual(Object.fromEntries(wanted))
      }),
    )
  })

  it('take POST alone, a megabyte and three headers unless told otherwise', () => {
    expect(endpointOf({ path: '/a' })).toMatchObject({
      methods: ['POST'],
      mode: 'async',
      auth: 'public',
      waitMs: 30_000,
      maxBytes: 1_048_576,
    })
    expect(endpointOf({ path: '/a', headers: ['X-Tag'] }).headers).toEqual([
      'content-type',
      'accept',
      'user-agent',
      'x-tag',
    ])
  })
})
