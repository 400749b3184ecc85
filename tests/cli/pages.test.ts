import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import colors from 'picocolors'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXIT } from '../../packages/lockstep/src/cli/exit-codes.ts'
import { buildProgram } from '../../packages/lockstep/src/cli/program.ts'
import type { Terminal } from '../../packages/lockstep/src/cli/terminal/terminal.ts'
import { apiRoutes } from '../../packages/server/src/routes/index.ts'
import { codeBlocks, noteOf } from '../docs/code-blocks.ts'
import { openCli, type TestCli } from './open-cli.ts'

const page = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../docs/reference/${name}.md`, import.meta.url)), 'utf8')
const firstCells = (text: string): string[] => [...text.matchAll(/^\| `?([^|`]+?)`? \|/gm)].map((match) => match[1]!)

describe('the reference of REST', () => {
  it('has every operation with its summary, and no other', () => {
    const rows = [...page('rest').matchAll(/^\| `((?:GET|POST|PUT|DELETE) [^`]+)` \| (.+) \|$/gm)].map(
      (match) => `${match[1]} ${match[2]}`,
    )
    const routes = apiRoutes.map(
      ({ method, path, summary }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')} ${summary}`,
    )
    expect(rows.sort()).toEqual(routes.sort())
  })
})

describe('the reference of the command line', () => {
  const leaves = (command: Command, words: readonly string[]): string[] =>
    command.commands.length === 0
      ? [words.join(' ')]
      : command.commands.flatMap((each) => leaves(each, [...words, each.name()]))

  it('has every command, and no other', async () => {
    const program = await buildProgram({ colors: colors.createColors(false) } as Terminal)
    const commands = program.commands.flatMap((each) => leaves(each, [each.name()]))
    const [, table = ''] = page('cli').split('## Commands')
    const rows = firstCells(table.split('\n`lockstep')[0]!).map((cell) => cell.replace(/ [<[].*/, ''))
    expect(rows.filter((row) => row !== 'command' && !row.startsWith('---')).sort()).toEqual(commands.sort())
  })

  it('has every exit code', () => {
    const [, rest = ''] = page('cli').split('## Exit codes')
    const rows = firstCells(rest.split('##')[0]!).filter((cell) => /^\d+$/.test(cell))
    expect(rows.map(Number)).toEqual(Object.values(EXIT))
  })
})

describe('the how-to', () => {
  let cli: TestCli
  beforeAll(async () => {
    cli = await openCli()
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  it('does what it says, line by line', async () => {
    for (const block of codeBlocks('docs/how-to/operate-from-the-command-line.md')) {
      const file = noteOf(block, 'file')
      if (file !== undefined) await cli.write(file, block.code)
      if (block.language !== 'sh') continue
      for (const line of block.code.trim().split('\n')) {
        const [name, ...words] = wordsOf(line)
        expect(name).toBe('lockstep')
        const ran = await cli.run(words, { pauses: 1_000 })
        expect([line, ran.code, ran.code === 0 ? '' : ran.err]).toEqual([
          line,
          Number(noteOf(block, 'exit') ?? 0),
          ran.code === 0 ? '' : expect.stringMatching(/\]\n$/),
        ])
      }
    }
    const mended = await cli.run(['instances', 'list', '-f', 'definition=approval status=faulted', '--json'])
    expect(mended.json).toEqual([])
  })
})

/** As a shell splits a line, with single quotes only. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/(?:'([^']*)'|([^\s']+))+/g)].map((match) => match[0].replaceAll("'", ''))
