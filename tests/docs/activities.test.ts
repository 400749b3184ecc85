import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ActivityType, activityRegistry } from '@lockstep/engine'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ActivitySite, openActivitySite } from './activity-site.ts'
import { documentsOf, runExample } from './run-example.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = path.join(root, 'examples', 'activities')
const pages = path.join(root, 'docs', 'reference', 'activities')
const registry = activityRegistry()
const types = registry.types()
const example = (type: string): string => readFileSync(path.join(folder, `${type}.yaml`), 'utf8')
const namesIn = (where: string, ending: string): string[] =>
  readdirSync(where)
    .filter((file) => file.endsWith(ending) && file !== 'README.md')
    .map((file) => file.slice(0, -ending.length))
    .sort()

describe('the reference of activities', () => {
  it('has a page and an example for every built-in activity, and for nothing else', () => {
    expect(namesIn(pages, '.md')).toEqual(types)
    expect(namesIn(folder, '.yaml')).toEqual(types)
  })

  it('tells every input, outcome and member of the output of each', () => {
    for (const name of types) {
      const { inputs, outcomes, output } = registry.get(name) as ActivityType
      const page = readFileSync(path.join(pages, `${name}.md`), 'utf8')
      const members = [inputs, output ?? {}].flatMap(({ properties = {} }) => Object.keys(properties as object))
      const wanted = [...members, ...(outcomes === 'any' ? [] : outcomes)]
      expect([name, wanted.filter((each) => !page.includes(`\`${each}\``))]).toEqual([name, []])
    }
  })

  it('shows the example that is run, and what comes of it', () => {
    for (const name of types) {
      const page = readFileSync(path.join(pages, `${name}.md`), 'utf8')
      const [shown] = example(name).split(/^x-example:/m)
      expect(page).toContain(`\`\`\`yaml\n${shown!.trimEnd()}\n\`\`\``)
      const output = documentsOf(example(name)).at(-1)?.['x-example']?.output
      if (output !== undefined) expect(page).toContain(JSON.stringify(output))
    }
  })

  it('uses the activity that the page is about', () => {
    for (const name of types) expect(JSON.stringify(documentsOf(example(name)))).toContain(`"type":"${name}"`)
  })
})

describe('the examples of activities', () => {
  let site: ActivitySite
  beforeAll(async () => {
    site = await openActivitySite()
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  it.each(types)('%s', (name) => runExample(site, example(name)))
})
