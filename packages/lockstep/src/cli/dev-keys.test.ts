import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { readDevKeys } from './dev-keys.ts'

const keyboard = (isTTY: boolean) => {
  const raw: boolean[] = []
  const input = Object.assign(new PassThrough(), { isTTY, setRawMode: (mode: boolean) => raw.push(mode) })
  return { input, raw, stream: input as unknown as NodeJS.ReadStream }
}

it('opens and quits by a key, also by Ctrl-C, and hears nothing else', async () => {
  const { input, raw, stream } = keyboard(true)
  const heard: string[] = []
  expect(readDevKeys(stream, { open: () => heard.push('open'), quit: () => heard.push('quit') })).toBe(true)
  input.write('oxO')
  input.write('q\u0003')
  await expect.poll(() => heard).toEqual(['open', 'open', 'quit', 'quit'])
  expect(raw).toEqual([true])
})

it('leaves an input alone that is no keyboard', () => {
  const { raw, stream } = keyboard(false)
  expect(readDevKeys(stream, { open: () => undefined, quit: () => undefined })).toBe(false)
  expect(raw).toEqual([])
})
