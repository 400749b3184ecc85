import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { LockstepProcess } from '../start/run-lockstep.ts'
import { openBrowser, openContext, SharedPage } from './open-browser.ts'
import { openStudioCluster, type StudioCluster } from './open-studio.ts'
import { putLetters } from './put-letters.ts'
import { publishAll, run } from './workflows.ts'

let studio: StudioCluster
let browser: Browser
let page: Page
let bank: Server
let bankWorks = false
beforeAll(async () => {
  bank = createServer((_request, response) => response.writeHead(bankWorks ? 200 : 503).end('{}'))
  await new Promise<void>((resolve) => bank.listen(0, '127.0.0.1', resolve))
  browser = await openBrowser()
  studio = await openStudioCluster('/x/y', { LOCKSTEP_OUTBOUND_ALLOW: '127.0.0.1' })
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
    // Each node counts for itself until one of them has seen enough.
    for (let tries = 0; tries < 3 * 3; tries += 1)
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
    for (let count = 0; count < 12; count += 1)
      await run(studio, count % 4 === 0 ? 'markup' : 'parcels', { parcels: [] })
    const listed = async (status: string): Promise<number> =>
      (await studio.api('GET', `/workflow-instances?status=${status}&limit=200`)).items.length
    // Each node writes down once a minute what it counted.
    await expect
      .poll(
        async () => [
          (await total('completed')) - (await listed('completed')),
          (await total('faulted')) - (await listed('faulted')),
        ],
        { timeout: 150_000, interval: 1_000 },
      )
      .toEqual([0, 0])
    expect(await listed('faulted')).toBeGreaterThanOrEqual(3)
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
    expect(await step('node').getAttribute('data-done')).toBe('false')
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

  it('shows a dead letter, starts its workflow once it is mended, and throws one away', async () => {
    await page.goto(`${studio.url}/queues?tab=dead`)
    await page.getByText('No dead letters').waitFor()
    await putLetters(studio)
    const rows = page.getByTestId('dead-letter-row')
    await expect.poll(() => rows.count()).toBe(2)
    await rows.filter({ hasText: 'UNREADABLE' }).getByRole('button', { name: 'Open…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Dead letter' })
    await dialog.getByText('{ "parcels": [1, 2').waitFor()
    // Nobody can read it: there is nothing to start with, and one click throws nothing away.
    expect(await dialog.getByRole('button', { name: 'Start its workflow' }).isDisabled()).toBe(true)
    await dialog.getByRole('button', { name: 'Throw away…' }).click()
    expect(await rows.count()).toBe(2)
    await dialog.getByRole('button', { name: 'Throw away for good' }).click()
    await expect.poll(() => rows.count()).toBe(1)
    await rows.getByRole('button', { name: 'Open…' }).click()
    await dialog.getByRole('textbox', { name: 'Input' }).fill('{ "parcels": [] }')
    await dialog.getByRole('button', { name: 'Start its workflow' }).click()
    await page.waitForURL(/\/instances\/wfi_/)
    const id = page.url().split('/').at(-1)!.split('?')[0]!
    expect(await studio.api('GET', `/workflow-instances/${id}`)).toMatchObject({ input: { parcels: [] } })
    expect((await studio.api('GET', '/dead-letters')).items).toEqual([])
  })

  it('makes a schedule with its next times in view, edits it, fills in what never ran, and deletes it', async () => {
    await fetch(`${studio.url}/api/v1/schedules/hourly`, { method: 'DELETE' })
    await page.goto(`${studio.url}/schedules`)
    await page.getByRole('button', { name: 'New schedule' }).click()
    const making = page.getByRole('dialog', { name: 'New schedule' })
    await making.getByLabel('Id').fill('hourly')
    await making.getByLabel('Workflow to start').selectOption('parcels')
    await making.getByRole('textbox', { name: 'Cron' }).fill('61 * * * *')
    await making.getByTestId('schedule-preview-error').waitFor()
    await making.getByRole('textbox', { name: 'Cron' }).fill('0 * * * *')
    await making.getByLabel('Time zone').fill('Europe/Berlin')
    await expect.poll(() => making.getByTestId('schedule-preview').locator('li').count()).toBe(5)
    await making.getByLabel('Input').fill('{ "parcels": [] }')
    await making.getByRole('button', { name: 'Create' }).click()
    const row = page.locator('tr', { hasText: 'hourly' })
    await row.getByText('Active', { exact: true }).waitFor()
    const made = (await studio.api('GET', '/schedules/hourly')).document
    expect(made).toMatchObject({ trigger: { cron: '0 * * * *', zone: 'Europe/Berlin' }, input: { parcels: [] } })

    await page.goto(`${studio.url}/schedules/hourly`)
    const menu = (item: string) => async () => {
      await page.getByRole('button', { name: 'More for hourly' }).click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    await menu('Edit…')()
    const editing = page.getByRole('dialog', { name: 'Edit hourly' })
    await editing.getByLabel('When an earlier run is not over').selectOption('allow')
    await editing.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Start it beside the earlier one').waitFor()

    await menu('Backfill…')()
    const filling = page.getByRole('dialog', { name: 'Backfill hourly' })
    await filling.getByLabel('From (UTC)').fill('2026-01-01T00:00')
    await filling.getByLabel('Up to (UTC)').fill('2026-01-01T03:00')
    await filling.getByTestId('backfill-preview').getByText('3 times in this span').waitFor()
    await filling.getByRole('button', { name: 'Run them' }).click()
    const runs = async () => (await studio.api('GET', '/schedules/hourly/runs')).items
    await expect
      .poll(async () => (await runs()).filter(({ origin }: { origin: string }) => origin === 'backfill').length)
      .toBe(3)
    await page.getByTestId('late-runs').waitFor()

    await menu('Delete…')()
    const deleting = page.getByRole('dialog', { name: 'Delete hourly' })
    await deleting.getByLabel('Type hourly to go on').fill('hourly')
    await deleting.getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(`${studio.url}/schedules`)
    await expect.poll(async () => (await fetch(`${studio.url}/api/v1/schedules/hourly`)).status).toBe(404)
  })

  it('duplicates, exports and retracts a workflow from the list', async () => {
    const copy = `parcels-${Math.floor(performance.now())}`
    await page.goto(`${studio.url}/definitions`)
    const more = async (name: string, item: string): Promise<void> => {
      await page.getByRole('button', { name: `More for ${name}`, exact: true }).click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    const download = page.waitForEvent('download')
    await more('Parcels', 'Export as YAML')
    expect((await download).suggestedFilename()).toBe('parcels.yaml')
    await more('Parcels', 'Duplicate…')
    const dialog = page.getByRole('dialog', { name: 'Duplicate Parcels' })
    await dialog.getByLabel('Id of the copy').fill(copy)
    await dialog.getByRole('button', { name: 'Duplicate' }).click()
    await page.waitForURL(`${studio.url}/definitions/${copy}/design`)
    const { draft } = await studio.api('GET', `/workflow-definitions/${copy}/draft`)
    expect(draft.activities.map(({ id }: { id: string }) => id)).toEqual(['each', 'both'])

    await studio.api('POST', `/workflow-definitions/${copy}/publish`)
    await run(studio, copy, { parcels: [] })
    await page.goto(`${studio.url}/definitions?name=Parcels%20(copy)`)
    const row = page.locator('tr', { hasText: copy })
    await row.getByText('1 run', { exact: true }).waitFor()
    await row.getByRole('button', { name: 'More for Parcels (copy)' }).click()
    await page.getByRole('menuitem', { name: 'Retract…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Retract' }).click()
    await row.getByText('Retracted').waitFor()
    expect((await studio.api('GET', `/workflow-definitions/${copy}`)).version).toBeNull()
  })

  it('marks drafts that are ahead of what is published, and says what starts a workflow', async () => {
    const activities = [
      { id: 'morning', type: 'cron', inputs: { cron: '30 6 * * *', zone: 'Europe/Berlin' } },
      { id: 'paid', type: 'event', inputs: { event: 'invoice-paid' } },
      { id: 'log', type: 'log', inputs: { message: 'Reminded' } },
    ]
    const connections = ['morning', 'paid'].map((from) => ({ from, to: 'log' }))
    const document = { id: 'remind', name: 'Remind', activities, connections }
    await studio.api('PUT', '/workflow-definitions/remind', document)
    await page.goto(`${studio.url}/definitions`)
    const row = page.locator('tr', { hasText: 'remind' })
    await row.getByText('invoice-paid').waitFor()
    await row.getByText('+1', { exact: true }).hover()
    await page.getByText('Every day at 06:30, Europe/Berlin').waitFor()
    expect(await row.getByText('Draft ahead').count()).toBe(0)
    expect(await page.locator('tr', { hasText: 'payment' }).innerText()).toContain('On demand')
    const response = await fetch(`${studio.url}/api/v1/workflow-definitions/remind/draft`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'if-match': '*' },
      body: JSON.stringify({ ...document, description: 'Of invoices' }),
    })
    expect(response.status).toBe(200)
    // Without a reload: the stream tells of the draft.
    await row.getByRole('link', { name: 'Draft ahead' }).click()
    await page.waitForURL(`${studio.url}/definitions/remind/design`)
    await studio.api('POST', '/workflow-definitions/remind/publish')
    await page.goto(`${studio.url}/definitions`)
    await row.getByText('Version 2').waitFor()
    expect(await row.getByText('Draft ahead').count()).toBe(0)
    await studio.api('POST', '/workflow-definitions/remind/retract')
  })

  it('says on Home how far away the servers are, and what needs somebody besides incidents', async () => {
    await studio.api('POST', '/circuit-breakers/home/trip', { openFor: '1h', reason: 'A pause of the bank' })
    await page.goto(studio.url)
    const strip = page.getByTestId('health-strip')
    await strip.getByText('3 of 3').waitFor()
    // Each node measures every quarter of a minute.
    await expect
      .poll(() => strip.locator('[data-server="database"]').innerText(), { timeout: 60_000 })
      .toMatch(/\d m?s$/)
    const row = page.locator('[data-attention="breaker"]', { hasText: 'home' })
    await row.getByText('A pause of the bank').waitFor()
    await row.getByRole('link').click()
    await page.waitForURL(`${studio.url}/breakers`)
    await studio.api('POST', '/circuit-breakers/home/reset', { reason: 'Seen' })
  })
})
