// The programs that the fault tests run. Every effect is written to the sink: a file of its own that only grows, which no
// fault touches.
import { appendFileSync } from 'node:fs'
import { workflow } from '@lockstep/engine'

export function scriptedWorkflows(outside) {
  const sink = (instance, name, scope, mode = 'atLeastOnce') => {
    const { attempt, idempotencyKey: key } = scope
    const line = { instance, step: name, attempt, key, mode, node: outside.nodeName, pid: process.pid }
    appendFileSync(outside.sinkFile, `${JSON.stringify(line)}\n`)
  }
  const effect = (ctx, name, value, options = {}) =>
    ctx.step(
      name,
      (scope) => {
        sink(ctx.instanceId, name, scope, options.effect)
        return value
      },
      options,
    )
  const ledger = (ctx, name) => (tx) =>
    tx.query('insert into public.ledger (instance_id, step) values ($1, $2) returning step', [ctx.instanceId, name])

  /** Only on the nodes that its input names. */
  const stands = (input) => [input.at].flat().includes(outside.nodeName)

  const child = workflow('scripted-child', async (ctx, input) => {
    const doubled = await effect(ctx, 'double', input.n * 2)
    await ctx.sleep(20)
    return { doubled }
  })

  const order = workflow('scripted-order', async (ctx, input) => {
    const reserved = await effect(ctx, 'reserve', `reserved ${input.n}`)
    await ctx.sleep(30)
    const [booked] = await ctx.transaction('book', ledger(ctx, 'book'))
    const flaky = await ctx.step(
      'flaky',
      (scope) => {
        sink(ctx.instanceId, 'flaky', scope)
        if (scope.attempt < 3) throw new Error('not yet')
        return 'third time'
      },
      { retry: { attempts: 5, initial: 10, factor: 1 } },
    )
    const answer = await ctx.waitFor('go')
    const { doubled } = await ctx.run(child, { n: input.n })
    const charged = await effect(ctx, 'charge', 'charged', { effect: 'atMostOnce' })
    const again = await ctx.waitFor('again')
    await ctx.transaction('settle', ledger(ctx, 'settle'))
    const notified = await effect(ctx, 'notify', 'notified')
    return { reserved, booked, flaky, answer, doubled, charged, again, notified }
  })

  /** Stands at a gate inside a step until the driver lets it go on. */
  const gated = workflow('gated', async (ctx, input) => {
    await ctx.step('before', (scope) => sink(ctx.instanceId, 'before', scope))
    await ctx.step('stand', async (scope) => {
      sink(ctx.instanceId, 'stand', scope)
      if (stands(input)) await outside.gate(input.gate)
    })
    await ctx.transaction('book', ledger(ctx, 'book'))
    return effect(ctx, 'after', 'done')
  })

  /** Stands at a gate inside its transaction, with a row of its own written and its locks held. */
  const gatedTransaction = workflow('gated-transaction', async (ctx, input) => {
    await ctx.transaction('book', async (tx) => {
      await ledger(ctx, 'book')(tx)
      if (stands(input)) await outside.gate(input.gate)
    })
    return effect(ctx, 'after', 'done')
  })

  /** Stands at one gate on one node and at a later one on another. */
  const twoGates = workflow('two-gates', async (ctx) => {
    for (const [name, at] of [
      ['first', 'a'],
      ['second', 'b'],
    ]) {
      await ctx.step(name, async (scope) => {
        sink(ctx.instanceId, name, scope)
        if (stands({ at })) await outside.gate(name)
      })
    }
    return effect(ctx, 'after', 'done')
  })

  /** Dies, if the driver wishes, between an effect that must not run twice and its record. */
  const gatedOnce = workflow('gated-once', async (ctx, input) =>
    ctx.step(
      'charge',
      async (scope) => {
        sink(ctx.instanceId, 'charge', scope, 'atMostOnce')
        if (stands(input)) await outside.gate(input.gate)
        return 'charged'
      },
      { effect: 'atMostOnce' },
    ),
  )

  /** Runs until it is told to stop, and says at two gates that it has begun and that it was told. */
  const endless = workflow('endless', (ctx) =>
    ctx.step('run', ({ signal }) => runsUntilTold(outside, ctx.instanceId, signal)),
  )

  return [
    child,
    order,
    endless,
    gatedOnce,
    twoGates,
    gated,
    gatedTransaction,
    workflow('quick', async (ctx, input) => {
      const a = await effect(ctx, 'a', input.n + 1)
      await ctx.transaction('book', ledger(ctx, 'book'))
      return { sum: await effect(ctx, 'b', a + 1) }
    }),
    workflow('timer', async (ctx, input) => {
      await ctx.sleep(input.ms)
      return effect(ctx, 'fired', 'fired')
    }),
    workflow('waiter', async (ctx, input) => {
      const got = []
      for (let turn = 0; turn < input.turns; turn += 1) {
        const wait = input.timeoutMs === undefined ? {} : { timeout: input.timeoutMs }
        got.push((await ctx.waitFor('go', wait)) ?? 'timeout')
      }
      return { got }
    }),
    /** Two waits of one name: the second gives up after a while. */
    workflow('two-ticks', async (ctx, input) => {
      const first = await ctx.waitFor('tick')
      const second = await ctx.waitFor('tick', { timeout: input.timeoutMs })
      return { first, second: second ?? 'timeout' }
    }),
    workflow('poison', async (ctx) => {
      await effect(ctx, 'harmless', 1)
      await ctx.step('fatal', (scope) => {
        sink(ctx.instanceId, 'fatal', scope)
        outside.die()
        return new Promise(() => {})
      })
    }),
    workflow('innocent', async (ctx, input) => {
      for (let turn = 0; turn < input.turns; turn += 1) {
        await effect(ctx, `turn-${turn}`, turn)
        await ctx.sleep(input.pauseMs)
      }
      return 'innocent'
    }),
    workflow('side-by-side', async (ctx) => {
      const both = [ctx.transaction('left', ledger(ctx, 'left')), ctx.transaction('right', ledger(ctx, 'right'))]
      const [left, right] = await ctx.all(both)
      return [...left, ...right]
    }),
    /** A time-out that falls due while a transaction of the same instance is open. */
    workflow('timeout-beside-transaction', async (ctx) => {
      const waited = ctx.waitFor('never', { timeout: 40 })
      const booked = ctx.transaction('book', async (tx) => {
        const rows = await ledger(ctx, 'book')(tx)
        await tx.query('select pg_sleep(0.15)')
        return rows
      })
      return ctx.all([waited.then((value) => value ?? 'timeout'), booked])
    }),
    workflow('caught-transaction', async (ctx, input) => {
      let caught = 'nothing'
      try {
        await ctx.transaction('bad', (tx) => tx.query('select 1 / 0'))
      } catch {
        caught = 'division'
      }
      await effect(ctx, 'after', caught)
      await ctx.step('stand', () => (stands(input) ? outside.gate(input.gate) : undefined))
      return caught
    }),
    /** Hands out parts, and stands at a gate behind some of them on the nodes that its input names. */
    workflow('parts', (ctx, input) =>
      ctx.step('produce', async (scope) => {
        for (let n = 1; n <= input.count; n += 1) {
          await scope.emit({ n, by: outside.nodeName })
          scope.progress({ done: n, total: input.count })
          if (n === input.gateAfter && stands(input)) await outside.gate(input.gate)
        }
        return input.count
      }),
    ),
    /** Tries its statements in a transaction whose connection the test cuts. */
    workflow('slow-transaction', async (ctx) => {
      await ctx.transaction('book', async (tx) => {
        await ledger(ctx, 'book')(tx)
        await tx.query(`select pg_sleep(0.05) as "cut me here"`)
      })
      return effect(ctx, 'after', 'done')
    }),
  ]
}

function runsUntilTold(outside, instanceId, signal) {
  void outside.gate(`${instanceId} runs`)
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      void outside.gate(`${instanceId} was told`)
      reject(signal.reason)
    })
  })
}

/** For graphs: writes to the sink and answers its input. */
export function scriptedActivities(outside) {
  return [
    {
      type: 'endless',
      kind: 'action',
      title: 'Endless',
      description: 'Runs until it is told to stop.',
      inputs: { type: 'object', properties: {}, additionalProperties: false },
      outcomes: ['done'],
      runs: 'effect',
      run: (_, { instanceId, signal }) => runsUntilTold(outside, instanceId, signal),
    },
    {
      type: 'note',
      kind: 'action',
      title: 'Note',
      description: 'Writes to the sink; fails the first attempt after it, if its input says so.',
      inputs: {
        type: 'object',
        properties: { value: {}, failFirst: { type: 'boolean' } },
        additionalProperties: false,
      },
      outcomes: ['done'],
      runs: 'effect',
      run: ({ value = null, failFirst }, { instanceId: instance, step, attempt, idempotencyKey: key }) => {
        const line = { instance, step, attempt, key, mode: 'atLeastOnce', node: outside.nodeName, pid: process.pid }
        appendFileSync(outside.sinkFile, `${JSON.stringify(line)}\n`)
        if (failFirst && attempt === 1) throw new Error('not yet')
        return { kind: 'completed', outcome: 'done', output: value }
      },
    },
    {
      type: 'note-once',
      kind: 'action',
      title: 'Note once',
      description: 'Writes to the sink; its document says that it runs at most once.',
      inputs: { type: 'object', properties: { value: {} }, additionalProperties: false },
      outcomes: ['done'],
      runs: 'effect',
      run: ({ value = null }, { instanceId: instance, step, attempt, idempotencyKey: key }) => {
        const line = { instance, step, attempt, key, mode: 'atMostOnce', node: outside.nodeName, pid: process.pid }
        appendFileSync(outside.sinkFile, `${JSON.stringify(line)}\n`)
        return { kind: 'completed', outcome: 'done', output: value }
      },
    },
    {
      type: 'ledger',
      kind: 'action',
      title: 'Ledger',
      description: 'Writes a row that names its step; fails the first attempt after it, if its input says so.',
      inputs: { type: 'object', properties: { failFirst: { type: 'boolean' } }, additionalProperties: false },
      outcomes: ['done'],
      runs: 'transaction',
      run: async ({ failFirst = false }, { tx, instanceId, step, attempt }) => {
        const insert = 'insert into public.ledger (instance_id, step) values ($1, $2) returning step'
        const [row] = await tx.query(insert, [instanceId, step])
        if (failFirst && attempt === 1) throw new Error('not yet')
        return { kind: 'completed', outcome: 'done', output: row.step }
      },
    },
  ]
}
