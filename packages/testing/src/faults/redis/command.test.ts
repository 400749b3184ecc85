import { expect, it } from 'vitest'
import { toCommand } from './command.ts'

it.each([
  ['get lease:1', ['lease:1']],
  ['SET lease:1 v PX 10', ['lease:1']],
  ['DEL a b c', ['a', 'b', 'c']],
  ['MSET a 1 b 2', ['a', 'b']],
  ['BLPOP a b 0', ['a', 'b']],
  ['EVALSHA f00 2 a b 1 2', ['a', 'b']],
  ['EVAL script 0 x', []],
  ['FCALL renew 1 lease owner', ['lease']],
  ['XREAD COUNT 1 STREAMS s t 0 0', ['s', 't']],
  ['XREADGROUP GROUP g me BLOCK 0 STREAMS s >', ['s']],
  ['XGROUP CREATE s g $', ['s']],
  ['PUBLISH channel text', ['channel']],
  ['PING', []],
])('knows the keys of %s', (line, keys) => {
  expect(toCommand(line.split(' ')).keys).toEqual(keys)
})

it('names commands in upper case', () => {
  expect(toCommand(['evalsha', 'f00', '0'])).toMatchObject({ name: 'EVALSHA', args: ['f00', '0'] })
})
