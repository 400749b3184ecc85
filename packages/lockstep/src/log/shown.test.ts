import { systemClock } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { readableLine } from '../cluster-dev/log-line.ts'
import { shown, shownPainted } from './shown.ts'
import { terminalLogger } from './terminal-logger.ts'

const EVIL = '\x1b[2J\x1b]0;title\x07\x9b31m\r12:00:00.000 info  forged\nsecond'
const PAINT = new RegExp(`${String.fromCharCode(0x1b)}\\[\\d+m`, 'g')
/** Control characters but for ends of lines and tabs. */
const obeyed = (text: string): string[] => [...text].filter((sign) => /\p{Cc}/u.test(sign) && !'\n\t'.includes(sign))

describe('what others wrote, at a terminal', () => {
  it('is obeyed in nothing, and begins no line', () => {
    expect(shown(EVIL)).toBe('\\x1b[2J\\x1b]0;title\\x07\\x9b31m\\x0d12:00:00.000 info  forged\n    second')
  })

  it('is shown so by the log, in messages and fields', () => {
    const lines: string[] = []
    const logger = terminalLogger({ level: 'info', areas: new Map() }, systemClock, (line) => lines.push(line))
    logger.info(EVIL, { given: EVIL, nested: { given: EVIL } })
    const [line = ''] = lines
    expect(obeyed(line.replaceAll(PAINT, ''))).toEqual([])
    expect(line).not.toMatch(/\n\S/)
  })

  it('is shown so by the log of several nodes', () => {
    const same = (text: string): string => text
    const colors = new Proxy({}, { get: () => same }) as never
    const line = readableLine(JSON.stringify({ level: 'info', time: '', msg: EVIL, given: EVIL }), colors)
    expect(obeyed(line)).toEqual([])
  })

  it('is shown so by commands, which keep their own lines, paint and returns', () => {
    expect(shownPainted(`\x1b[1mname\x1b[22m\t${EVIL}\n`, { returns: false })).toBe(
      '\x1b[1mname\x1b[22m\t\\x1b[2J\\x1b]0;title\\x07\\x9b31m\\x0d12:00:00.000 info  forged\nsecond\n',
    )
    expect(shownPainted('\rrunning', { returns: true })).toBe('\rrunning')
  })
})
