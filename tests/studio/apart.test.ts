import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, openContext } from './open-browser.ts'
import { openStudioCluster, type Studio } from './open-studio.ts'
import { publishAll } from './workflows.ts'

/** Studio's files on a plain web server under another host name, as docs/how-to/host-studio-apart.md has it; the API knows its callers by key. */
const dist = path.join(import.meta.dirname, '..', '..', 'packages', 'studio', 'dist')
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
}
const key = randomBytes(24).toString('base64url')

let files: Server
let apart: string
let studio: Studio
let browser: Browser
beforeAll(async () => {
  files = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://x')
    const name = pathname.replace(/^\/studio\//, '')
    const isFile = path.extname(name) in types
    response.setHeader('content-type', types[isFile ? path.extname(name) : '.html']!)
    response.setHeader('content-security-policy', policy())
    response.end(isFile ? readFileSync(path.join(dist, name)) : page())
  })
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve))
  // Another name of this machine, and so another site for a browser.
  apart = `http://localhost:${(files.address() as AddressInfo).port}`
  const access = { LOCKSTEP_AUTH: 'keys', LOCKSTEP_API_KEY: key, LOCKSTEP_CORS_ORIGINS: apart }
  ;[browser, studio] = await Promise.all([openBrowser(), openStudioCluster('/x/y', access)])
  await publishAll(studio)
})
afterAll(async () => {
  await browser?.close()
  await studio?.[Symbol.asyncDispose]()
  files?.closeAllConnections()
  files?.close()
})

const page = (): string =>
  readFileSync(path.join(dist, 'index.html'), 'utf8')
    .replace('<base href="/" />', '<base href="/studio/" />')
    .replace('<meta name="lockstep-api" content="" />', `<meta name="lockstep-api" content="${studio.url}/api/v1" />`)

const policy = (): string =>
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
  `connect-src 'self' ${new URL(studio.url).origin}; base-uri 'self'; form-action 'self'; frame-ancestors 'none'`

describe('Studio on another host than its API', { timeout: 240_000, retry: 1 }, () => {
  it('signs in with a key, follows the stream, starts something, and tells times by the clock of the server', async () => {
    const context = await openContext(browser)
    await context.addInitScript(() => {
      const real = Date.now.bind(Date)
      Date.now = () => real() - 300_000
    })
    const tab = await context.newPage()
    const faults: string[] = []
    tab.on('pageerror', (error) => faults.push(String(error)))
    tab.on('console', (message) => {
      // What is asked before somebody has signed in is refused.
      if (message.type() === 'error' && !message.text().includes('401')) faults.push(message.text())
    })
    await tab.goto(`${apart}/studio/definitions/order`)
    await tab.getByText('API key', { exact: true }).click()
    await tab.getByLabel('API key').last().fill(key)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.getByRole('button', { name: 'Start', exact: true }).click()
    const dialog = tab.getByRole('dialog', { name: 'Start a workflow' })
    await tab.waitForFunction(() => document.querySelector('textarea')?.value.includes('1500'))
    await dialog.getByRole('button', { name: 'Start', exact: true }).click()
    await tab.waitForURL(new RegExp(`^${apart}/studio/instances/wfi_`))
    await tab.locator('[data-step="ask"][data-status="suspended"]').waitFor()
    await tab.waitForFunction(() => /Started (just now|\d+ s ago)/.test(document.body.innerText.replace(/\s+/g, ' ')))
    await expect.poll(() => tab.getByTestId('live-switch').getAttribute('data-mode')).toBe('stream')

    await tab.goto(`${apart}/studio/instances/wfi_00000000-0000-7000-8000-000000000000`)
    const [told] = await Promise.all([
      tab.waitForEvent('popup'),
      tab.getByRole('link', { name: 'INSTANCE_NOT_FOUND' }).click(),
    ])
    expect(told.url()).toBe(`${studio.url}/problems/instance-not-found`)
    expect([...new Set(faults)].filter((text) => !text.includes('404'))).toEqual([])
    await context.close()
  })

  it('is let in from the origin that was named, and from no other', async () => {
    const asked = async (origin: string): Promise<readonly [string | null, string | null]> => {
      const headers = { origin, authorization: `Bearer ${key}` }
      const { headers: told } = await fetch(`${studio.url}/api/v1/workflow-instances`, { headers })
      return [told.get('access-control-allow-origin'), told.get('access-control-expose-headers')]
    }
    const [allowed, exposed] = await asked(apart)
    expect(allowed).toBe(apart)
    expect(exposed?.split(/, ?/)).toContain('date')
    expect((await asked('https://elsewhere.example'))[0]).toBeNull()
  })
})
