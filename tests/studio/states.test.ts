import { randomBytes } from 'node:crypto'
import { deferred } from '@lockstep/base'
import type { Browser, BrowserContext, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, openContext } from './open-browser.ts'
import { openStudioCluster, type Studio } from './open-studio.ts'
import { publishAll, run } from './workflows.ts'

/**
 * E02: every part of every page that shows something of the server can be loading, empty, broken, ready and old, and says which. The answers
 * are made up in the browser, so that no page needs a store of its own; only `ready` is what the server says.
 */
interface Shown {
  readonly at: string
  /** Names of its parts. */
  readonly parts: readonly string[]
  /** Where nothing can be there: the address of something that is not. @default the same address, with empty lists */
  readonly missing?: string
  /** What it shows is read once, when it is opened. */
  readonly anew?: boolean
  /** Parts that are never empty. */
  readonly never?: readonly string[]
}

const nothing = {
  items: [],
  statuses: {},
  keys: [],
  deadlocks: [],
  patterns: [],
  page: { next: null, prev: null, limit: 50 },
}
const empty = JSON.stringify({ ...nothing, count: { value: 0, exact: true }, truncated: false })
const refusal = {
  status: 503,
  contentType: 'application/problem+json',
  body: '{"title":"Not now","code":"SHUTTING_DOWN","status":503}',
}
/** All that pages ask for: who asks, and the stream, are of the frame around them. */
const data = /\/api\/v1\/(?!streams|session)/
/** What a page is made of is never empty. */
const fixed = /\/api\/v1\/(activity-types|openapi)/

let studio: Studio
let browser: Browser
let context: BrowserContext
let waiting: string
let node: string
beforeAll(async () => {
  browser = await openBrowser()
  studio = await openStudioCluster('/x/y', { LOCKSTEP_SECRET_KEYS: randomBytes(32).toString('base64') })
  await publishAll(studio)
  waiting = (await run(studio, 'order', { amount: 5_000 })).id
  node = (await studio.api('GET', '/cluster/nodes')).items[0].id
  const hold = { activities: [{ id: 'ask', type: 'wait-for-event', inputs: { event: 'served' } }] }
  const section = { id: 'section', type: 'critical-section', inputs: { lock: 'desk/7' }, body: hold }
  const person = { id: 'person', type: 'human-task', inputs: { title: 'Invite Ada?' } }
  const worker = { id: 'worker', type: 'run-task', inputs: { task: 'check' } }
  const branches = [section, person, worker].map((step) => ({ activities: [step] }))
  await studio.api('PUT', '/workflow-definitions/busy', {
    ...{ id: 'busy', flow: { concurrency: { limit: 2 } } },
    activities: [{ id: 'all', type: 'parallel', branches }],
  })
  // Two have tasks, one of them the lock, which the other waits for; the third is held back.
  for (let count = 0; count < 3; count += 1)
    await studio.api('POST', '/workflow-instances', { definitionId: 'busy', input: {} })
  const faulted = await run(studio, 'payment', {})
  await studio.api('POST', '/schedules', { id: 'nightly', trigger: { cron: '0 3 * * *' }, definitionId: 'parcels' })
  await studio.api('POST', '/schedules/nightly/trigger', {})
  await studio.api('POST', '/batch-operations', { action: 'retry', target: { ids: [faulted.id] }, dryRun: false })
  await studio.api('POST', '/circuit-breakers/mail/trip', { openFor: '1h', reason: 'A test' })
  await studio.api('PUT', '/limits/mail', { concurrency: 5 })
  await studio.api('PUT', '/secrets/billing-token', { value: randomBytes(12).toString('base64url') })
  await studio.api('PUT', '/retention/rules', { status: 'completed', keep: '30d' })
  await studio.api('POST', '/api-keys', { name: 'For the shop', role: 'operator', expiresIn: '90d' })
  const [password, name, role] = [randomBytes(12).toString('base64url'), 'ann', 'operator']
  await studio.api('POST', '/users', { name, password, role })
  context = await openContext(browser, { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
})
afterAll(async () => {
  await browser?.close()
  await studio?.[Symbol.asyncDispose]()
})

const pages = (): readonly Shown[] => [
  { at: '/', parts: ['home', 'attention', 'for-people', 'next-runs', 'changed-lately', 'home-nodes'] },
  { at: '/definitions', parts: ['definitions'] },
  { at: '/definitions/order', parts: ['definition'], missing: '/definitions/nobody' },
  { at: '/definitions/order/design', parts: ['designer'], anew: true },
  { at: '/instances', parts: ['instances'] },
  { at: `/instances/${waiting}`, parts: ['instance'], missing: '/instances/wfi_00000000-0000-7000-8000-000000000000' },
  { at: '/incidents', parts: ['incidents'] },
  { at: '/schedules', parts: ['schedules'] },
  { at: '/schedules/nightly', parts: ['schedule'], missing: '/schedules/nobody' },
  { at: '/queues', parts: ['queues', 'flow'] },
  { at: '/queues?tab=limits', parts: ['limits'] },
  { at: '/queues?tab=tasks', parts: ['tasks'] },
  { at: '/queues?tab=people', parts: ['people'] },
  // What happened stays listed: only the new is asked for.
  { at: '/cluster', parts: ['cluster', 'cluster-events', 'caches'], anew: true },
  { at: `/cluster/${node}`, parts: ['node-page'], missing: '/cluster/nod_00000000-0000-7000-8000-000000000000' },
  { at: '/locks', parts: ['locks', 'contention', 'lock-figures'] },
  { at: '/locks?view=waits', parts: ['wait-graph'] },
  { at: '/breakers', parts: ['breakers'] },
  { at: '/insights', parts: ['metrics'], never: ['metrics'] },
  { at: '/batches', parts: ['batches'] },
  { at: '/audit', parts: ['audit'] },
  { at: '/settings', parts: ['keys'] },
  { at: '/settings?tab=users', parts: ['users'] },
  { at: '/settings?tab=secrets', parts: ['secrets'] },
  { at: '/settings?tab=activities', parts: ['activity-types'], never: ['activity-types'] },
  { at: '/settings?tab=retention', parts: ['retention'] },
  { at: '/settings?tab=about', parts: ['about', 'about-api'], never: ['about-api'] },
]

const all = async (page: Page, parts: readonly string[], state: string): Promise<void> => {
  await Promise.all(parts.map((part) => page.getByTestId(`${part}-${state}`).waitFor({ state: 'attached' })))
}

type Answer = (route: Route) => Promise<void>
const byServer: Answer = (route) => route.continue()
const refused: Answer = (route) => route.fulfill(refusal)
const hollow: Answer = (route) => {
  const url = route.request().url()
  return fixed.test(url) ? route.continue() : route.fulfill({ body: emptyOf(url) })
}

/** A tab whose questions are answered as the test says at the moment: what catches them stays, so none falls between two. */
interface Tab {
  readonly page: Page
  answer: Answer
}

async function openTab(): Promise<Tab> {
  const tab: Tab = { page: await context.newPage(), answer: byServer }
  await tab.page.route(data, (route) => tab.answer(route).catch(() => {})) // nobody may want it any more
  return tab
}

/** One page through its states. What is asked for is first held, then refused, then answered, then refused again. */
async function through(tab: Tab, { at, parts, missing, anew = false, never = [] }: Shown): Promise<void> {
  const { page } = tab
  const { promise: seen, resolve: letGo } = deferred<void>()
  tab.answer = async (route) => {
    await seen
    await refused(route)
  }
  await page.goto(studio.url + at)
  await all(page, parts, 'loading')
  letGo()
  await all(page, parts, 'error')
  expect(await page.getByTestId(`${parts[0]}-error`).innerText()).toContain('Not now')
  tab.answer = byServer
  await page.evaluate(() => {
    for (const button of document.querySelectorAll<HTMLElement>('[role=alert] button'))
      if (button.innerText === 'Try again') button.click()
  })
  await all(page, parts, 'ready')

  tab.answer = refused
  await askAgain(page)
  await all(page, parts, 'stale')

  const hollowParts = parts.filter((part) => !never.includes(part))
  if (hollowParts.length === 0) return
  tab.answer = missing === undefined ? hollow : byServer
  if (missing !== undefined) await page.goto(studio.url + missing)
  else if (anew) await page.reload()
  // Nobody asks: what was refused is asked for again when something else is answered, and then everything.
  await all(page, hollowParts, 'empty')
}

/** As when somebody comes back to the tab again and again: what was read just now is not asked for the first time. */
const askAgain = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const again = (): void => void document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
    again()
    setInterval(again, 700)
  })

/** A draft without steps, or a list without items. */
const emptyOf = (url: string): string =>
  url.endsWith('/draft') ? '{"draft":{"id":"order","activities":[]},"etag":"\\"x\\"","problems":[]}' : empty

describe('states of pages', { timeout: 240_000, retry: 1 }, () => {
  it('E02 every page can be loading, empty, broken, ready and old, and says which', async () => {
    const left = [...pages()]
    // Most of the time they wait for the third refusal: several do that at once.
    const walk = async (): Promise<void> => {
      const tab = await openTab()
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const { at } = next
        await through(tab, next).catch((error: unknown) => {
          throw new Error(`${at}: ${String(error)}`, { cause: error })
        })
      }
      await tab.page.close()
    }
    await Promise.all(Array.from({ length: 5 }, walk))
  })

  it('E02 says what part is old when only that one is not answered', async () => {
    const page = await context.newPage()
    await page.goto(`${studio.url}/cluster`)
    await page.getByTestId('caches-ready').waitFor()
    await page.route(/\/api\/v1\/caches/, (route) => route.fulfill({ ...refusal, status: 500 }))
    const note = page.getByTestId('caches-stale').getByRole('status')
    expect(await note.innerText()).toContain('What you see here may be old: Not now.')
    expect(await page.getByTestId('cluster-ready').count()).toBe(1)
    await page.unroute(/\/api\/v1\/caches/)
    await page.getByTestId('caches-ready').waitFor()
    await page.close()
  })

  it('says that the stream was refused, why, and how pages are kept fresh', async () => {
    const other = await openContext(browser)
    const page = await other.newPage()
    const stream = '**/api/v1/streams/events*'
    await page.route(stream, (route) => route.fulfill({ ...refusal, body: '{"title":"Too many streams"}' }))
    await page.goto(`${studio.url}/instances`)
    const mark = page.getByTestId('live-switch')
    await expect.poll(() => mark.getAttribute('data-mode')).toBe('polling')
    expect(await mark.innerText()).toContain('Polling')
    expect(await mark.getAttribute('aria-description')).toBe(
      'The live stream was refused: Too many streams (503). Pages ask the server every few seconds instead. Pause (.)',
    )
    const { id } = await studio.api('POST', '/workflow-instances', { definitionId: 'order', input: { amount: 1 } })
    await page.locator('tr', { hasText: id.slice(-6) }).waitFor()
    await page.unroute(stream)
    await expect.poll(() => mark.getAttribute('data-mode'), { timeout: 60_000 }).toBe('stream')
    await other.close()
  })
})
