/** Hostile expressions and scripts, in both engines: each is refused or contained, and the next one is answered as if it had never been. */
import { errorCode, systemClock } from '@lockstep/base'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileExpression } from '../../packages/engine/src/expression/expression.ts'
import { openSandbox, type Sandbox } from '../../packages/engine/src/expression/sandbox.ts'
import { corpus, type Payload } from './sandbox-corpus.ts'

const SECRET = 'what only the host knows'
const host = globalThis as { hostSecret?: string; pwned?: unknown; planted?: unknown }
const CONTAINED = ['EXPRESSION_INVALID', 'EXPRESSION_FAILED', 'EXPRESSION_LIMIT']
const scopeOf = (tenant: string) => ({ input: { a: 1, tenant }, vars: {}, steps: { own: { output: tenant } } })

const watched = [Object, Function, Array, String, Number, Boolean, Promise, Error, Date, RegExp, Map, Symbol]
/** Everything that programs of the host share. */
const picture = (): readonly unknown[] =>
  [JSON, Math, Reflect, globalThis, ...watched, ...watched.map(({ prototype }) => prototype)].flatMap((object) =>
    Reflect.ownKeys(object).flatMap((key) => {
      if (object === globalThis) return [key]
      const { value, get, set } = Object.getOwnPropertyDescriptor(object, key)!
      return [key, value, get, set]
    }),
  )

let sandbox: Sandbox
let before: readonly unknown[]
beforeAll(async () => {
  host.hostSecret = SECRET
  sandbox = openSandbox({ clock: systemClock, workers: 2, softLimitMs: 50, hardLimitMs: 400 })
  await sandbox.evaluate('[1].map((n) => n + 1)', scopeOf('first')) // the thread is there
  compileExpression('1 + 1').evaluate?.(scopeOf('first'))
  before = picture()
})
afterAll(async () => {
  await sandbox?.close()
  delete host.hostSecret
})

/** What came of it, as text: an answer, or a code of the three that are no surprise. */
async function outcome(run: () => unknown): Promise<string> {
  try {
    return JSON.stringify(await run()) ?? 'nothing'
  } catch (error) {
    if (!CONTAINED.includes(errorCode(error) ?? '')) throw error
    return `${errorCode(error)} ${(error as Error).message}`
  }
}

function expectUntouched(text: string): void {
  expect(text).not.toContain(SECRET)
  const now = picture()
  expect(now.length === before.length && now.every((part, at) => Object.is(part, before[at]))).toBe(true)
  expect([host.pwned, host.planted, ({} as typeof host).pwned]).toEqual([undefined, undefined, undefined])
}

const shown = ({ source, kind }: Payload): string => `${kind}: ${source.replace(/[^\x20-\x7e]/g, '·').slice(0, 80)}`
const batches = Array.from({ length: Math.ceil(corpus.length / 25) }, (_, at) => corpus.slice(at * 25, at * 25 + 25))

describe('hostile programs', () => {
  it('are two hundred and more', () => {
    expect(new Set(corpus.map(({ source }) => source)).size).toBeGreaterThanOrEqual(200)
  })

  it.each(batches.map((batch, at) => [at, batch] as const))(
    'of batch %i do nothing to the process',
    async (_, batch) => {
      for (const payload of batch) {
        if (payload.kind === 'script') continue
        const text = await outcome(() => compileExpression(payload.source).evaluate?.(scopeOf('a')) ?? null)
        expect([shown(payload), text.includes(SECRET)]).toEqual([shown(payload), false])
        expectUntouched(text)
      }
    },
  )

  it.each(batches.map((batch, at) => [at, batch] as const))('of batch %i stay in the sandbox', async (_, batch) => {
    await Promise.all(
      batch.map(async (payload) => {
        const text = await outcome(() => sandbox.evaluate(payload.source, scopeOf('tenant-a'), { kind: payload.kind }))
        expect([shown(payload), text.includes(SECRET)]).toEqual([shown(payload), false])
      }),
    )
    expectUntouched('')
    const looked = await sandbox.evaluate(
      '[typeof planted, typeof pwned, ({}).pwned, ({}).planted, [1].toJSON, input.tenant, steps.own.output, JSON.stringify({ a: 1 })]',
      scopeOf('tenant-b'),
    )
    expect(looked).toEqual(['undefined', 'undefined', null, null, null, 'tenant-b', 'tenant-b', '{"a":1}'])
  })
})
