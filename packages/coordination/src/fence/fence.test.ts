import { deferred } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { StaleFence } from '../errors.ts'
import { checkFence, fenceAccepts, parseFence } from './check-fence.ts'
import { fenceHeaders, readFenceHeaders } from './fence-headers.ts'
import { memoryFenceStore } from './fence-store.ts'
import { fenceVerifier } from './fence-verifier.ts'

const request = (fence: bigint, name = 'orders') => ({ headers: fenceHeaders({ name, fence }) })

describe('the rule of fences', () => {
  it('lets in the first, the same and the later, and refuses the earlier', () => {
    expect([fenceAccepts(undefined, 1n), fenceAccepts(5n, 5n), fenceAccepts(5n, 6n), fenceAccepts(5n, 4n)]).toEqual([
      true,
      true,
      true,
      false,
    ])
    expect(() => checkFence('orders', 5n, 4n)).toThrow(StaleFence)
    expect(checkFence('orders', 5n, 7n)).toBe(7n)
  })

  it('reads only numbers that a store can have handed out', () => {
    const greatest = (2n ** 63n - 1n).toString()
    expect(parseFence(greatest)).toBe(2n ** 63n - 1n)
    for (const text of ['', '0', '-1', '01', '1.0', '1e3', ' 1', '0x10', '9223372036854775808', '1'.repeat(400)])
      expect(parseFence(text), text).toBeUndefined()
  })
})

describe('fence headers', () => {
  it('carry any lock name through HTTP, in both kinds of headers', () => {
    const name = 'Bestellung/ä €:{1}\u{1f512}'
    const headers = fenceHeaders({ name, fence: 12n })
    const found = { status: 'found', fence: 12n, lock: name }
    expect(readFenceHeaders(headers)).toEqual(found)
    expect(readFenceHeaders(new Headers(headers))).toEqual(found)
  })

  it('do not throw for a name that is no proper text', () => {
    expect(readFenceHeaders(fenceHeaders({ name: 'a\ud800', fence: 1n })).status).toBe('found')
  })

  it('tell a missing fence from one that cannot be read', () => {
    expect(readFenceHeaders({}).status).toBe('missing')
    expect(readFenceHeaders({ 'lockstep-fence': '7' }).status).toBe('malformed')
    expect(readFenceHeaders({ 'lockstep-fence': ['7', '8'], 'lockstep-lock': 'a' }).status).toBe('malformed')
    expect(readFenceHeaders({ 'lockstep-fence': '7', 'lockstep-lock': '%E0%A4%A' }).status).toBe('malformed')
    expect(readFenceHeaders({ 'lockstep-fence': '7', 'lockstep-lock': '' }).status).toBe('malformed')
  })
})

describe('fence verifier', () => {
  it('refuses a late holder with 412, and one without a fence with 428', async () => {
    const { verify } = fenceVerifier(memoryFenceStore())
    expect(await verify(request(7n))).toEqual({ status: 'accepted', fence: 7n, resource: 'orders' })
    expect(await verify(request(6n))).toMatchObject({ status: 'stale', httpStatus: 412, seen: 7n })
    expect(await verify(request(7n))).toMatchObject({ status: 'accepted' })
    expect(await verify(request(6n, 'invoices'))).toMatchObject({ status: 'accepted' })
    expect(await verify({ headers: {} })).toEqual({ status: 'missing', httpStatus: 428 })
    expect(await verify({ headers: { 'lockstep-fence': 'x' } })).toEqual({ status: 'malformed', httpStatus: 400 })
  })

  it('compares by the resource that the server names, whatever lock the request names', async () => {
    const { verify } = fenceVerifier(memoryFenceStore())
    await verify({ ...request(7n, 'a'), resource: 'file' })
    expect(await verify({ ...request(6n, 'b'), resource: 'file' })).toMatchObject({ status: 'stale', resource: 'file' })
  })

  it('lets no write land after that of a later holder', async () => {
    const verifier = fenceVerifier(memoryFenceStore())
    const slow = deferred<void>()
    const landed: bigint[] = []
    const old = verifier.protect(request(6n), async (fence) => {
      await slow.promise
      landed.push(fence)
    })
    const next = verifier.protect(request(7n), (fence) => void landed.push(fence))
    const late = verifier.protect(request(6n), (fence) => void landed.push(fence))
    slow.resolve()
    expect((await Promise.all([old, next, late])).map((each) => each.status)).toEqual(['accepted', 'accepted', 'stale'])
    expect(landed).toEqual([6n, 7n])
  })

  it('goes on after a write that failed, and hands its error to the one who asked', async () => {
    const verifier = fenceVerifier(memoryFenceStore())
    const failed = verifier.protect(request(1n), () => Promise.reject(new Error('disk full')))
    const next = verifier.protect(request(2n), () => 'written')
    await expect(failed).rejects.toThrow('disk full')
    expect(await next).toEqual({ status: 'accepted', fence: 2n, value: 'written' })
  })
})
