import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { builtInActivities, builtInCatalogue } from '../activity/built-in.ts'
import { badSemantics } from '../graph/fixtures/bad-semantics.fixture.ts'
import { badStructure } from '../graph/fixtures/bad-structure.fixture.ts'
import { randomDocuments } from '../graph/fixtures/random-document.fixture.ts'
import { toyCatalogue } from '../graph/fixtures/toy-shell.fixture.ts'
import { compileSchema } from '../graph/json-schema.ts'
import { validateDocument } from '../graph/validate-document.ts'
import { graphDocumentSchema } from './editor-schema.ts'

const toyTypes = toyCatalogue.types().map((type) => toyCatalogue.get(type)!)
const editor = compileSchema(graphDocumentSchema(toyTypes))
const builtIn = compileSchema(graphDocumentSchema(builtInActivities))

describe('the schema for editors', () => {
  it('takes every random document, as validation does', () => {
    fc.assert(
      fc.property(randomDocuments(), (document) => {
        expect(editor(document) || editor.errors).toBe(true)
      }),
    )
  })

  it('refuses whatever has the wrong shape', () => {
    for (const [name, document] of badStructure) expect([name, editor(document)]).toEqual([name, false])
  })

  it.each([
    ['an unknown input', { id: 'a', type: 'log', inputs: { message: 'm', levle: 'info' } }],
    ['a missing input', { id: 'a', type: 'delay', inputs: {} }],
    ['no inputs', { id: 'a', type: 'delay' }],
    ['an input of the wrong type', { id: 'a', type: 'publish-event', inputs: { event: 5 } }],
    ['an unknown type', { id: 'a', type: 'lgo', inputs: {} }],
    ['a body where none belongs', { id: 'a', type: 'log', inputs: { message: 1 }, body: { activities: [] } }],
    ['a container without a body', { id: 'a', type: 'for-each', inputs: { items: [] } }],
  ])('refuses %s, as validation does', (_, activity) => {
    const document = { id: 'w', activities: [activity] }
    expect(validateDocument(document, builtInCatalogue()).some(({ severity }) => severity === 'error')).toBe(true)
    expect(builtIn(document)).toBe(false)
  })

  it('takes an expression for any value, at any depth', () => {
    const $expr = { $expr: 'input.x' }
    const activities = [
      { id: 'a', type: 'log', inputs: { message: { deep: [$expr] }, level: $expr } },
      { id: 'b', type: 'delay', inputs: { duration: $expr } },
      { id: 'c', type: 'for-each', inputs: { items: [1, $expr], concurrency: $expr }, body: { activities: [] } },
      { id: 'd', type: 'run-workflow', inputs: { definitionId: $expr, wait: $expr } },
    ]
    expect(builtIn({ id: 'w', activities }) || builtIn.errors).toBe(true)
    expect(builtIn({ id: 'w', activities: [{ id: 'a', type: 'delay', inputs: { duration: { $expr: 1 } } }] })).toBe(
      false,
    )
  })

  it('takes a secret wherever validation does, and nowhere else', () => {
    const secret = { $secret: 'a-token', prefix: 'Bearer ' }
    const inputs = { url: secret, headers: { authorization: secret }, body: { deep: [secret] } }
    expect(builtIn({ id: 'w', activities: [{ id: 'a', type: 'http-request', inputs }] }) || builtIn.errors).toBe(true)
    expect(builtIn({ id: 'w', activities: [{ id: 'a', type: 'delay', inputs: { duration: secret } }] })).toBe(false)
  })

  it('is never stricter than validation', () => {
    for (const [name, document] of badSemantics) {
      const problems = validateDocument(document, toyCatalogue).filter(({ severity }) => severity === 'error')
      if (!editor(document)) expect([name, problems.length > 0]).toEqual([name, true])
    }
  })

  it('is plain JSON without formats that editors do not know, and the same each time', () => {
    const schema = graphDocumentSchema(builtInActivities)
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema)
    expect(JSON.stringify(schema)).not.toContain('lockstep-')
    expect(JSON.stringify(graphDocumentSchema([...builtInActivities].reverse()))).toBe(JSON.stringify(schema))
  })
})
