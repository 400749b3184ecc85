import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, openContext } from './open-browser.ts'
import { openStudio, type Studio } from './open-studio.ts'
import { publishAll, run } from './workflows.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const pictures = path.join(import.meta.dirname, '..', '..', 'docs', 'assets', 'studio')

let studio: Studio
let browser: Browser
let pages: Readonly<Record<string, string>>
beforeAll(async () => {
  browser = await openBrowser()
  studio = await openStudio('/x/y')
  await publishAll(studio)
  const waiting = await run(studio, 'order', { amount: 5_000, customerId: 'ann' }, 'order-1')
  await run(studio, 'order', { amount: 20, customerId: 'ben' }, 'order-2')
  const parcels = await run(studio, 'parcels', { parcels: [1, 2, 3] })
  const faulted = await run(studio, 'payment', {})
  await studio.api('POST', '/schedules', {
    id: 'nightly',
    name: 'Nightly parcels',
    trigger: { cron: '0 3 * * *', zone: 'Europe/Berlin' },
    definitionId: 'parcels',
    input: { parcels: [7] },
  })
  await studio.api('POST', '/schedules/nightly/trigger', {})
  pages = {
    home: '/',
    instances: '/instances',
    'instance-waiting': `/instances/${waiting.id}?tab=waits`,
    'instance-faulted': `/instances/${faulted.id}?step=charge`,
    'instance-journal': `/instances/${parcels.id}?tab=journal`,
    'instance-past': `/instances/${parcels.id}?at=4&tab=data`,
    definitions: '/definitions',
    definition: '/definitions/order',
    incidents: '/incidents',
    schedules: '/schedules',
    schedule: '/schedules/nightly',
    cluster: '/cluster',
    locks: '/locks',
    batches: '/batches',
  }
})
afterAll(async () => {
  await browser?.close()
  await studio?.[Symbol.asyncDispose]()
})

/** A page that remembers what it complained about. */
async function openPage(context: BrowserContext): Promise<{ page: Page; faults: string[]; asked: string[] }> {
  const page = await context.newPage()
  const faults: string[] = []
  const asked: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    // A server without a stream says so with 404, which the browser prints.
    if (message.type() === 'error' && !message.location().url.includes('/streams/')) faults.push(message.text())
  })
  page.on('request', (request) => asked.push(request.url()))
  return { page, faults, asked }
}

const settled = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => document.querySelector('h1, [role=alert]') && !document.querySelector('[aria-busy=true]'))

describe('Studio', { timeout: 240_000, retry: 1 }, () => {
  it('E01 lives under a strange prefix: every asset, link, deep link and reload stays there, and no policy is broken', async () => {
    const context = await openContext(browser)
    const { page, faults, asked } = await openPage(context)
    for (const at of Object.values(pages)) {
      await page.goto(studio.url + at)
      await settled(page)
    }
    await page.reload()
    await settled(page)
    await page.getByRole('link', { name: 'Lockstep, home' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    expect(new URL(page.url()).pathname.replace(/\/$/, '')).toBe('/x/y')
    await page.getByRole('link', { name: 'Instances', exact: true }).click()
    await page.waitForURL(`${studio.url}/instances`)
    expect(
      asked.filter((url) => url.startsWith('http') && !url.startsWith(`${studio.url}/`) && url !== studio.url),
    ).toEqual([])
    expect(faults).toEqual([])
    await context.close()
  })

  it('E02 shows loading, empty, error, ready and stale, each by itself', async () => {
    const context = await openContext(browser)
    const { page } = await openPage(context)
    const list = '**/api/v1/workflow-instances?*'
    await page.route(list, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      await route.continue()
    })
    await page.goto(`${studio.url}/instances`)
    await page.getByTestId('instances-loading').waitFor()
    await page.getByTestId('instances-ready').waitFor()
    await page.unroute(list)

    await page.goto(`${studio.url}/instances?correlation=nobody`)
    await page.getByTestId('instances-empty').waitFor()
    await page.getByRole('button', { name: 'Drop the filter' }).click()
    await page.getByTestId('instances-ready').waitFor()

    const problem = {
      status: 503,
      contentType: 'application/problem+json',
      body: '{"title":"Not now","code":"SHUTTING_DOWN"}',
    }
    await page.route(list, (route) => route.fulfill(problem))
    // What was there stays readable, and says that it is old.
    await page.getByTestId('instances-stale').waitFor()
    expect(await page.getByTestId('live-switch').getAttribute('data-mode')).toBe('stale')
    await page.goto(`${studio.url}/instances`)
    await page.getByTestId('instances-error').waitFor()
    expect(await page.getByTestId('instances-error').innerText()).toContain('Not now')
    await page.unroute(list)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByTestId('instances-ready').waitFor()
    await context.close()
  })

  it('E04 keeps one stream for all tabs of a browser', async () => {
    const context = await openContext(browser)
    let open = 0
    let most = 0
    await context.route('**/api/v1/streams/events*', async (route) => {
      open += 1
      most = Math.max(most, open)
      await new Promise((resolve) => setTimeout(resolve, 4_000))
      open -= 1
      await route.abort().catch(() => {})
    })
    const tabs = await Promise.all(Array.from({ length: 4 }, () => openPage(context)))
    await Promise.all(tabs.map(({ page }) => page.goto(`${studio.url}/instances`)))
    await Promise.all(tabs.map(({ page }) => page.getByTestId('instances-ready').waitFor()))
    expect(most).toBe(1)
    await context.close()
  })

  it.each(['light', 'dark'] as const)('E05 has no serious fault of access on any page, %s', async (colorScheme) => {
    const context = await openContext(browser, {
      colorScheme,
      viewport: { width: 1440, height: 900 },
      reducedMotion: 'reduce',
    })
    const { page } = await openPage(context)
    const found: string[] = []
    for (const [name, at] of Object.entries(pages)) {
      await page.goto(studio.url + at)
      await settled(page)
      if (/^(definition|instance-.*)$/.test(name)) await page.getByTestId('graph').waitFor()
      // Outside of the page's own world: its policy allows no foreign script.
      await page.evaluate(axeSource)
      const violations = await page.evaluate(async () => {
        // biome-ignore lint/suspicious/noExplicitAny: put there by the line above
        const { violations } = await (globalThis as any).axe.run({ resultTypes: ['violations'] })
        return violations
          .filter(({ impact }: { impact: string }) => impact === 'serious' || impact === 'critical')
          .map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`)
      })
      found.push(...violations.map((each: string) => `${name}: ${each}`))
      if (process.env.LOCKSTEP_PICTURES === '1')
        await page.screenshot({ path: path.join(pictures, `${name}-${colorScheme}.png`) })
    }
    expect(found).toEqual([])
    await context.close()
  })

  it('E06 goes anywhere from the palette: a workflow by its name, an instance by its id', async () => {
    const context = await openContext(browser)
    const { page } = await openPage(context)
    await page.goto(studio.url)
    await settled(page)
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Page, workflow, or an instance id').fill('ord')
    await page
      .getByRole('option', { name: /Order approval/ })
      .or(page.getByText('Workflow order'))
      .first()
      .waitFor()
    await enterUntil(page, `${studio.url}/definitions/order`)

    const [instance] = (await studio.api('GET', '/workflow-instances?limit=1')).items
    await page.keyboard.press('Control+k')
    await page
      .getByPlaceholder('Page, workflow, or an instance id')
      .fill(`see ${studio.url}/instances/${instance.id} there`)
    await page.getByText('Open the instance').waitFor()
    await enterUntil(page, `${studio.url}/instances/${instance.id}`)
    await context.close()
  })

  it('E08 tells ages by the clock of the server, whatever that of the browser says', async () => {
    const fresh = await run(studio, 'order', { amount: 1 }, 'clock')
    const context = await openContext(browser)
    await context.addInitScript(() => {
      const shift = 300_000
      const real = Date.now.bind(Date)
      Date.now = () => real() - shift
    })
    const { page } = await openPage(context)
    await page.goto(`${studio.url}/instances/${fresh.id}`)
    await settled(page)
    await page.waitForFunction(() => /Started (just now|\d+ s ago)/.test(document.body.innerText.replace(/\s+/g, ' ')))
    await context.close()
  })

  it('jumps by keys, lists them, and stands still when told', async () => {
    const context = await openContext(browser)
    const { page } = await openPage(context)
    await page.goto(studio.url)
    await settled(page)
    await page.keyboard.press('g')
    await page.keyboard.press('l')
    await page.waitForURL(`${studio.url}/locks`)
    await page.keyboard.press('.')
    expect(await page.getByTestId('live-switch').getAttribute('data-mode')).toBe('paused')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await context.close()
  })
})

/** The first of the found is chosen a moment after it is shown: a person presses the key again, and so do we. */
async function enterUntil(page: Page, url: string): Promise<void> {
  for (let tries = 0; tries < 10 && page.url() !== url; tries += 1) {
    await page.keyboard.press('Enter')
    await page.waitForURL(url, { timeout: 3_000 }).catch(() => {})
  }
  expect(page.url()).toBe(url)
}
