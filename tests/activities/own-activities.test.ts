import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { deferred } from '@lockstep/base'
import { defineActivity, Type } from '@lockstep/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTestEngine } from '../engine/open-test-engine.ts'
import { until } from '../faults/until.ts'
import { LockstepProcess } from '../start/run-lockstep.ts'
import { oneStep } from './one-step.ts'

const greet = (says: string, run?: () => Promise<void>) =>
  defineActivity({
    type: 'greet',
    title: 'Greet',
    description: 'Says hello.',
    inputs: Type.Object({ name: Type.String() }),
    outputs: Type.String(),
    outcomes: ['done', 'shy'],
    run: async ({ name }) => {
      await run?.()
      return name === '' ? { output: '', outcome: 'shy' } : { output: `${says} ${name}` }
    },
  })

describe('activities of an application', () => {
  it('run in graphs, with inputs, outcomes and output checked', async () => {
    await using t = await openTestEngine({ activities: [greet('hello')] })
    await t.publish(oneStep('hello', 'greet', { name: { $expr: 'input.name' } }))
    expect(await t.run('hello', { name: 'Ann' })).toMatchObject({ output: { output: 'hello Ann' } })
    expect(await t.run('hello', { name: 7 })).toMatchObject({ output: { error: { code: 'INVALID_INPUT' } } })
    const bold = {
      ...oneStep('bold', 'greet', { name: '' }, { onError: 'fault' }),
      connections: [{ from: 'do', outcome: 'bold', to: 'output' }],
    }
    expect(t.engine.definitions.problems(bold)).toContainEqual(expect.objectContaining({ code: 'UNKNOWN_OUTCOME' }))
    expect(t.engine.definitions.problems(oneStep('typo', 'greet', { nam: 'x' }))).toMatchObject([
      { code: 'MISSING_INPUT' },
      { code: 'UNKNOWN_INPUT' },
    ])
  })

  it('are replaced while they run: what runs finishes with the old code, what comes next has the new', async () => {
    const [begun, gate] = [deferred<void>(), deferred<void>()]
    const old = greet('old', () => {
      begun.resolve()
      return gate.promise
    })
    await using t = await openTestEngine({ activities: [old] })
    await t.publish(oneStep('hello', 'greet', { name: 'Ann' }))
    const running = t.run('hello')
    await begun.promise
    t.engine.activities.replace([greet('new')])
    expect(await t.run('hello')).toMatchObject({ output: { output: 'new Ann' } })
    gate.resolve()
    expect(await running).toMatchObject({ output: { output: 'old Ann' } })
  })
})

describe('activity modules of a node', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'lockstep-modules-'))
    await symlink(fileURLToPath(new URL('../../node_modules', import.meta.url)), path.join(folder, 'node_modules'))
    await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
    await mkdir(path.join(folder, 'activities'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  const write = async (file: string, text: string) => {
    // As editors do: a new file, moved over the old one.
    await writeFile(path.join(folder, `${file}.new`), text)
    await rename(path.join(folder, `${file}.new`), path.join(folder, file))
  }
  /** Without the package: loading that anew takes seconds on a busy machine. */
  const module = (type: string, answer: string) => `
    import { punctuation } from '../punctuation.ts'
    export const activity = {
      type: '${type}', kind: 'action', title: 'T', description: 'D.', inputs: { type: 'object' }, outcomes: ['done'], runs: 'effect',
      run: (): object => ({ kind: 'completed', outcome: 'done', output: '${answer}' + punctuation }),
    }`
  const defined = `
    import { defineActivity, Type } from 'lockstep'
    export default defineActivity({
      type: 'two', title: 'T', description: 'D.', inputs: Type.Object({}), run: () => ({ output: 'other' }),
    })`
  const post = async (url: string, at: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${url}/api/v1/${at}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await response.json()) as Record<string, unknown>
  }

  it('are loaded anew by `lockstep dev` when they change, and stay when they cannot be', async () => {
    await write('punctuation.ts', `export const punctuation: string = '!'`)
    await write('activities/one.ts', module('one', 'first'))
    await write('activities/two.ts', defined)
    await writeFile(path.join(folder, 'lockstep.config.json'), JSON.stringify({ activities: ['./activities'] }))
    await using node = new LockstepProcess(['dev', '--port', '0'], { cwd: folder, env: { LOCKSTEP_SAMPLES: 'off' } })
    const url = await node.url()
    for (const type of ['one', 'two']) {
      await post(url, 'workflow-definitions', oneStep(type, type, {}))
      await post(url, `workflow-definitions/${type}/publish`, {})
    }
    const says = async (type: string) =>
      (await post(url, 'workflow-instances', { definitionId: type, input: {}, wait: '20s' })).output
    const becomes = (type: string, answer: string) =>
      until(
        `${type} says ${answer}: ${node.output.slice(-2_000)}`,
        async () => JSON.stringify(await says(type)) === JSON.stringify({ output: answer }),
      )
    expect(await says('one')).toEqual({ output: 'first!' })
    const failures = () => node.output.split('a module could not be loaded').length - 1

    await write('activities/one.ts', module('one', 'second'))
    await becomes('one', 'second!')
    await write('punctuation.ts', `export const punctuation: string = '?'`)
    await becomes('one', 'second?')

    await write('activities/one.ts', 'export const activity = {')
    await until('it says so', () => failures() === 1)
    expect(await says('one')).toEqual({ output: 'second?' })
    await write('activities/one.ts', module('two', 'stolen'))
    await until('it says so again', () => failures() === 2)
    expect(node.output).toContain('Two activities are called')
    expect(await says('two')).toEqual({ output: 'other' })
    await write('activities/one.ts', module('one', 'third'))
    await becomes('one', 'third?')

    await write('activities/three.ts', module('three', 'added'))
    await until('it is in the palette', async () =>
      (await (await fetch(`${url}/api/v1/activity-types`)).text()).includes('"three"'),
    )
    await post(url, 'workflow-definitions', oneStep('three', 'three', {}))
    await post(url, 'workflow-definitions/three/publish', {})
    expect(await says('three')).toEqual({ output: 'added?' })
    expect((await node.end('SIGTERM')).code).toBe(0)
  })

  it('are refused at the start when they cannot be loaded', async () => {
    const refused = async (activities: unknown) => {
      await writeFile(path.join(folder, 'lockstep.config.json'), JSON.stringify({ activities }))
      const { code, output } = await new LockstepProcess(['server', '--port', '0'], { cwd: folder }).finished()
      expect(code).toBe(1)
      return output
    }
    expect(await refused(['./nowhere'])).toMatch(/activities" must be paths that exist.*nowhere/)
    expect(await refused([7])).toMatch(/activities" must be a list of activities made with defineActivity/)
    await write('activities/empty.ts', 'export const nothing = 1')
    expect(await refused(['./activities/empty.ts'])).toMatch(/empty\.ts" must be a module that exports activities/)
    await write('activities/broken.ts', 'export const = 1')
    expect(await refused(['./activities/broken.ts'])).toMatch(/broken\.ts" must be a module that can be loaded/)
  })
})
