import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { LockstepProcess } from '../start/run-lockstep.ts'
import { keepPicture as keep } from './keep-picture.ts'
import { openBrowser, openContext, SharedPage } from './open-browser.ts'
import { openStudioCluster, type StudioCluster } from './open-studio.ts'
import { putLetters } from './put-letters.ts'
import { seriousFaultsInBoth } from './serious-faults.ts'
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

const keepPicture = (name: string): Promise<void> => keep(page, name)

/** What the server says, to be told otherwise. `undefined`: the page is gone that asked. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads what the wire carries
const answerOf = (route: Route): Promise<any> =>
  route.fetch().then(
    (answer) => answer.json(),
    () => undefined,
  )

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

  it('E47 shows a breaker open, count down, and close again; what waits for it says so', async () => {
    bankWorks = false
    // Each node counts for itself until one of them has seen enough.
    for (let tries = 0; tries < 3 * 3; tries += 1)
      await studio.api('POST', '/workflow-instances', { definitionId: 'pay', input: {} })
    await page.goto(`${studio.url}/breakers`)
    const card = page.getByTestId('breaker').filter({ hasText: 'bank' })
    await card.and(page.locator('[data-state="open"]')).waitFor()
    await card.getByText('A probe may be made in').waitFor()
    const history = card.getByTestId('breaker-history')
    await history.getByText(/seen by node-\d: \d failures within .*, the last: /).waitFor()
    await card.getByRole('button', { name: 'Open…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('Work on the bank')
    await dialog.getByRole('button', { name: 'Open it' }).click()
    await card.getByTitle('Work on the bank').waitFor()

    bankWorks = true
    const waiting = await studio.api('POST', '/workflow-instances', { definitionId: 'pay', input: {} })
    const other = await page.context().newPage()
    await other.goto(`${studio.url}/instances/${waiting.id}`)
    await other
      .getByTestId('why')
      .getByText(/breaker/i)
      .first()
      .waitFor()
    await other
      .locator('[data-step="charge"]')
      .getByText(/^breaker bank, 00:/)
      .waitFor()
    const held = await studio.api('GET', '/circuit-breakers/bank')
    expect(held.waitingSteps).toContainEqual({ instanceId: waiting.id, step: 'charge' })
    await card.getByTestId('breaker-waiting').getByRole('link').first().waitFor()
    await card.getByRole('button', { name: 'Close now' }).click()
    await page.getByRole('dialog').getByLabel('Reason').fill('The bank is back')
    await page.getByRole('dialog').getByRole('button', { name: 'Close it' }).click()
    await card.and(page.locator('[data-state="closed"]')).waitFor()
    await history.getByText('The bank is back').waitFor()
    await history.getByText('Work on the bank').waitFor()
    await history.getByRole('img', { name: /^Last \d+ changes: opened/ }).waitFor()
    await keepPicture('breaker-history')
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
    await page.getByRole('switch', { name: 'Compare' }).click()
    await page.getByText('thin: the range before').first().waitFor()
    expect(await seriousFaultsInBoth(page)).toEqual([])
    const picture = page.waitForEvent('download')
    await page.getByRole('button', { name: 'PNG' }).click()
    expect((await picture).suggestedFilename()).toBe('metrics-15m.png')
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
    const nightly = { id: copy, name: 'Parcels at night', trigger: { cron: '0 3 * * *' }, definitionId: copy }
    await studio.api('POST', '/schedules', { ...nightly, paused: true })
    const call = { id: 'call', type: 'run-workflow', inputs: { definitionId: copy, input: {} } }
    await studio.api('PUT', '/workflow-definitions/calls-parcels', {
      id: 'calls-parcels',
      name: 'Calls the parcels',
      activities: [call],
    })
    await page.getByRole('menuitem', { name: 'Retract…' }).click()
    const effect = page.getByTestId('retract-effect')
    await effect.getByText('0 of version 1 run now').waitFor()
    await effect.getByText('Schedules that come to nothing: Parcels at night').waitFor()
    await effect.getByText('Workflows that run it, and fail at that step: Calls the parcels').waitFor()
    await studio.api('DELETE', `/schedules/${copy}`)
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

  it('draws what nodes lean on: servers that are well, slow and away, each with its word', async () => {
    await page.goto(`${studio.url}/cluster`)
    const picture = page.getByTestId('topology')
    await expect.poll(() => picture.locator('[data-node]').count()).toBe(3)
    await picture.locator('[data-server="database"]').waitFor()
    // One node leads to its card, which holds what can be done with it.
    const [first] = await picture
      .locator('[data-node]')
      .evaluateAll((all) => all.map((each) => each.getAttribute('data-node')))
    await picture.getByRole('link', { name: first! }).press('Enter')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('data-name'))).toBe(first)

    // Servers that this cluster does not have: the answer is told with them.
    await page.route('**/api/v1/cluster/nodes', async (route) => {
      const answer = await answerOf(route)
      if (answer === undefined) return
      const startedAt = new Date(Date.now() - 3_600_000).toISOString()
      const items = answer.items.map((node: object) => ({ ...node, startedAt }))
      const servers = [
        { name: 'database', roundTripMs: 1.2 },
        { name: 'redis', roundTripMs: 24 },
        { name: 'broker', roundTripMs: null },
      ]
      await route.fulfill({ json: { ...answer, items, servers } })
    })
    const told = (name: string, health: string) =>
      picture.locator(`[data-server="${name}"][data-health="${health}"]`).innerText()
    expect(await told('redis', 'slow')).toContain('Slow: 24 ms')
    expect(await told('broker', 'down')).toContain('No answer')
    expect(await told('database', 'well')).toContain('1.2 ms')
    for (const health of ['slow', 'down', 'well'])
      expect(await picture.locator(`path[data-self="true"][data-health="${health}"]`).count()).toBe(1)
    expect(await seriousFaultsInBoth(page)).toEqual([])
    await page.evaluate(() => {
      ;(document.activeElement as HTMLElement | null)?.blur()
      document.querySelector('main')?.scrollTo(0, 0)
    })
    await keepPicture('topology')
    // With an answer under way: it is told before the next test asks.
    await page.unrouteAll({ behavior: 'wait' })
  })

  it('sorts workflows into folders by their tags, which the designer edits', async () => {
    const log = [{ id: 'log', type: 'log', inputs: { message: 'x' } }]
    for (const [id, tags] of [
      ['tagged-eu', ['trade/eu', 'nightly']],
      ['tagged-us', ['trade/us']],
      ['tagged-no', []],
    ] as const)
      await studio.api('PUT', `/workflow-definitions/${id}`, { id, name: `The ${id}`, tags, activities: log })
    await page.goto(`${studio.url}/definitions`)
    const folders = page.getByRole('navigation', { name: 'Folders' })
    await folders.getByRole('link', { name: /^trade 2/ }).click()
    const rows = page.getByTestId('definitions-ready').locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(2)
    await folders.getByRole('link', { name: /^eu 1/ }).click()
    await expect.poll(() => rows.count()).toBe(1)
    expect(await rows.innerText()).toContain('nightly')
    await folders.getByRole('link', { name: /^All/ }).click()
    const field = page.getByLabel('Name, id or tag')
    await field.fill('tagged-n')
    await expect.poll(() => rows.count()).toBe(1)
    await rows.getByText('The tagged-no').waitFor()
    await field.fill('')
    await expect.poll(() => rows.count()).toBeGreaterThan(3)
    await page.getByRole('combobox', { name: 'Order' }).click()
    await page.getByRole('option', { name: 'Last changed first' }).click()
    await expect.poll(() => rows.first().innerText()).toContain('tagged-no')

    await page.goto(`${studio.url}/definitions/tagged-no/design`)
    const tags = page.getByLabel('Tags', { exact: true }).first()
    await tags.fill('not a tag')
    await tags.press('Enter')
    await page.getByText('is no tag').waitFor()
    await tags.fill('trade/asia')
    await tags.press('Enter')
    await expect
      .poll(async () => (await studio.api('GET', '/workflow-definitions/tagged-no/draft')).draft.tags)
      .toEqual(['trade/asia'])
    await page.goto(`${studio.url}/definitions`)
    await folders.getByRole('link', { name: /^asia 1/ }).waitFor()
    for (const id of ['tagged-eu', 'tagged-us', 'tagged-no'])
      await studio.api('POST', `/workflow-definitions/${id}/retract`)
  })

  it('pauses a batch, goes on with it, and does it again with those that it left', async () => {
    const ended = await run(studio, 'order', { amount: 1 })
    const waiting = await run(studio, 'order', { amount: 5_000 })
    const { id } = await studio.api('POST', '/batch-operations', {
      ...{ action: 'cancel', target: { ids: [ended.id, waiting.id] }, note: 'Two of them' },
    })
    await page.goto(`${studio.url}/batches?id=${id}`)
    await page.getByRole('button', { name: 'Again with the 1 left…' }).click()
    await page.getByTestId('batch-left-count').getByText('1 left as it is').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Again with 1 instance' }).click()
    await page.waitForURL((url) => url.searchParams.get('id') !== id)
    const again = new URL(page.url()).searchParams.get('id')!
    await expect
      .poll(async () => await studio.api('GET', `/batch-operations/${again}`))
      .toMatchObject({ state: 'done', total: 1, outcomes: { 'wrong-state': 1 }, note: 'Two of them' })

    // None here lasts long enough to be caught: how it stands is told, what is asked for goes to the server.
    let state = 'applying'
    const asked: string[] = []
    await page.route(/\/api\/v1\/batch-operations(\?|\/bop_)/, async (route) => {
      const [, wish] = /\/(pause|continue|cancel)$/.exec(new URL(route.request().url()).pathname) ?? []
      if (wish !== undefined) {
        asked.push(wish)
        state = wish === 'pause' ? 'paused' : wish === 'continue' ? 'applying' : 'cancelled'
        return route.fulfill({ json: {} })
      }
      const answer = await answerOf(route)
      if (answer === undefined) return
      const change = (each: { id: string }) => (each.id === again ? { ...each, state, total: 40 } : each)
      return route.fulfill({
        json: answer.items === undefined ? change(answer) : { ...answer, items: answer.items.map(change) },
      })
    })
    const row = page.locator('tr[data-selected="true"]')
    await page.reload()
    await row.getByText('Under way').waitFor()
    await row.getByRole('button', { name: 'Pause' }).click()
    await row.getByText('Paused', { exact: true }).waitFor()
    expect(await seriousFaultsInBoth(page)).toEqual([])
    await keepPicture('batch-paused')
    await row.getByRole('button', { name: 'Continue' }).click()
    await row.getByText('Under way').waitFor()
    await row.getByRole('button', { name: 'Stop' }).click()
    await row.getByText('Stopped').waitFor()
    expect(asked).toEqual(['pause', 'continue', 'cancel'])
    await page.unrouteAll({ behavior: 'wait' })
    // The server knows these words too.
    const refused = await fetch(`${studio.url}/api/v1/batch-operations/${again}/pause`, { method: 'POST' })
    expect([refused.status, (await refused.json()).code]).toEqual([409, 'OPERATION_OVER'])
  })

  it('has locks in folders by their prefixes, and finds them by holder and age', async () => {
    const ask = { id: 'ask', type: 'wait-for-event', inputs: { event: 'never' } }
    const held: string[] = []
    for (const lock of ['shop/eu/1', 'shop/eu/2', 'shop/us/1']) {
      const id = `hold-${lock.replaceAll('/', '-')}`
      const section = { id: 'in', type: 'critical-section', inputs: { lock }, body: { activities: [ask] } }
      await studio.api('PUT', `/workflow-definitions/${id}`, { id, activities: [section] })
      held.push((await studio.api('POST', '/workflow-instances', { definitionId: id })).id)
    }
    await page.goto(`${studio.url}/locks`)
    const folders = page.getByRole('navigation', { name: 'Keys by prefix' })
    await folders.getByRole('link', { name: /^shop\/ 3/ }).waitFor()
    await folders.getByRole('link', { name: /^eu\/ 2/ }).click()
    const rows = page.getByTestId('locks-ready').locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(2)
    expect(await page.getByLabel('Key begins with').inputValue()).toBe('shop/eu/')
    await rows.first().getByText('Held', { exact: true }).waitFor()
    const holder = (await studio.api('GET', '/locks/shop%2Feu%2F1')).holder.name
    await page.getByRole('combobox', { name: 'Holder' }).click()
    await page.getByRole('option', { name: holder }).click()
    await rows.filter({ hasText: 'shop/eu/1' }).waitFor()
    await page.getByRole('combobox', { name: 'Held for' }).click()
    await page.getByRole('option', { name: 'An hour or longer' }).click()
    await page.getByText('No lock fits').waitFor()
    expect(await page.getByTestId('lock-counts').innerText()).toContain('Held')
    for (const id of held) await studio.api('POST', `/workflow-instances/${id}/terminate`, { reason: 'seen' })
  })

  it('draws who waits for whom, and marks two instances that hold what the other wants', async () => {
    const inside = (lock: string) => ({
      ...{ id: 'second', type: 'critical-section', inputs: { lock } },
      body: { activities: [{ id: 'log', type: 'log', inputs: { message: 'both' } }] },
    })
    const takes = (id: string, first: string, second: string) => ({
      id,
      activities: [
        {
          ...{ id: 'first', type: 'critical-section', inputs: { lock: first } },
          body: {
            activities: [{ id: 'ready', type: 'wait-for-event', inputs: { event: 'both-hold' } }, inside(second)],
            connections: [{ from: 'ready', to: 'second' }],
          },
        },
      ],
    })
    for (const document of [takes('x-then-y', 'yard/x', 'yard/y'), takes('y-then-x', 'yard/y', 'yard/x')])
      await studio.api('PUT', `/workflow-definitions/${document.id}`, document)
    const start = async (definitionId: string): Promise<string> =>
      (await studio.api('POST', '/workflow-instances', { definitionId })).id
    // A try before this one may have left some.
    for (const { id } of (await studio.api('GET', '/workflow-instances?definition=x-then-y,y-then-x')).items)
      await studio.api('POST', `/workflow-instances/${id}/terminate`, { reason: 'again' }).catch(() => {})
    const [a, b] = [await start('x-then-y'), await start('y-then-x')]
    const holderOf = async (key: string) =>
      (await studio.api('GET', '/locks?prefix=yard')).items.find((lock: { key: string }) => lock.key === key)?.holder
        ?.instanceId
    await expect.poll(async () => [await holderOf('yard/x'), await holderOf('yard/y')]).toEqual([a, b])
    await page.goto(`${studio.url}/locks`)
    await page.getByTestId('locks-ready').waitFor()
    expect(await page.getByTestId('wait-circle').count()).toBe(0)
    // The lab is for development alone.
    expect(await studio.api('GET', '/lock-lab')).toMatchObject({ offered: false })
    expect(await page.getByRole('tab').allInnerTexts()).toEqual(['Locks by key', 'Who waits for whom'])
    // One that waits before them is in nobody's way, and in no circle.
    const bystander = await start('x-then-y')
    await expect.poll(async () => (await studio.api('GET', '/locks/yard%2Fx')).waitingInstances).toBe(1)
    await studio.api('POST', '/events', { name: 'both-hold' })

    const told = page.getByTestId('wait-circle')
    await told.getByText('none of them can go on').waitFor()
    expect(await told.getByRole('link', { name: a.slice(-6) }).getAttribute('href')).toMatch(new RegExp(`${a}$`))
    await told.getByRole('link', { name: 'See who waits for whom' }).click()
    await page.waitForURL(/view=waits/)
    const graph = page.getByTestId('wait-graph')
    const box = (id: string) => graph.locator(`[data-box="${id}"]`)
    await box(`party ${bystander}`).waitFor()
    const marked = () => graph.locator('[data-circle="true"]').evaluateAll((all) => all.map((each) => each.dataset.box))
    await expect
      .poll(async () => (await marked()).sort())
      .toEqual(['lock yard/x', 'lock yard/y', `party ${a}`, `party ${b}`].sort())
    expect(await box(`party ${a}`).innerText()).toContain('x-then-y')
    expect(await box(`party ${a}`).textContent()).toContain('waits for yard/y. holds yard/x.')
    expect(await page.locator('path[data-circle="true"]').count()).toBe(4)
    expect(await seriousFaultsInBoth(page)).toEqual([])
    await keepPicture('waits')
    const { deadlocks } = await studio.api('GET', '/lock-contention')
    expect(deadlocks).toMatchObject([{ certain: true, actors: expect.arrayContaining([a, b]) }])
    expect(deadlocks[0].actors).toHaveLength(2)
    await box('lock yard/x').getByRole('button').click()
    await page.getByRole('dialog').getByText('yard/x').first().waitFor()
    await page.keyboard.press('Escape')
    // Without one of them the others go on, and the circle is gone.
    await studio.api('POST', `/workflow-instances/${b}/terminate`, { reason: 'A circle' })
    await told.waitFor({ state: 'detached' })
    await expect.poll(async () => (await studio.api('GET', `/workflow-instances/${a}`)).status).toBe('completed')
    await studio.api('POST', `/workflow-instances/${bystander}/terminate`, { reason: 'seen' })
    await page.getByTestId('wait-graph-empty').waitFor()
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
