import type { Command } from 'commander'
import { UsageError } from './exit-codes.ts'
import { remoteCommand } from './remote/remote-command.ts'
import { openInBrowser } from './terminal/open-in-browser.ts'
import type { Terminal } from './terminal/terminal.ts'

const PAGES = [
  'instances',
  'definitions',
  'incidents',
  'schedules',
  'cluster',
  'locks',
  'batches',
  'queues',
  'breakers',
  'insights',
  'audit',
  'settings',
] as const

/** Studio, or the page of one thing. Where nobody sits at a terminal, only the address. */
export function openCommand(terminal: Terminal): Command {
  return remoteCommand(
    terminal,
    'open [page]',
    'open Studio in a browser: a page, or the id of an instance',
    (c) => c,
    async (session, [page]) => {
      const url = `${session.api.url.replace(/\/+$/, '')}/${pathTo(page)}`
      if (!terminal.isTerminal || !(await openInBrowser(url))) return session.done(url, { url })
      terminal.err(`Opened ${url}\n`)
    },
  )
}

function pathTo(page: string | undefined): string {
  if (page === undefined) return ''
  if (page.startsWith('wfi_')) return `instances/${encodeURIComponent(page)}`
  const found = PAGES.find((each) => each === page)
  if (found === undefined)
    throw new UsageError({ text: `Studio has no page "${page}": name an instance (wfi_…), or ${PAGES.join(', ')}` })
  return found
}
