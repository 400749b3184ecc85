import { describe, expect, it } from 'vitest'
import { defineError, type Logger, Trouble } from '../index.ts'

const Away = defineError('AWAY', { retryable: true }, (d: { port: number }) => `nobody at port ${d.port}`)

function bed() {
  const lines: string[] = []
  const say = (level: string) => (message: string) => void lines.push(`${level} ${message}`)
  const logger: Logger = {
    ...{ debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') },
    area: () => logger,
  }
  return { lines, trouble: new Trouble(logger, 'cannot look', 'can look again') }
}

describe('trouble', () => {
  it('is said once, however often it comes, and once more when it is over', () => {
    const { lines, trouble } = bed()
    trouble.over()
    for (const port of [5001, 5002, 5003]) trouble.failed(new Away({ port }))
    trouble.over()
    trouble.over()
    expect(lines).toEqual(['warn cannot look', 'debug cannot look', 'debug cannot look', 'info can look again'])
  })

  it('is said anew when it comes again after it was over', () => {
    const { lines, trouble } = bed()
    trouble.failed(new Away({ port: 1 }))
    trouble.over()
    trouble.failed(new Away({ port: 1 }))
    expect(lines).toEqual(['warn cannot look', 'info can look again', 'warn cannot look'])
  })

  it('does not hide another error, nor the same one of something else', () => {
    const { lines, trouble } = bed()
    trouble.failed(new Away({ port: 1 }))
    trouble.failed(new Error('no room'))
    trouble.failed(new Away({ port: 1 }), {}, 'the other one')
    expect(lines).toEqual(['warn cannot look', 'warn cannot look', 'warn cannot look'])
  })

  it('of two kinds that take turns is said once for each', () => {
    const { lines, trouble } = bed()
    for (let turn = 0; turn < 3; turn += 1) {
      trouble.failed(new Away({ port: turn }))
      trouble.failed(new Error('no room'))
    }
    expect(lines.filter((line) => line.startsWith('warn'))).toHaveLength(2)
  })
})
