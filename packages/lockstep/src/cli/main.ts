import { runCli } from './run-cli.ts'
import { systemTerminal } from './terminal/terminal.ts'

const words = process.argv.slice(2)
const isNode = /^(server|dev|cluster dev)$/.test(words.slice(0, words[0] === 'cluster' ? 2 : 1).join(' '))

/** Whoever read what is printed has enough, as `head` does: a command ends, a node goes on. */
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    if (!isNode) process.exit()
  })

process.exitCode = await runCli(words, systemTerminal())
