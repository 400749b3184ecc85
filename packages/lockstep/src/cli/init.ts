import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Command } from 'commander'
import { EndedBadly, EXIT } from './exit-codes.ts'
import type { Terminal } from './terminal/terminal.ts'

const CONFIG = `# Options of "lockstep server". Flags and LOCKSTEP_… variables win over this file.
# port: 4400
# databaseUrl: postgres://user@host:5432/database   # absent: an embedded store in dataDir
# dataDir: .lockstep
# retention: completed=30d,faulted=90d
`

const HELLO = `# yaml-language-server: $schema=http://127.0.0.1:4400/api/v1/schemas/workflow-definition
id: hello
name: Hello
input:
  type: object
  properties:
    name: { type: string }
  required: [name]
activities:
  - id: greet
    type: log
    inputs:
      message: { $expr: "\`hello \${input.name}\`" }
  - id: rest
    type: delay
    inputs: { duration: 1s }
  - id: answer
    type: set-output
    inputs: { name: greeting, value: { $expr: "\`hello \${input.name}\`" } }
connections:
  - { from: greet, to: rest }
  - { from: rest, to: answer }
`

const FILES: Readonly<Record<string, string>> = { 'lockstep.config.yaml': CONFIG, 'workflows/hello.yaml': HELLO }

/** A folder to begin with. Writes over nothing. */
export function initCommand(terminal: Terminal): Command {
  return new Command('init')
    .description('write a configuration and a first workflow into a folder')
    .argument('[folder]', 'the current one', '.')
    .action((folder: string) => {
      const root = path.resolve(terminal.folder, folder)
      if (existsSync(root) && !statSync(root).isDirectory())
        throw new EndedBadly({ text: `${folder} is a file: name a folder`, exitCode: EXIT.conflict })
      const present = Object.keys(FILES).filter((name) => existsSync(path.join(root, name)))
      if (present.length > 0)
        throw new EndedBadly({
          text: `${present.join(' and ')} exist${present.length === 1 ? 's' : ''} already: nothing was written`,
          exitCode: EXIT.conflict,
        })
      for (const [name, text] of Object.entries(FILES)) {
        mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
        writeFileSync(path.join(root, name), text)
        terminal.out(`wrote ${path.join(folder, name)}\n`)
      }
      const inside = folder === '.' ? '' : `cd ${forShell(folder)} && `
      terminal.out(`
Next:
  ${inside}lockstep server                                   (in a terminal of its own)
  lockstep definitions push workflows/hello.yaml --publish
  lockstep instances start hello --input '{"name":"you"}' --wait
`)
    })
}

/** As it has to be typed. */
const forShell = (text: string): string =>
  /^[\w./@%+,:-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", "'\\''")}'`
