import type { NewSecret, SecretStore } from '@lockstep/engine/ports'
import { beforeEach, describe, expect, it } from 'vitest'

/** What every store of secrets does. `open` answers an empty one each time it is called. */
export function secretStoreContract(provider: string, open: () => Promise<SecretStore>): void {
  const sealed = (tenant: string, name: string, text: string, keyId = 'k1'): NewSecret => ({
    ...{ tenant, name, keyId },
    nonce: Buffer.from('\0\x01nonce\xff', 'latin1'),
    box: Buffer.from(text.repeat(50)),
  })

  describe(`${provider}: secret store contract`, () => {
    let store: SecretStore
    beforeEach(async () => {
      store = await open()
    })

    it('gives back the very bytes that it was given', async () => {
      const given = sealed('a', 'token', 'one')
      await store.put(given, 'key:1')
      const found = await store.find('a', 'token')
      expect(found).toMatchObject({ tenant: 'a', name: 'token', keyId: 'k1', revision: 1 })
      expect(Buffer.from(found!.nonce).equals(Buffer.from(given.nonce))).toBe(true)
      expect(Buffer.from(found!.box).equals(Buffer.from(given.box))).toBe(true)
    })

    it('puts a value in the place of another, and says who did', async () => {
      const first = await store.put(sealed('a', 'token', 'one'), 'key:1')
      const second = await store.put(sealed('a', 'token', 'two', 'k2'), 'user:ann')
      expect([first.revision, second.revision]).toEqual([1, 2])
      expect(second).toMatchObject({ keyId: 'k2', updatedBy: 'user:ann', createdAt: first.createdAt })
      expect(second.updatedAt).toBeGreaterThanOrEqual(first.updatedAt)
    })

    it('keeps where a secret may be sent until something else is said', async () => {
      const told = await store.put({ ...sealed('a', 'token', 'one'), hosts: ['a.example', '*.b.example'] }, 'x')
      expect(told.hosts).toEqual(['a.example', '*.b.example'])
      expect((await store.put(sealed('a', 'token', 'two'), 'x')).hosts).toEqual(['a.example', '*.b.example'])
      expect((await store.find('a', 'token'))!.hosts).toEqual(['a.example', '*.b.example'])
      expect(await store.list({ tenant: 'a', after: undefined, limit: 1 })).toMatchObject([{ hosts: told.hosts }])
      expect((await store.put({ ...sealed('a', 'token', 'two'), hosts: [] }, 'x')).hosts).toEqual([])
      expect((await store.put(sealed('a', 'other', 'one'), 'x')).hosts).toEqual([])
    })

    it('keeps tenants apart', async () => {
      await store.put(sealed('a', 'token', 'one'), 'x')
      expect(await store.find('b', 'token')).toBeUndefined()
      expect(await store.list({ tenant: 'b', after: undefined, limit: 10 })).toEqual([])
      expect(await store.remove('b', 'token')).toBe(false)
      expect(await store.find('a', 'token')).toBeDefined()
    })

    it('lists by name, page after page, without what is in them', async () => {
      for (const name of ['c', 'a', 'b']) await store.put(sealed('a', name, 'one'), 'x')
      const page = await store.list({ tenant: 'a', after: undefined, limit: 2 })
      expect(page.map(({ name }) => name)).toEqual(['a', 'b'])
      expect(Object.keys(page[0]!)).not.toContain('box')
      expect((await store.list({ tenant: 'a', after: 'b', limit: 2 })).map(({ name }) => name)).toEqual(['c'])
    })

    it('takes a secret away once', async () => {
      await store.put(sealed('a', 'token', 'one'), 'x')
      expect([await store.remove('a', 'token'), await store.remove('a', 'token')]).toEqual([true, false])
      expect(await store.find('a', 'token')).toBeUndefined()
    })

    it('finds what was sealed with another key, of all tenants, page after page', async () => {
      await store.put(sealed('a', 'x', 'one'), 'x')
      await store.put(sealed('a', 'y', 'one', 'k2'), 'x')
      await store.put(sealed('b', 'x', 'one'), 'x')
      const [first] = await store.sealedOtherwise('k2', undefined, 1)
      expect(first).toMatchObject({ tenant: 'a', name: 'x' })
      expect(await store.sealedOtherwise('k2', first, 5)).toMatchObject([{ tenant: 'b', name: 'x' }])
      expect(await store.sealedOtherwise('k2', { tenant: 'b', name: 'x' }, 5)).toEqual([])
    })

    it('seals anew only what has the same value still', async () => {
      const before = await store.put(sealed('a', 'token', 'one'), 'x')
      const old = (await store.find('a', 'token'))!
      expect(await store.reseal({ ...old, keyId: 'k2' })).toBe(true)
      expect(await store.find('a', 'token')).toMatchObject({ keyId: 'k2', revision: before.revision })
      await store.put(sealed('a', 'token', 'two', 'k3'), 'x')
      expect(await store.reseal({ ...old, keyId: 'k2' })).toBe(false)
      expect(await store.find('a', 'token')).toMatchObject({ keyId: 'k3' })
    })
  })
}
