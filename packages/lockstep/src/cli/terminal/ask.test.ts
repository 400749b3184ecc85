import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { ask } from './ask.ts'

async function asked(keys: string, hidden = false) {
  const input = new PassThrough()
  const output = new PassThrough()
  const answer = ask({ input, output, question: 'Sure? ', hidden })
  input.write(keys)
  return { answer: await answer, screen: String(output.read()) }
}

describe('a question at a terminal', () => {
  it('is answered with a line', async () => {
    expect((await asked('yes\r')).answer).toEqual({ status: 'answered', text: 'yes' })
  })

  it('is interrupted by Ctrl-C and left without an answer by Ctrl-D', async () => {
    expect((await asked('\x03')).answer).toEqual({ status: 'interrupted' })
    expect((await asked('\x04')).answer).toEqual({ status: 'closed' })
  })

  it('does not show what is typed when that is hidden', async () => {
    const { answer, screen } = await asked('hunter2\r', true)
    expect([answer, screen]).toEqual([{ status: 'answered', text: 'hunter2' }, 'Sure? \n'])
    expect((await asked('hunter2\r')).screen).toContain('hunter2')
  })
})
