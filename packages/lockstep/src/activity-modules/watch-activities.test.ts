import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type LogFields, type Logger, systemClock } from '@lockstep/base'
import type { CustomActivity } from '@lockstep/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { activitiesOf } from './activities-of.ts'
import { moduleSource } from './activity-source.ts'
import { loadModule } from './load-module.ts'
import { ActivityWatch } from './watch-activities.ts'

const activity = (type: string) => ({ type, runs: 'effect', run: () => {}, inputs: {} }) as unknown as CustomActivity

describe('the activities of a module', () => {
  it('are whatever it exports of that kind', () => {
    const [a, b, c] = [activity('a'), activity('b'), activity('c')]
    expect(activitiesOf({ a, list: [b, a], other: 1, default: { default: c } }, 'x.ts')).toEqual([a, b, c])
    expect(() => activitiesOf({ other: () => {} }, 'x.ts')).toThrow(/"x.ts" must be a module that exports activities/)
  })
})

describe('watching activity modules', () => {
  let folder: string
  let lines: { message: string; fields: LogFields | undefined }[]
  let waiting: (() => void)[]
  const logger: Logger = (() => {
    const note = (message: string, fields?: LogFields): void => {
      lines.push({ message, fields })
      for (const look of waiting.splice(0)) look()
    }
    const own: Logger = { debug: note, info: note, warn: note, error: note, area: () => own }
    return own
  })()
  beforeEach(async () => {
    lines = []
    waiting = []
    folder = await mkdtemp(path.join(tmpdir(), 'lockstep-watch-'))
    await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  const file = (name: string) => path.join(folder, name)
  const write = async (name: string, text: string) => {
    await writeFile(file(`${name}.new`), text)
    await rename(file(`${name}.new`), file(name))
  }
  const saying = (title: string) =>
    `import { end } from './end.ts'\nexport const x = { type: 'x', title: '${title}' + end, runs: 'effect', run() {}, inputs: {} }`
  const logged = async (message: string, count = 1) => {
    while (lines.filter((line) => line.message === message).length < count)
      await new Promise<void>((resolve) => waiting.push(resolve))
  }

  it('puts new code in place, and leaves the old where there is none', async () => {
    await write('end.ts', `export const end: string = '.'`)
    await write('x.ts', saying('one'))
    const source = moduleSource(file('x.ts'), await loadModule(file('x.ts')))
    const replaced: string[][] = []
    const replace = (all: readonly CustomActivity[]) => {
      if (all.some(({ title }) => title === 'taken.')) throw new Error('that name is taken')
      replaced.push(all.map(({ title }) => title))
    }
    const others = [{ ...activity('o'), title: 'other' }]
    const watch = new ActivityWatch({ sources: [source], others, replace, clock: systemClock, logger })
    await watch.begin()
    expect([source.activities[0]!.title, replaced]).toEqual(['one.', []])

    await write('x.ts', saying('two'))
    await logged('activities loaded anew')
    await write('end.ts', `export const end: string = '!'`)
    await logged('activities loaded anew', 2)
    expect(replaced).toEqual([
      ['other', 'two.'],
      ['other', 'two!'],
    ])

    const failed = 'a module could not be loaded, the code before the change stays'
    await write('end.ts', 'export const end: = 1')
    await logged(failed)
    await write('x.ts', 'export const nothing = 1')
    await logged(failed, 2)
    await write('end.ts', `export const end: string = '.'`)
    await write('x.ts', saying('taken'))
    await logged(failed, 3)
    expect(lines.at(-1)!.fields).toMatchObject({ file: file('x.ts'), reason: 'that name is taken' })
    await write('x.ts', saying('free'))
    await logged('activities loaded anew', 3)
    expect(replaced.at(-1)).toEqual(['other', 'free.'])

    // A file that it comes to in a broken state is watched too.
    await write('more.ts', 'export const more: = 1')
    await write('x.ts', `import './more.ts'\n${saying('more')}`)
    await logged(failed, 4)
    await write('more.ts', 'export const more = 1')
    await logged('activities loaded anew', 4)
    expect(replaced.at(-1)).toEqual(['other', 'more.'])
    await watch.close()
    await write('x.ts', saying('late'))
    expect(replaced).toHaveLength(4)
  })

  it('takes in what is added to a folder, and lets go of what is removed', async () => {
    await write('end.ts', `export const end: string = '.'`)
    await mkdir(file('all'))
    const all = (name: string) => path.join('all', name)
    const of = (type: string) => `export const x = { type: '${type}', title: '', runs: 'effect', run() {}, inputs: {} }`
    const types: string[][] = []
    const watch = new ActivityWatch({
      ...{ sources: [], folders: [file('all')], others: [], clock: systemClock, logger },
      replace: (given) => types.push(given.map(({ type }) => type)),
    })
    await watch.begin()
    await write(all('a.ts'), of('a'))
    await logged('activities loaded anew')
    await write(all('a.test.ts'), of('test'))
    await write(all('b.ts'), 'export const = ')
    await logged('a module could not be loaded, the code before the change stays')
    await write(all('b.ts'), of('b'))
    await logged('activities loaded anew', 2)
    await rename(file(all('a.ts')), file(all('c.ts')))
    await logged('activities removed with their file')
    await rm(file(all('b.ts')))
    await logged('activities removed with their file', 2)
    // Renamed: one step to the new file, the types never double; then the old file is let go of.
    expect(types).toEqual([['a'], ['a', 'b'], ['b', 'a'], ['b', 'a'], ['a']])
    await watch.close()
  })

  it('hears of a file that it is told of after the module is loaded', async () => {
    await mkdir(file('parts'))
    const told: ((name: string) => void)[] = []
    const source = {
      file: file('x.ts'),
      activities: [activity('x')],
      reload: async (onFile: (name: string) => void) => {
        told.push(onFile)
        return [activity('x')]
      },
    }
    const watch = new ActivityWatch({ sources: [source], others: [], replace: () => {}, clock: systemClock, logger })
    await watch.begin()
    told[0]!(file('parts/late.ts'))
    await write('parts/late.ts', '')
    await logged('activities loaded anew')
    await watch.close()
  })
})
