import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ExpressionFailed } from './errors.ts'
import { escapes } from './escapes.fixture.ts'
import { compileExpression } from './expression.ts'
import { emptyScope, type MachineHarness, openHarness } from './machine.fixture.ts'
import type { ExpressionScope } from './scope.ts'

const SECRET = 'what only the host knows'
const scope: ExpressionScope = { ...emptyScope, input: { a: 1 } }
const host = globalThis as { hostSecret?: string; pwned?: unknown }

const watched = [Object, Function, Array, String, Number, Boolean, Promise, Error, Date, RegExp, Map, Symbol].flatMap(
  (kind): object[] => [kind, kind.prototype],
)

/** Every own member of what programs share in the host, so that an addition, a removal or a replacement shows. */
function picture(): unknown[] {
  return [JSON, Math, Reflect, ...watched].flatMap((object) => [
    Object.getPrototypeOf(object),
    Object.isExtensible(object),
    ...Reflect.ownKeys(object).flatMap((key) => {
      const { value, get, set } = Object.getOwnPropertyDescriptor(object, key)!
      return [key, value, get, set]
    }),
  ])
}

function isChanged(): boolean {
  const now = picture()
  return now.length !== before.length || now.some((part, index) => !Object.is(part, before[index]))
}

let sandbox: MachineHarness
let before: unknown[]
beforeAll(async () => {
  host.hostSecret = SECRET
  sandbox = await openHarness()
  before = picture()
})
afterAll(() => {
  delete host.hostSecret
})

function inProcess(source: string): string | undefined {
  try {
    const answer = compileExpression(source).evaluate?.(scope)
    return answer === undefined ? undefined : JSON.stringify(answer)
  } catch (error) {
    if (ExpressionFailed.is(error)) return `threw ${error.details.name}`
    throw error
  }
}

describe('no way out of an expression', () => {
  it.each(escapes)('%s', async (source, outcome) => {
    expect(await sandbox.line(source, scope)).toBe(outcome)
    expect([undefined, outcome]).toContain(inProcess(source))
    expect(isChanged()).toBe(false)
    expect(host.pwned).toBeUndefined()
    expect(({} as { pwned?: unknown }).pwned).toBeUndefined()
  })

  it('nor by the message of an error', async () => {
    for (const [source] of escapes) expect(JSON.stringify(await sandbox.run(source, scope))).not.toContain(SECRET)
  })

  it('has a table of at least sixty of them', () => {
    expect(new Set(escapes.map(([source]) => source)).size).toBeGreaterThanOrEqual(60)
  })
})
