import type { Command } from 'commander'
import colors from 'picocolors'
import { describe, expect, it } from 'vitest'
import { examples, examplesText } from './examples.ts'
import { buildProgram } from './program.ts'
import type { Terminal } from './terminal/terminal.ts'

const program = await buildProgram({ colors: colors.createColors(false) } as Terminal)

/** The command that words begin with, and what stands behind its name. */
function found(words: readonly string[], command: Command = program): readonly [Command, readonly string[]] {
  const next = command.commands.find((each) => each.name() === words[0] || each.aliases().includes(words[0]!))
  return next === undefined ? [command, words] : found(words.slice(1), next)
}

const parsed = Object.entries(examples).flatMap(([of, lines]) =>
  lines.flatMap((line) =>
    line
      .split(' && ')
      .filter((each) => each.startsWith('lockstep '))
      .map((each) => [of, each] as const),
  ),
)

describe('examples of the help', () => {
  it.each(Object.keys(examples).filter((words) => words !== ''))('stand at commands that exist: %s', (words) => {
    expect(found(words.split(' '))[1]).toEqual([])
  })

  it.each(parsed)('%s: %s', (_, line) => {
    const words = line
      .replaceAll(/'[^']*'/g, 'quoted')
      .replace(/ < .*/, '')
      .split(' ')
      .slice(1)
    const [command, rest] = found(words)
    expect(command.commands).toEqual([])
    const flags = rest.filter((word) => /^(--[a-z]|-[a-z]$)/.test(word))
    const known = command.options.flatMap(({ short, long }) => [short, long])
    expect(flags.filter((flag) => !known.includes(flag))).toEqual([])
  })

  it.each(program.commands.map((command) => command.name()))(
    'stand at every word that a line can begin with: %s',
    (name) => {
      expect(examplesText(name)).toMatch(/^Examples:\n/)
    },
  )

  it('of a noun stand at its verbs too', () => {
    expect(examplesText('locks release')).toBe(
      "Examples:\n  lockstep locks release nightly --reason 'its holder is gone' --yes\n",
    )
    expect(examplesText('locks rel')).toBe('')
  })

  it('come first', async () => {
    let text = ''
    const terminal = { colors: colors.createColors(false), out: (part: string) => (text += part) }
    const listed = await buildProgram(terminal as unknown as Terminal, ['instances', 'list', '--help'])
    await expect(listed.parseAsync(['instances', 'list', '--help'], { from: 'user' })).rejects.toThrow()
    expect(text).toMatch(/^Examples:\n {2}lockstep instances list --filter[\s\S]*\nUsage: lockstep instances list/)
  })
})
