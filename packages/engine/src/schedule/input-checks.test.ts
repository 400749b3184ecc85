import { describe, expect, it } from 'vitest'
import { DefinitionNotFound } from '../definition/errors.ts'
import type { Program } from '../definition/programs.ts'
import { InputChecks } from './input-checks.ts'

const TENANT = 'default'
const runs = (n: number) => ({ tenant: TENANT, definitionId: `d${n}`, graphVersion: 1 })
const draft = async () => undefined
const readable = { kind: 'graph', checkInput: () => [] } as unknown as Program

/** A decision about these, which counts its beginnings and gives up after some. */
function counted(checks: InputChecks, about: readonly ReturnType<typeof runs>[], before = async () => {}) {
  let tries = 0
  const made = checks.decided(async (of) => {
    tries += 1
    if (tries > 20) throw new Error('again and again')
    await before()
    return of(about).length
  })
  return { made, tries: () => tries }
}

describe('what a decision knows of schemas', () => {
  it('stays with it while others begin: a version that cannot be read stops it once', async () => {
    const get = async (): Promise<Program> => {
      throw new DefinitionNotFound({ definitionId: 'd1', version: 1 })
    }
    const checks = new InputChecks({ draft }, { get })
    const another = () => checks.decided(async () => undefined)
    const { made, tries } = counted(checks, [runs(1)], another)
    expect([await made, tries()]).toEqual([1, 2])
  })

  it('is read a few at a time, and is enough for one about more than are kept', async () => {
    let atOnce = 0
    let most = 0
    const get = async (): Promise<Program> => {
      most = Math.max(most, ++atOnce)
      await Promise.resolve()
      atOnce -= 1
      return readable
    }
    const checks = new InputChecks({ draft }, { get })
    const { made, tries } = counted(
      checks,
      Array.from({ length: 1_200 }, (_, n) => runs(n)),
    )
    expect([await made, tries(), most]).toEqual([1_200, 2, 8])
  })
})
