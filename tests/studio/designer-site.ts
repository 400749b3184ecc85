/** One server, one browser and one page for all tests of the designer: it goes from one workflow to the next as people do, by links. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { openBrowser, openContext } from './open-browser.ts'
import { openStudioCluster, type Studio } from './open-studio.ts'

export const D = '/workflow-definitions'
const pictures = path.join(import.meta.dirname, '..', '..', 'docs', 'assets', 'studio')

export let studio: Studio
export let browser: Browser
export let context: BrowserContext
export let page: Page
/** Exceptions of the pages, and what the policy of the page refused. */
export const faults: string[] = []

/** A service that steps ask for a price. */
export const service = { url: '', calls: 0 }
let server: Server
let spoilt = false

export async function openSite(): Promise<void> {
  server = createServer((_request, response) => {
    service.calls += 1
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ price: 9 }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/price`
  ;[browser, studio] = await Promise.all([
    openBrowser(),
    openStudioCluster('/x/y', { LOCKSTEP_OUTBOUND_ALLOW: '127.0.0.0/8' }),
  ])
  context = await openContext(browser, {
    ...{ viewport: { width: 1440, height: 900 }, acceptDownloads: true, reducedMotion: 'reduce' },
    permissions: ['clipboard-read', 'clipboard-write'],
  })
}

export async function closeSite(): Promise<void> {
  await browser?.close()
  await studio?.[Symbol.asyncDispose]()
  server?.closeAllConnections()
  server?.close()
}

export async function beginTest(): Promise<void> {
  faults.length = 0
  if (page === undefined || page.isClosed()) page = await newPage()
}

/** For a test that spoils its page, or that must load all of it anew. The next test has another one. */
export async function ownPage(): Promise<void> {
  await page.close()
  page = await newPage()
  spoilt = true
}

export async function endTest(failed: boolean): Promise<void> {
  // What the browser remembers of a workflow is not there when a test is repeated.
  if (!page.isClosed()) await page.evaluate(() => localStorage.clear()).catch(() => {})
  await context.setOffline(false)
  const done = context.pages().filter((each) => spoilt || failed || each !== page)
  spoilt = false
  await Promise.all(done.map((each) => each.close()))
  await context.unrouteAll({ behavior: 'ignoreErrors' })
}

export async function newPage(): Promise<Page> {
  const opened = await context.newPage()
  opened.on('pageerror', (error) => faults.push(String(error)))
  opened.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  return opened
}

export const step = (id: string, on: Page = page): Locator => on.locator(`[data-step="${id}"]`).first()
export const saveState = (kind: string, on: Page = page): Locator => on.locator(`[data-save="${kind}"]`)
export const canvas = (): Locator => page.getByTestId('design-canvas')
export const messageField = (on: Page = page): Locator => on.locator('[data-inspector] [data-input="message"] textarea')
export const draftOf = async (id: string) => (await studio.api('GET', `${D}/${id}/draft`)).draft

/** A test that is repeated begins with the same draft. */
export async function create(document: { readonly id: string }): Promise<void> {
  await fetch(`${studio.url}/api/v1${D}/${document.id}/draft`, { method: 'DELETE' })
  await studio.api('POST', D, document)
}

/** Somebody else saves the draft: over the API, with the etag that it has now. */
export async function saveAs<T>(id: string, change: (document: T) => void, url = studio.url): Promise<void> {
  const at = `${url}/api/v1${D}/${id}/draft`
  const { draft, etag } = (await (await fetch(at)).json()) as { draft: T; etag: string }
  change(draft)
  const headers = { 'content-type': 'application/json', 'if-match': etag }
  const saved = await fetch(at, { method: 'PUT', headers, body: JSON.stringify(draft) })
  if (!saved.ok) throw new Error(`${saved.status} ${await saved.text()}`)
}

export async function open(id: string, on: Page = page, search = ''): Promise<void> {
  const url = `${studio.url}/definitions/${id}/design`
  if (on.url().startsWith(url)) {
    await go(`${studio.url}/definitions`, on)
    await on.getByTestId('designer-ready').waitFor({ state: 'detached' })
  }
  await go(`${url}${search}`, on)
  await ready(id, on)
}

/** As a link of the page leads there: the program is not loaded anew. */
export async function go(url: string, on: Page = page): Promise<void> {
  if (!on.url().startsWith(new URL(url).origin)) return void (await on.goto(url))
  await on.evaluate((to) => {
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, url)
}

export async function ready(id: string, on: Page = page): Promise<void> {
  await on.locator(`[data-testid="designer-ready"][data-definition="${id}"]`).waitFor()
  await on.getByTestId('arranging').waitFor({ state: 'detached' })
}

export interface Point {
  readonly x: number
  readonly y: number
}

export async function drag(from: Point, to: Point): Promise<void> {
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 4 })
  await page.mouse.move(to.x, to.y, { steps: 4 })
  await page.mouse.up()
}

export async function middleOf(locator: Locator): Promise<Point> {
  const box = (await locator.boundingBox())!
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

/** Through the dialog, whatever it shows before. */
export async function publish(): Promise<void> {
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Publish/ })
    .click()
}

export const publishedVersion = async (id: string): Promise<number | null> =>
  (await studio.api('GET', `${D}/${id}`)).version

const SCHEMES = ['light', 'dark'] as const

/** LOCKSTEP_PICTURES=1: what the page shows goes into the documentation, light and dark. */
export async function picture(name: string, on: Page = page): Promise<void> {
  if (process.env.LOCKSTEP_PICTURES !== '1') return
  // What was told of something else goes by itself.
  await expect.poll(() => on.locator('.mantine-Notification-root').count(), { timeout: 60_000 }).toBe(0)
  for (const colorScheme of SCHEMES) {
    await on.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await on.screenshot({ path: path.join(pictures, `${name}-${colorScheme}.png`) })
  }
  await on.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
}
