import { randomBytes } from 'node:crypto'
import path from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ErrorCode } from '../../packages/server/src/problem/error-code.ts'
import { errorStatus } from '../../packages/server/src/problem/error-status.ts'
import { problemType } from '../../packages/server/src/problem/to-problem.ts'
import { openBrowser, openContext, SharedPage } from './open-browser.ts'
import { openStudio, openStudioCluster, type StudioCluster } from './open-studio.ts'
import { putLetters } from './put-letters.ts'
import { rulesOf, seriousFaults } from './serious-faults.ts'
import { documents, run } from './workflows.ts'

const pictures = path.join(import.meta.dirname, '..', '..', 'docs', 'assets', 'studio')

/** Takes a lock and waits; of the others one waits for the lock, and one is held back. */
const desk = {
  id: 'desk',
  name: 'One desk',
  tags: ['office'],
  flow: { concurrency: { limit: 2 } },
  activities: [
    {
      id: 'section',
      type: 'critical-section',
      inputs: { lock: 'desk/7' },
      body: { activities: [{ id: 'ask', type: 'wait-for-event', inputs: { event: 'served' } }] },
    },
  ],
}

/** Asks a worker and a person. */
const hiring = {
  id: 'hiring',
  name: 'Hiring',
  tags: ['office', 'people'],
  activities: [
    {
      id: 'both',
      name: 'Both at once',
      type: 'parallel',
      branches: [
        {
          activities: [
            {
              id: 'check',
              name: 'Check references',
              type: 'run-task',
              inputs: { task: 'check-references', payload: { of: 'Ada' } },
            },
          ],
        },
        {
          activities: [
            {
              id: 'ask',
              name: 'Ask a colleague',
              type: 'human-task',
              inputs: { title: 'Invite Ada to a talk?', assignee: 'ann' },
            },
          ],
        },
      ],
    },
  ],
}

/** Starts by itself, in two ways. */
const reminders = {
  id: 'reminders',
  name: 'Reminders',
  tags: ['sales/invoices'],
  activities: [
    { id: 'monthly', name: 'Every month', type: 'cron', inputs: { cron: '30 6 1 * *', zone: 'Europe/Berlin' } },
    { id: 'paid', name: 'Invoice paid', type: 'event', inputs: { event: 'invoice-paid' } },
    { id: 'remind', name: 'Write to them', type: 'log', inputs: { message: 'Your invoice' } },
  ],
  connections: ['monthly', 'paid'].map((from) => ({ from, to: 'remind' })),
}

let studio: StudioCluster
let browser: Browser
let pages: Readonly<Record<string, string>>
beforeAll(async () => {
  browser = await openBrowser()
  studio = await openStudioCluster('/x/y')
  // Not the one whose texts are markup: these pages are in pictures.
  for (const document of [...documents.filter(({ id }) => id !== 'markup'), desk, hiring, reminders])
    await studio.api('PUT', `/workflow-definitions/${document.id}`, document)
  // Its draft has gone on since.
  await saveDraft({ ...reminders, description: 'Of invoices that nobody paid' })
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
  const weekly = { id: 'weekly', name: 'Weekly report', trigger: { cron: '30 18 * * 5', zone: 'America/New_York' } }
  await studio.api('POST', '/schedules', { ...weekly, definitionId: 'parcels', input: { parcels: [] } })
  const often = { id: 'stock', name: 'Stock check', trigger: { interval: '15m' }, paused: true }
  await studio.api('POST', '/schedules', { ...often, definitionId: 'parcels', input: { parcels: [] } })
  await studio.api('POST', '/schedules/nightly/trigger', {})
  for (const [index, customerId] of ['dora', 'eli', 'fay'].entries())
    await run(studio, 'order', { amount: 20 + 980 * index, customerId }, `order-${4 + index}`)
  await run(studio, 'payment', {})
  const { id: asking } = await studio.api('POST', '/workflow-instances', { definitionId: 'hiring' })
  const { id: late } = await run(studio, 'order', { amount: 7_000, customerId: 'cy' }, 'order-3')
  await studio.api('POST', '/batch-operations', { action: 'cancel', target: { ids: [late] }, note: 'Customer left' })
  for (const number of [1, 2, 3])
    await studio.api('POST', '/workflow-instances', { definitionId: 'desk', input: { number } })
  await studio.api('POST', '/circuit-breakers/payments/trip', { openFor: '2h', reason: 'The bank asks for a pause' })
  await studio.api('POST', '/circuit-breakers/mail/trip', { openFor: '1h', reason: 'A test' })
  await studio.api('POST', '/circuit-breakers/mail/reset', { reason: 'It was only a test' })
  await studio.api('PUT', '/limits/mail', { concurrency: 5, rate: { limit: 100, per: '1m' } })
  await studio.api('PUT', '/retention/rules', { status: 'completed', keep: '30d' })
  await studio.api('PUT', '/retention/holds', { definitionId: 'order', reason: 'Asked for by the auditors' })
  await studio.api('POST', '/api-keys', { name: 'For the shop', role: 'operator', expiresIn: '90d' })
  const [password, name, role] = [randomBytes(12).toString('base64url'), 'ann', 'operator']
  await studio.api('POST', '/users', { name, password, role })
  await putLetters(studio)
  pages = {
    home: '/',
    instances: '/instances',
    'instance-waiting': `/instances/${waiting.id}?tab=waits`,
    'instance-person': `/instances/${asking}?tab=waits`,
    'instance-faulted': `/instances/${faulted.id}?step=charge`,
    'instance-journal': `/instances/${parcels.id}?tab=journal`,
    'instance-past': `/instances/${parcels.id}?at=4&tab=data`,
    definitions: '/definitions',
    definition: '/definitions/order',
    incidents: '/incidents',
    schedules: '/schedules',
    schedule: '/schedules/nightly',
    cluster: '/cluster',
    node: `/cluster/${(await studio.api('GET', '/cluster/nodes')).items[0].id}`,
    'node-gone': '/cluster/nod_00000000-0000-7000-8000-000000000000',
    locks: '/locks',
    waits: '/locks?view=waits',
    batches: '/batches',
    queues: '/queues',
    limits: '/queues?tab=limits',
    tasks: '/queues?tab=tasks',
    people: '/queues?tab=people',
    'dead-letters': '/queues?tab=dead',
    breakers: '/breakers',
    metrics: '/insights',
    audit: '/audit',
    'settings-keys': '/settings',
    'settings-users': '/settings?tab=users',
    'settings-sign-in': '/settings?tab=sign-in',
    'settings-secrets': '/settings?tab=secrets',
    'settings-activities': '/settings?tab=activities',
    'settings-retention': '/settings?tab=retention',
    'settings-appearance': '/settings?tab=appearance',
    'settings-about': '/settings?tab=about',
  }
})
afterAll(async () => {
  await browser?.close()
  await studio?.[Symbol.asyncDispose]()
})

async function saveDraft(document: typeof reminders & { readonly description: string }): Promise<void> {
  const { status } = await fetch(`${studio.url}/api/v1/workflow-definitions/${document.id}/draft`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'if-match': '*' },
    body: JSON.stringify(document),
  })
  expect(status).toBe(200)
}

const shared = new SharedPage(() => browser)
afterEach((test) => shared.ended(test))

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

type Scheme = 'light' | 'dark'
interface Tour {
  readonly page: Page
  readonly faults: readonly string[]
  readonly asked: readonly string[]
  /** Serious faults of access. */
  readonly found: Readonly<Record<Scheme, readonly string[]>>
}

/** Every page once, by its address, looked at in the light and in the dark. Several tests ask for what was found on the way. */
async function tour(): Promise<Tour> {
  const context = await openContext(browser, { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
  const { page, faults, asked } = await openPage(context)
  const found = { light: [] as string[], dark: [] as string[] }
  for (const [name, at] of Object.entries(pages)) {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto(studio.url + at)
    await settled(page)
    if (/^(definition|instance-.*)$/.test(name)) await page.getByTestId('graph').waitFor()
    if (name === 'metrics') await page.getByTestId('plot-throughput').locator('canvas').waitFor()
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor()
      found[scheme].push(...(await seriousFaults(page, rulesOf(scheme))).map((each) => `${name}: ${each}`))
      if (process.env.LOCKSTEP_PICTURES === '1')
        await page.screenshot({ path: path.join(pictures, `${name}-${scheme}.png`) })
    }
  }
  return { page, faults, asked, found }
}

let toured: Promise<Tour> | undefined
/** Made when it is first asked for; one that failed is made again. */
function wholeTour(): Promise<Tour> {
  toured ??= tour().catch((error: unknown) => {
    toured = undefined
    throw error
  })
  return toured
}

describe('Studio', { timeout: 240_000, retry: 1 }, () => {
  it('E01 lives under a strange prefix: every asset, link, deep link and reload stays there, and no policy is broken', async () => {
    const { page, faults, asked } = await wholeTour()
    await page.reload()
    await settled(page)
    await page.getByRole('link', { name: 'Lockstep, home' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await page.getByRole('link', { name: 'Invite Ada to a talk?' }).waitFor() // what waits for a person
    expect(new URL(page.url()).pathname.replace(/\/$/, '')).toBe('/x/y')
    await page.getByRole('link', { name: 'Instances', exact: true }).click()
    await page.waitForURL(`${studio.url}/instances`)
    const strays = asked.filter(
      (url) => url.startsWith('http') && !url.startsWith(`${studio.url}/`) && url !== studio.url,
    )
    expect([...new Set(strays)]).toEqual([])
    expect([...new Set(faults)]).toEqual([])
  })

  it('E01 lives at the root as well: deep links, reloads, the logo and the stream', async () => {
    await using rooted = await openStudio('/')
    const { page, faults, asked } = await openPage(await openContext(browser))
    await page.goto(`${rooted.url}/schedules`)
    await settled(page)
    await page.reload()
    await settled(page)
    await page.getByRole('link', { name: 'Lockstep, home' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/')
    await page.getByRole('link', { name: 'Instances', exact: true }).first().click()
    await page.waitForURL(`${rooted.url}/instances`)
    await expect.poll(() => asked.some((url) => url.startsWith(`${rooted.url}/api/v1/streams/events`))).toBe(true)
    expect(asked.filter((url) => url.startsWith('http') && !url.startsWith(`${rooted.url}/`))).toEqual([])
    expect([...new Set(faults)]).toEqual([])
    await page.context().close()
  })

  it.each(['light', 'dark'] as const)('E05 has no serious fault of access on any page, %s', async (scheme) => {
    expect((await wholeTour()).found[scheme]).toEqual([])
  })

  it.each(['light', 'dark'] as const)(
    'E05 has no serious fault of access in dialogs, menus and where there is no page, %s',
    async (scheme) => {
      const context = await openContext(browser, { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
      const { page } = await openPage(context)
      await page.emulateMedia({ colorScheme: scheme })
      const look = async (name: string): Promise<void> => {
        expect((await seriousFaults(page, rulesOf(scheme))).map((each) => `${name}: ${each}`)).toEqual([])
        if (process.env.LOCKSTEP_PICTURES === '1')
          await page.screenshot({ path: path.join(pictures, `${name}-${scheme}.png`) })
      }
      await page.goto(`${studio.url}/instances/nothing/here`)
      await settled(page)
      await look('no-page')
      await page.goto(`${studio.url}/schedules`)
      await page.getByRole('button', { name: 'New schedule' }).click()
      await page.getByTestId('schedule-preview').locator('li').first().waitFor()
      await look('dialog-schedule')
      await page.goto(`${studio.url}/definitions`)
      await page.getByTestId('definitions-ready').waitFor()
      await page.getByRole('button', { name: 'More for Parcels' }).click()
      await page.getByRole('menuitem', { name: 'Duplicate…' }).waitFor()
      await look('menu-workflow')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Run', exact: true }).first().click()
      await page.getByRole('dialog', { name: 'Start a workflow' }).waitFor()
      await look('dialog-start')
      await context.close()
    },
  )

  it('E05 tells every status by a word and an icon, not by colour alone', async () => {
    const page = await shared.open()
    await page.goto(`${studio.url}/instances`)
    await page.getByTestId('instances-ready').waitFor()
    const chips = await page
      .locator('tbody [data-status]')
      .evaluateAll((found) =>
        found.map((chip) => [chip.textContent?.trim() !== '', chip.querySelector('svg') !== null]),
      )
    expect(chips.length).toBeGreaterThan(5)
    expect(chips.filter(([word, icon]) => !word || !icon)).toEqual([])
  })

  it('E54 leads from every problem to a page that tells of it', async () => {
    const types = (Object.keys(errorStatus) as ErrorCode[]).map(problemType)
    const answers = await Promise.all(
      types.map(async (type) => {
        const response = await fetch(studio.url + type)
        return [type, response.status, /<h1>[^<]+<\/h1>/.test(await response.text())]
      }),
    )
    expect(answers).toEqual(types.map((type) => [type, 200, true]))
    const page = await shared.open()
    await page.goto(`${studio.url}/instances/wfi_00000000-0000-7000-8000-000000000000`)
    const [told] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'INSTANCE_NOT_FOUND' }).click(),
    ])
    await told.getByText('INSTANCE_NOT_FOUND').waitFor()
    expect(told.url()).toBe(`${studio.url}/problems/instance-not-found`)
    await told.close()
  })

  it('offers to drop a filter that nothing fits', async () => {
    const page = await shared.open()
    await page.goto(`${studio.url}/instances?correlation=nobody`)
    await page.getByTestId('instances-empty').waitFor()
    await page.getByRole('button', { name: 'Drop the filter' }).click()
    await page.getByTestId('instances-ready').waitFor()
  })

  it('E04 keeps one stream for all tabs of a browser', async () => {
    const context = await openContext(browser)
    let open = 0
    // None is answered: each that was opened stays so.
    await context.route('**/api/v1/streams/events*', () => {
      open += 1
    })
    const tabs = await Promise.all(Array.from({ length: 8 }, () => openPage(context)))
    await Promise.all(tabs.map(({ page }) => page.goto(`${studio.url}/instances`)))
    await Promise.all(tabs.map(({ page }) => page.getByTestId('instances-ready').waitFor()))
    expect(open).toBe(1)
    await context.close()
  })

  it('E06 goes anywhere from the palette: a workflow or a node by its name, an instance by its id', async () => {
    const page = await shared.open()
    await page.goto(studio.url)
    await settled(page)
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Page, workflow, or an instance id').fill('ord')
    await page
      .getByRole('option', { name: /Order approval/ })
      .or(page.getByText('Workflow order'))
      .first()
      .waitFor()
    await enterUntil(page, `${studio.url}/definitions/order/design`)
    // The key closes one that is still there.
    await page.getByPlaceholder('Page, workflow, or an instance id').waitFor({ state: 'detached' })

    const [instance] = (await studio.api('GET', '/workflow-instances?limit=1')).items
    await page.keyboard.press('Control+k')
    await page
      .getByPlaceholder('Page, workflow, or an instance id')
      .fill(`see ${studio.url}/instances/${instance.id} there`)
    await page.getByText('Open the instance').waitFor()
    await enterUntil(page, `${studio.url}/instances/${instance.id}`)

    const [node] = (await studio.api('GET', '/cluster/nodes')).items
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Page, workflow, or an instance id').fill(node.name)
    await page
      .getByRole('option', { name: node.name })
      .or(page.getByText('Node', { exact: true }))
      .first()
      .waitFor()
    await enterUntil(page, `${studio.url}/cluster/${node.id}`)
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
    const page = await shared.open()
    await page.goto(studio.url)
    await settled(page)
    await page.keyboard.press('g')
    await page.keyboard.press('l')
    await page.waitForURL(`${studio.url}/locks`)
    await page.keyboard.press('.')
    expect(await page.getByTestId('live-switch').getAttribute('data-mode')).toBe('paused')
    await page.keyboard.press('.')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
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
