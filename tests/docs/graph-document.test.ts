import { describe, expect, it } from 'vitest'
import { openTestEngine } from '../engine/open-test-engine.ts'
import { codeBlocks } from './code-blocks.ts'

const blocks = codeBlocks('docs/reference/graph-document.md')
  .filter(({ language }) => language === 'yaml')
  .map(({ code }) => code)
const indent = (code: string): string => code.replace(/^/gm, '  ')
/** Examples are documents, or activities of one that declares what they set and has the steps they read. */
const asDocument = (code: string, n: number): string =>
  code.startsWith('id:')
    ? code
    : `id: example-${n}\nvariables: { shop: {}, total: {} }\nactivities:\n  - { id: create, type: transform, inputs: { value: { id: 1 } } }\n${indent(code)}`

describe('the page of the graph document', () => {
  it('shows only documents without problems', async () => {
    await using t = await openTestEngine()
    expect(blocks.length).toBeGreaterThan(6)
    const text = blocks.map(asDocument).join('\n---\n')
    const report = await t.engine.definitions.import('default', text, { format: 'yaml', dryRun: true })
    const found = report.documents.map(({ id, outcome, problems }) => ({ id, outcome, problems }))
    expect(found.filter(({ outcome, problems }) => outcome !== 'created' || problems.length > 0)).toEqual([])
  })
})
