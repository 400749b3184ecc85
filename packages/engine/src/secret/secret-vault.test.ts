import { seededRandom } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { memorySecrets } from './memory-secret-store.fixture.ts'
import { parseSecretKeys, type SecretKey } from './secret-keys.ts'
import { SecretVault } from './secret-vault.ts'

const random = seededRandom(7)
const newKey = (): SecretKey => parseSecretKeys(Buffer.from(random.bytes(32)).toString('base64'))[0]!
const vaultOn = (store = memorySecrets(), ...keys: readonly SecretKey[]) => ({
  store,
  vault: new SecretVault({ store, keys, random }),
})

describe('the vault', () => {
  it('opens what it has sealed, and keeps nothing readable', async () => {
    const { vault, store } = vaultOn(undefined, newKey())
    await vault.set('a', 'token', { value: 'correct horse' }, 'me')
    expect(await vault.read('a', 'token')).toEqual({ value: 'correct horse', hosts: [] })
    expect(await vault.read('a', 'other')).toBeUndefined()
    const [row] = store.rows.values()
    expect(Buffer.from(row!.box).includes('correct')).toBe(false)
  })

  it('seals the same value differently each time', async () => {
    const { vault, store } = vaultOn(undefined, newKey())
    await vault.set('a', 'x', { value: 'same value' }, 'me')
    const first = store.rows.get('a/x')!
    await vault.set('a', 'x', { value: 'same value' }, 'me')
    const second = store.rows.get('a/x')!
    expect(Buffer.from(first.nonce).equals(Buffer.from(second.nonce))).toBe(false)
    expect(Buffer.from(first.box).equals(Buffer.from(second.box))).toBe(false)
  })

  it.each([
    ['another tenant', { tenant: 'b' }],
    ['another name', { name: 'y' }],
  ])('does not open a row that was copied to %s', async (_, place) => {
    const { vault, store } = vaultOn(undefined, newKey())
    await vault.set('a', 'x', { value: 'value of a' }, 'me')
    const moved = { ...store.rows.get('a/x')!, ...place }
    store.rows.set(`${moved.tenant}/${moved.name}`, moved)
    await expect(vault.read(moved.tenant, moved.name)).rejects.toMatchObject({ code: 'SECRET_UNUSABLE' })
  })

  it('does not open a row of which one bit was changed', async () => {
    const { vault, store } = vaultOn(undefined, newKey())
    await vault.set('a', 'x', { value: 'value' }, 'me')
    const row = store.rows.get('a/x')!
    for (let at = 0; at < row.box.byteLength; at += 1) {
      const box = Buffer.from(row.box)
      box[at]! ^= 1
      store.rows.set('a/x', { ...row, box })
      await expect(vault.read('a', 'x')).rejects.toThrow(/was changed in the store/)
    }
  })

  it('names the key that it lacks, and the fix', async () => {
    const [old, next] = [newKey(), newKey()]
    const { store } = vaultOn(undefined, old)
    await vaultOn(store, old).vault.set('a', 'x', { value: 'value' }, 'me')
    await expect(vaultOn(store, next).vault.read('a', 'x')).rejects.toThrow(
      new RegExp(`"x" was sealed with key ${old.id}.*LOCKSTEP_SECRET_KEYS`),
    )
    await expect(async () => vaultOn(store).vault.set('a', 'y', { value: 'value' }, 'me')).rejects.toThrow(
      /openssl rand/,
    )
  })

  it('is rotated in rounds, after which the old key is needed no more', async () => {
    const [old, next, lost] = [newKey(), newKey(), newKey()]
    const { store } = vaultOn(undefined, old)
    for (let n = 0; n < 7; n += 1)
      await vaultOn(store, old).vault.set(`t${n % 2}`, `s${n}`, { value: `value ${n}` }, 'me')
    await vaultOn(store, lost).vault.set('t0', 'lost', { value: 'value' }, 'me')
    const { vault } = vaultOn(store, next, old)
    const rounds: number[] = []
    let unreadable = 0
    for (let after: { tenant: string; name: string } | undefined; ; ) {
      const round = await vault.rotate(after, 3)
      rounds.push(round.resealed)
      unreadable += round.unreadable.length
      after = round.next
      if (after === undefined) break
    }
    expect([rounds.reduce((a, b) => a + b), unreadable]).toEqual([7, 1])
    expect(Math.max(...rounds)).toBeLessThanOrEqual(3)
    const { vault: later } = vaultOn(store, next)
    for (let n = 0; n < 7; n += 1) expect((await later.read(`t${n % 2}`, `s${n}`))?.value).toBe(`value ${n}`)
    expect((await later.rotate(undefined, 100)).resealed).toBe(0)
  })
})

describe('keys', () => {
  it('may be base64 or hex, several of them, with ids of their own', () => {
    const bytes = Buffer.from(random.bytes(32))
    const [first] = parseSecretKeys(bytes.toString('base64'))
    expect(parseSecretKeys(bytes.toString('hex'))).toEqual([first])
    expect(parseSecretKeys(bytes.toString('base64url'))).toEqual([first])
    const other = Buffer.from(random.bytes(32)).toString('base64')
    expect(parseSecretKeys(`${bytes.toString('base64')},\n${other}`)).toHaveLength(2)
    expect(parseSecretKeys(undefined)).toEqual([])
  })

  it.each([
    ['too short', Buffer.alloc(16, 'abcdefghijklmnop').toString('base64')],
    ['all zero', Buffer.alloc(32).toString('base64')],
    ['a repeated byte', Buffer.alloc(32, 'ab').toString('hex')],
    ['a password', 'correct-horse-battery-staple'],
  ])('are refused when they are %s, without being repeated', (_, text) => {
    const refused = (): unknown => parseSecretKeys(text)
    expect(refused).toThrow(/32 random bytes/)
    expect(refused).not.toThrow(text)
  })

  it('are refused when one stands there twice', () => {
    const text = Buffer.from(random.bytes(32)).toString('base64')
    expect(() => parseSecretKeys(`${text} ${text}`)).toThrow(/twice/)
  })
})
