import { describe, expect, it } from 'vitest'
import { decodeNotice } from './decode-notice.ts'

describe('a message', () => {
  it('is a grant with the time of the store', () => {
    expect(decodeNotice('granted\ntoken\n1763240000000123\n1763240000000200\nörders:{1}\n')).toEqual({
      kind: 'granted',
      name: 'örders:{1}',
      token: 'token',
      fence: 1763240000000123n,
      at: 1763240000000.2,
    })
  })

  it('carries a reason of several lines', () => {
    expect(decodeNotice('revoked\nt\n7\n1000\nname\nfirst\nsecond')).toEqual({
      kind: 'revoked',
      name: 'name',
      token: 't',
      reason: 'first\nsecond',
    })
  })

  it.each(['', 'granted', 'granted\nt\nx\n1\nn\n', 'other\nt\n1\n1\nn\n'])(
    'that is none of ours is ignored: %j',
    (text) => {
      expect(decodeNotice(text)).toBeUndefined()
    },
  )
})
