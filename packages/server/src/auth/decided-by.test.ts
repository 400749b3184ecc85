import { describe, expect, it } from 'vitest'
import { decidedBy, decidedByLink } from './decided-by.ts'
import { everybody, grantedTo, nobody, type Principal } from './principal.ts'

const who = (kind: Principal['kind'], name: string, only?: readonly string[]): Principal => ({
  ...{ kind, id: `${kind}:${name}`, name, tenant: 'default', role: 'operator' },
  permissions: grantedTo('operator', only),
})
const ofAnybody = { assignee: undefined, candidates: [] }
const ofAnn = { assignee: 'ann', candidates: ['accounting'] }

describe('a decision is written down', () => {
  it.each([
    ['a user, as that user', who('user', 'bob'), ofAnybody, undefined, 'bob'],
    ['a key, as that key', who('key', 'shop'), ofAnn, undefined, 'shop'],
    ['who came through the issuer, as that one', who('token', 'ann'), ofAnn, undefined, 'ann'],
    ['whoever says their own name', who('user', 'ann'), ofAnn, 'ann', 'ann'],
    ['an operator who acts for somebody, as both', who('user', 'bob'), ofAnn, 'accounting', 'accounting (through bob)'],
    ['a key that acts for somebody, as both', who('key', 'shop'), ofAnybody, 'eve', 'eve (through shop)'],
    ['where nobody is asked who they are, as they say', everybody, ofAnn, 'zoe', 'zoe'],
  ])('of %s', (_, principal, task, by, written) => {
    expect(decidedBy(principal, task, by)).toBe(written)
  })

  it.each([
    ['of plain letters', 'e'.repeat(255)],
    ['of signs that count twice', '😀'.repeat(255)],
  ])('with both names, where they are as long as names may be, %s', (_, by) => {
    const name = 'n'.repeat(255)
    const mark = ` (through ${name})`
    const written = [
      decidedBy(who('token', name), ofAnybody, by),
      decidedByLink(who('token', name), by),
      decidedByLink(nobody, by),
    ]
    for (const each of written) expect([each!.length <= 512, /\p{Cs}/u.test(each!)]).toEqual([true, false])
    expect(written.map((each) => each!.slice(-mark.length))).toEqual([
      mark,
      mark,
      expect.stringMatching(/ \(with a link\)$/),
    ])
    expect(written[0]!.startsWith(by.slice(0, 200))).toBe(true)
  })

  it.each([
    ['a user whom the task does not name', who('user', 'bob'), ofAnn, undefined],
    ['who came through the issuer, and is not named', who('token', 'bob'), ofAnn, undefined],
    ['an operator who acts for somebody whom it does not name', who('user', 'bob'), ofAnn, 'eve'],
    ['who may decide and nothing else, in the name of another', who('key', 'shop', ['tasks:decide']), ofAnybody, 'eve'],
  ])('but not of %s', (_, principal, task, by) => {
    expect(() => decidedBy(principal, task, by)).toThrow(expect.objectContaining({ code: 'TASK_NOT_YOURS' }))
  })
})
