import { expect, it } from 'vitest'
import { builtInCatalogue } from '../../packages/engine/src/activity/built-in.ts'
import { compileExpression } from '../../packages/engine/src/expression/expression.ts'
import { expressionParser } from '../../packages/engine/src/graph/parse-expression.ts'
import { validateDocument } from '../../packages/engine/src/graph/validate-document.ts'
import { templates } from '../../packages/studio/src/features/templates/templates.ts'

it.each(templates)('the template $title is a workflow without problems', ({ key, title, document }) => {
  const whole = { ...document, id: key, name: title }
  expect(validateDocument(whole, builtInCatalogue(), { parseExpression: expressionParser(compileExpression) })).toEqual(
    [],
  )
})

it('no two templates have the same name, and each says in a line what it does', () => {
  expect(new Set(templates.flatMap(({ key, title }) => [key, title])).size).toBe(2 * templates.length)
  expect(templates.filter(({ about }) => about.length > 140 || !about.endsWith('.'))).toEqual([])
})
