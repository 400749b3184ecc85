import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import { type EffectActivity, Engine, workflow } from '@lockstep/engine'
import { postgresEngineStore } from '@lockstep/postgres'
import { describe, expect, it } from 'vitest'
import { openTestEngine } from '../engine/open-test-engine.ts'
import { until } from '../faults/until.ts'

const gate = (): { readonly open: () => void; readonly passed: Promise<void> } => {
  let open = (): void => undefined
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open: () => open(), passed }
}

describe('progress', () => {
  it('is read by any node while the step runs, and gone when it has ended', async () => {
    const { open, passed } = gate()
    const copies = workflow('copies', async (ctx) =>
      ctx.step('copy', async (scope) => {
        for (let done = 0; done <= 500; done += 1) scope.progress({ done, total: 1_000, note: `row ${done}` })
        await passed
        scope.progress(1)
      }),
    )
    await using test = await openTestEngine({ workflows: [copies] })
    const { instanceId } = await test.engine.start({ definitionId: 'copies' })
    const newest = async () => (await test.engine.progress(instanceId))[0]
    await until('it is told', async () => (await newest())?.done === 500)
    expect(await newest()).toMatchObject({ step: 'copy', attempt: 1, fraction: 0.5, total: 1_000, note: 'row 500' })
    open()
    await test.engine.waitForEnd(instanceId)
    await until('it is gone', async () => (await test.engine.progress(instanceId)).length === 0)
  })

  it('refuses what is none', async () => {
    const bad = workflow('bad', async (ctx, input: { progress: number }) =>
      ctx.step('s', (scope) => scope.progress(input.progress)),
    )
    await using test = await openTestEngine({ workflows: [bad] })
    for (const progress of [-0.1, 1.1, { done: -1 }, { total: 0 }, { note: 3 }])
      expect((await test.run('bad', { progress })).error).toMatchObject({ code: 'INVALID_PROGRESS' })
  })
})

describe('a heartbeat', () => {
  it('that is missed aborts the attempt; the next one gets what the last heartbeat carried', async () => {
    const seen: unknown[] = []
    let last = 0
    const works = workflow('works', async (ctx) =>
      ctx.step(
        'work',
        async (scope) => {
          seen.push(scope.lastHeartbeat)
          if (scope.attempt === 2) return 'done'
          // A machine that stands still may end it before the fifth: what counts is the last one that came in time.
          for (let row = 1; row <= 5 && !scope.signal.aborted; row += 1) {
            scope.heartbeat({ row })
            last = row
            await new Promise((resolve) => setTimeout(resolve, 60))
          }
          if (!scope.signal.aborted) await new Promise((resolve) => scope.signal.addEventListener('abort', resolve))
          return 'too late'
        },
        { heartbeatTimeout: '200ms', retry: { attempts: 2, initial: 10 } },
      ),
    )
    await using test = await openTestEngine({ workflows: [works] })
    const { output, instanceId } = await test.run('works')
    expect(output).toBe('done')
    expect(last).toBeGreaterThan(0)
    expect(seen).toEqual([undefined, { row: last }])
    const retried = (await test.engine.journal(instanceId)).find((row) => row.kind === 'retrying')
    expect(retried?.data).toMatchObject({ error: { code: 'HEARTBEAT_MISSED' } })
  })

  it('is for activities of graphs too', async () => {
    const seen: unknown[] = []
    const work: EffectActivity = {
      ...{ type: 'work', kind: 'action', title: 'Work', description: 'Works.', outcomes: ['done'] },
      inputs: { type: 'object' },
      runs: 'effect',
      run: async (_inputs, context) => {
        seen.push(context.lastHeartbeat)
        context.progress(0.5)
        context.heartbeat('half')
        if (context.attempt === 1) await new Promise(() => {})
        return { kind: 'completed', outcome: 'done' }
      },
    }
    await using test = await openTestEngine({ activities: [work] })
    await test.publish({
      id: 'graph',
      activities: [
        {
          id: 'w',
          type: 'work',
          heartbeatTimeout: '100ms',
          retry: { attempts: 2, backoff: { initial: '10ms' } },
        },
      ],
    })
    expect((await test.run('graph')).status).toBe('completed')
    expect(seen).toEqual([undefined, 'half'])
  })

  it('of a node that died reaches the attempt on another one', async () => {
    const seen: unknown[] = []
    const works = workflow('works', async (ctx) =>
      ctx.step(
        'work',
        async (scope) => {
          seen.push(scope.lastHeartbeat)
          if (seen.length === 2) return 'done'
          scope.heartbeat({ row: 7 })
          return new Promise<string>(() => {})
        },
        { heartbeatTimeout: '1h' },
      ),
    )
    await using one = await openTestEngine({ workflows: [works] })
    const { instanceId } = await one.engine.start({ definitionId: 'works' })
    await until('the beat is kept', async () => (await one.engine.progress(instanceId))[0]?.beat !== undefined)
    // Closing without patience leaves the attempt behind, as a crash does.
    await one.engine.close(0)
    const next = await Engine.open({ store: postgresEngineStore(one.db), clock, random, workflows: [works] })
    expect((await next.waitForEnd(instanceId))?.output).toBe('done')
    expect(seen).toEqual([undefined, { row: 7 }])
    await next.close(0)
  })
})
