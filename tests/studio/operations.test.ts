import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { LockstepProcess } from '../start/run-lockstep.ts'
import { openBrowser, openContext, SharedPage } from './open-browser.ts'
import { openStudio, type Studio } from './open-studio.ts'
import { publishAll, run } from './workflows.ts'

let studio: Studio
let browser: Browser
let page: Page
let bank: Server
let bankWorks = false
beforeAll(async () => {
  bank = createServer((_request, response) => response.writeHead(bankWorks ? 200 : 503).end('{}'))
  await new Promise<void>((resolve) => bank.listen(0, '127.0.0.1', resolve))
  browser = await openBrowser()
  studio = await openStudio('/x/y', { LOCKSTEP_OUTBOUND_ALLOW: '127.0.0.1' })
  await publishAll(studio)
  const charge = {
    id: 'charge',
    type: 'http-request',
    inputs: { method: 'GET', url: `http://127.0.0.1:${(bank.address() as AddressInfo).port}/` },
    breaker: { key: 'bank', failures: 2, window: '1m', openFor: '4s' },
  }
  await studio.api('PUT', '/workflow-definitions/pay', { id: 'pay', activities: [charge] })
  await studio.api('PUT', '/workflow-definitions/undone', {
    id: 'undone',
    activities: [
      {
        id: 'book',
        type: 'log',
        inputs: { message: 'book' },
        compensate: { activities: [{ id: 'unbook', type: 'log', inputs: { message: 'unbook' } }] },
      },
      { id: 'ask', type: 'wait-for-event', inputs: { event: 'paid' } },
    ],
    connections: [{ from: 'book', to: 'ask' }],
  })
})
afterAll(async () => {
  await browser?.close()
  await studio?.[Symbol.asyncDispose]()
  bank?.close()
})
const shared = new SharedPage(() => browser)
beforeEach(async () => {
  page = await shared.open()
})
afterEach((test) => shared.ended(test))

describe('operations in Studio', { timeout: 240_000, retry: 1 }, () => {
  it('E35 shows what a cancel undoes; a terminate asks for a reason and undoes nothing', async () => {
    const kinds = async (id: string): Promise<string> =>
      JSON.stringify((await studio.api('GET', `/workflow-instances/${id}/journal?limit=200`)).items)
    for (const verb of ['Cancel', 'Terminate']) {
      const waiting = await run(studio, 'undone', {})
      await page.goto(`${studio.url}/instances/${waiting.id}`)
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: verb }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Reason').fill('The customer left')
      await dialog.getByRole('button', { name: verb }).click()
      await page.locator(`header [data-status="${verb === 'Cancel' ? 'cancelled' : 'terminated'}"]`).waitFor()
      expect((await kinds(waiting.id)).includes('unbook')).toBe(verb === 'Cancel')
    }
  })

  it('E46 previews a schedule over a change of clocks, in two zones, and says so', async () => {
    for (const [id, zone, startAt] of [
      ['berlin', 'Europe/Berlin', '2027-03-25T00:00:00Z'],
      ['york', 'America/New_York', '2027-03-10T00:00:00Z'],
    ]) {
      const trigger = { cron: '30 2 * * *', zone }
      const target = { definitionId: 'parcels', input: { parcels: [] } }
      await studio.api('POST', '/schedules', { id, trigger, startAt, ...target })
    }
    await page.goto(`${studio.url}/schedules`)
    const row = page.locator('tr', { hasText: 'berlin' })
    await row.getByRole('button', { name: 'Pause' }).click()
    await row.getByText('Paused', { exact: true }).waitFor()
    await row.getByRole('button', { name: 'Resume' }).click()
    await row.getByText('Active', { exact: true }).waitFor()
    await row.getByRole('button', { name: 'Run now' }).click()
    await expect.poll(async () => (await studio.api('GET', '/schedules/berlin/runs')).items.length).toBe(1)
    for (const id of ['berlin', 'york']) {
      const told = await studio.api('GET', `/schedules/${id}/preview?count=10`)
      await page.goto(`${studio.url}/schedules/${id}`)
      await page.getByTestId('preview-ready').waitFor()
      const shown = await page.getByTestId('preview-ready').locator('li').allInnerTexts()
      for (const [index, { wall, offset }] of told.items.entries())
        expect(shown[index]).toContain(`${wall.replace('T', ' ')} ${offset}`)
      expect(new Set(told.items.map(({ offset }: { offset: string }) => offset)).size).toBe(2)
      expect(shown.filter((line) => line.includes('Clocks change'))).toHaveLength(1)
    }
  })

  it('E47 shows a breaker open, count down, and close again; what waits for it says so', async () => {
    bankWorks = false
    for (let tries = 0; tries < 3; tries += 1)
      await studio.api('POST', '/workflow-instances', { definitionId: 'pay', input: {} })
    await page.goto(`${studio.url}/breakers`)
    const card = page.getByTestId('breaker').filter({ hasText: 'bank' })
    await card.and(page.locator('[data-state="open"]')).waitFor()
    await card.getByText('A probe may be made in').waitFor()
    await card.getByRole('button', { name: 'Open…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('Work on the bank')
    await dialog.getByRole('button', { name: 'Open it' }).click()
    await card.getByText('Work on the bank').waitFor()

    bankWorks = true
    const waiting = await studio.api('POST', '/workflow-instances', { definitionId: 'pay', input: {} })
    const other = await page.context().newPage()
    await other.goto(`${studio.url}/instances/${waiting.id}`)
    await other
      .getByTestId('why')
      .getByText(/breaker/i)
      .first()
      .waitFor()
    await card.getByRole('button', { name: 'Close now' }).click()
    await page.getByRole('dialog').getByLabel('Reason').fill('The bank is back')
    await page.getByRole('dialog').getByRole('button', { name: 'Close it' }).click()
    await card.and(page.locator('[data-state="closed"]')).waitFor()
    await other.locator('header [data-status="completed"]').waitFor()
    const [entry] = (await studio.api('GET', '/audit-log?operation=resetCircuitBreaker')).items
    expect(entry).toMatchObject({ reason: 'The bank is back', before: { state: 'open' }, after: { state: 'closed' } })
  })

  it('E48 has the figures of the journal, and leads from a peak to its instances', async () => {
    const total = async (name: string): Promise<number> =>
      (await studio.api('GET', '/metrics/query?range=15m')).totals[name] ?? 0
    const before = { completed: await total('completed'), faulted: await total('faulted') }
    for (let count = 0; count < 12; count += 1)
      await run(studio, count % 4 === 0 ? 'markup' : 'parcels', { parcels: [] })
    await expect
      .poll(async () => [(await total('completed')) - before.completed, (await total('faulted')) - before.faulted])
      .toEqual([9, 3])
    // Every instance that ended, as the list has them: durations to the width of a bucket.
    const ended = (await studio.api('GET', '/workflow-instances?status=completed&limit=200')).items
    const took = ended
      .map(
        (each: { createdAt: string; finishedAt: string }) => Date.parse(each.finishedAt) - Date.parse(each.createdAt),
      )
      .sort((a: number, b: number) => a - b)
    const p50 = took[Math.floor((took.length - 1) / 2)]
    const bounds = [0, 10, 50, 100, 500, 1_000, 5_000, 15_000, 60_000]
    const at = bounds.findIndex((bound) => p50 <= bound)
    const told = await total('durationP50Ms')
    expect(told).toBeGreaterThanOrEqual(bounds[Math.max(0, at - 2)]!)
    expect(told).toBeLessThanOrEqual(bounds[at + 1]!)

    await page.goto(`${studio.url}/insights?range=15m`)
    await page.getByTestId('plot-throughput').locator('canvas').waitFor()
    const shown = page.locator('[data-total="faulted"]')
    await expect.poll(async () => Number(await shown.getAttribute('data-value'))).toBeGreaterThanOrEqual(3)
    expect(await page.getByTestId('metrics-covers').innerText()).toContain('Of all nodes')
    await page.getByRole('button', { name: 'Instances of the peak' }).first().click()
    await page.waitForURL((url) => url.searchParams.has('finishedAt[gte]'))
    await page.getByTestId('instances-ready').waitFor()
    await page.goBack()
    await page.getByRole('switch', { name: 'Tables' }).click()
    await page.getByRole('region', { name: 'Failure rate' }).locator('tbody tr').first().waitFor()
  })

  it('E52 ticks the first steps by what happens, and forgets them when told', async () => {
    const done = await run(studio, 'order', { amount: 1 })
    // What a browser has seen ticks steps: this one has seen nothing yet.
    const context = await openContext(browser)
    const page = await context.newPage()
    await page.goto(studio.url)
    const step = (name: string) => page.locator(`[data-step-name="${name}"]`)
    await step('run').and(page.locator('[data-done="true"]')).waitFor()
    expect(await step('watch').getAttribute('data-done')).toBe('false')
    expect(await step('node').count()).toBe(0)
    await page.goto(`${studio.url}/instances/${done.id}`)
    await page.getByTestId('scrubber').waitFor()
    await page.goto(studio.url)
    await step('watch').and(page.locator('[data-done="true"]')).waitFor()
    await page.getByRole('button', { name: 'Close the first steps' }).click()
    await page.reload()
    await page.getByTestId('home-ready').waitFor()
    expect(await page.getByTestId('tour').count()).toBe(0)
    await context.close()
  })

  it('E53 lists what the command line lists, for the same filter', async () => {
    for (const amount of [1, 2, 3]) await run(studio, 'order', { amount, customerId: 'eva' })
    await page.goto(`${studio.url}/instances?definition=order&input.customerId=eva&columns=input.amount`)
    await page.getByTestId('instances-ready').waitFor()
    await expect.poll(() => page.locator('tbody tr').count()).toBe(3)
    const ids = await page
      .locator('tbody tr td:nth-child(3) a')
      .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href.split('/').at(-1)))
    expect(await page.locator('tbody tr td:nth-child(7)').allInnerTexts()).toEqual(['3', '2', '1'])
    const filter = 'definition=order input.customerId=eva'
    const args = ['instances', 'list', '--filter', filter, '--output', 'json', '--url', studio.url]
    const { output } = await new LockstepProcess(args, { cwd: '/' }).finished()
    const listed = JSON.parse(output) as { id: string }[] | { items: { id: string }[] }
    expect((Array.isArray(listed) ? listed : listed.items).map(({ id }) => id)).toEqual(ids)
  })

  it('shows what holds starts and steps back, and changes a limit', async () => {
    await studio.api('PUT', '/workflow-definitions/few', {
      id: 'few',
      flow: { concurrency: { limit: 1 } },
      activities: [{ id: 'ask', type: 'wait-for-event', inputs: { event: 'go' } }],
    })
    for (let count = 0; count < 3; count += 1)
      await studio.api('POST', '/workflow-instances', { definitionId: 'few', input: {} })
    await page.goto(`${studio.url}/queues`)
    const row = page.getByTestId('flow-row').filter({ hasText: 'few' })
    await expect.poll(async () => (await row.locator('td').allInnerTexts()).slice(2, 4)).toEqual(['2', '1'])
    await studio.api('PUT', '/limits/mail', { concurrency: 4 })
    await page.getByRole('tab', { name: 'Limits of steps' }).click()
    const limit = page.getByTestId('limit-row').filter({ hasText: 'mail' })
    await limit.getByText('4 at once').waitFor()
    await limit.getByRole('button', { name: 'Set…' }).click()
    await page.getByLabel('Attempts at once').fill('7')
    await page.getByRole('button', { name: 'Set it' }).click()
    await limit.getByText('7 at once').waitFor()
    expect((await studio.api('GET', '/limits/mail')).concurrency).toBe(7)
  })
})
