import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openBrowser, openContext, SharedPage } from './open-browser.ts'
import { openStudio, type Studio } from './open-studio.ts'
import { markupText, publishAll, run } from './workflows.ts'

let studio: Studio
let browser: Browser
let page: Page
beforeAll(async () => {
  browser = await openBrowser()
  studio = await openStudio('/x/y')
  await publishAll(studio)
})
afterAll(async () => {
  await browser?.close()
  await studio?.[Symbol.asyncDispose]()
})
const shared = new SharedPage(() => browser)
beforeEach(async () => {
  page = await shared.open()
})
afterEach((test) => shared.ended(test))

const node = (id: string) => page.locator(`[data-step="${id}"]`)

describe('instances', { timeout: 240_000, retry: 1 }, () => {
  it('E30 starts from the form, and graph, journal, timeline and list show what happens without a reload', async () => {
    await page.goto(`${studio.url}/definitions/order`)
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Start a workflow' })
    await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('1500'))
    await dialog.getByRole('button', { name: 'Start', exact: true }).click()
    await page.waitForURL(/\/instances\/wfi_/)
    const id = new URL(page.url()).pathname.split('/').at(-1)!
    await page.locator('[data-step="ask"][data-status="suspended"]').waitFor()
    expect(await page.getByTestId('why').innerText()).toContain('approved')

    await studio.api('POST', `/workflow-instances/${id}/resume`, { bookmark: 'approved', payload: { by: 'ann' } })
    await page.locator('[data-step="total"][data-status="completed"]').waitFor()
    await page.locator('header [data-status="completed"]').waitFor()
    await page.getByTestId('timeline').getByText('Write the total').waitFor()
    await page.getByRole('tab', { name: /Journal/ }).click()
    await page.locator('[data-fact]').filter({ hasText: 'ended' }).waitFor()
    await page.goto(`${studio.url}/instances`)
    await page
      .locator('tr', { hasText: id.slice(-6) })
      .locator('[data-status="completed"]')
      .waitFor()
  })

  it('E31 names the step that failed, and goes on from there once its cause is mended', async () => {
    const faulted = await run(studio, 'payment', {})
    await page.goto(`${studio.url}/instances/${faulted.id}`)
    const card = page.getByTestId('error-card')
    await card.getByText('The card is expired').waitFor()
    await card.getByRole('button', { name: 'Charge the card' }).click()
    const panel = page.getByTestId('step-panel')
    await panel.getByText('SCRIPT_FAILED').waitFor()
    expect((await panel.innerText()).replace(/\s+/g, ' ')).toContain('Attempts 2')

    await studio.api('POST', `/workflow-instances/${faulted.id}/retry`, { variables: { card: 'valid' } })
    await node('charge').and(page.locator('[data-status="completed"]')).waitFor()
    await card.waitFor({ state: 'detached' })
  })

  it('E32 shows the state after any fact, keeps it over a reload, and forks from there', async () => {
    const done = await run(studio, 'order', { amount: 10, customerId: 'cy' })
    await page.goto(`${studio.url}/instances/${done.id}?tab=data`)
    await page.getByTestId('variables').waitFor()
    const last = done.revision
    for (let at = last - 1; at >= 1; at -= 1) {
      await page.keyboard.press('[')
      await page.waitForURL((url) => url.searchParams.get('at') === String(at))
      const state = await studio.api('GET', `/workflow-instances/${done.id}/state?at=${at}`)
      await page.waitForFunction(
        (wanted) => document.querySelector('[data-testid=variables]')?.textContent?.includes(wanted),
        `attempts: ${state.variables.attempts}`,
      )
    }
    await page.keyboard.press(']')
    await page.waitForURL((url) => url.searchParams.get('at') === '2')
    await page.reload()
    await page.getByTestId('scrubber-place').getByText('Fact 2 of').waitFor()
    expect(await node('total').getAttribute('data-status')).toBe('idle')

    await page.getByRole('button', { name: 'Fork from here' }).click()
    await page.waitForURL((url) => url.pathname.includes('wfi_') && !url.pathname.endsWith(done.id))
    const fork = new URL(page.url()).pathname.split('/').at(-1)!
    const facts = async (id: string) => (await studio.api('GET', `/workflow-instances/${id}/journal?limit=2`)).items
    const kinds = (items: { kind: string; data: unknown }[]) => items.map(({ kind, data }) => [kind, data])
    expect(kinds(await facts(fork))).toEqual(kinds(await facts(done.id)))
  })

  it('E33 opens a journal of many thousand facts at once, with few rows, and reaches both ends', async () => {
    await studio.api('PUT', '/workflow-definitions/long', {
      id: 'long',
      activities: [
        {
          id: 'each',
          type: 'for-each',
          inputs: { items: { $expr: 'input.items' } },
          body: { activities: [{ id: 'say', type: 'log', inputs: { message: 'x', level: 'debug' } }] },
        },
      ],
    })
    const long = await run(studio, 'long', { items: Array.from({ length: 5_000 }, (_, index) => index) })
    expect(long.revision).toBeGreaterThan(5_000)
    await page.goto(`${studio.url}/instances/${long.id}?tab=journal`)
    await page.locator(`[data-fact="${long.revision}"]`).waitFor()
    expect(await page.locator('[data-fact]').count()).toBeLessThan(400)
    await page.getByText('Oldest first').click()
    await page.locator('[data-fact="1"]').waitFor()
    await page.getByText('Newest first').click()
    await page.locator(`[data-fact="${long.revision}"]`).waitFor()
    await page.getByLabel('Kinds of facts').first().click()
    await page.getByRole('option', { name: 'Failures' }).click()
    await page.getByText('No fact fits.').waitFor()
  })

  it('E36 filters by status, time and input; the address alone shows the same in another browser', async () => {
    await run(studio, 'order', { amount: 3, customerId: 'zoe' })
    await page.goto(`${studio.url}/instances`)
    const field = page.getByLabel('Filter', { exact: true }).first()
    for (const term of ['status=completed', 'createdAt>=-1h', 'input.customerId=zoe']) {
      await field.fill(term)
      await field.press('Enter')
    }
    await page.waitForURL((url) => url.searchParams.get('input.customerId') === 'zoe')
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
    const rows = await page.locator('tbody tr td:nth-child(3)').allInnerTexts()
    const other = await openContext(browser)
    const elsewhere = await other.newPage()
    await elsewhere.goto(page.url())
    await elsewhere.getByTestId('instances-ready').waitFor()
    expect(await elsewhere.locator('tbody tr td:nth-child(3)').allInnerTexts()).toEqual(rows)
    expect(await elsewhere.getByTestId('filter-chip').count()).toBe(3)
    await other.close()

    await field.fill('colour=red')
    await field.press('Enter')
    await page.getByText(/is not something to filter by/).waitFor()
  })

  it('E37 acts on all that match: a dry run counts them, and exactly those are touched', async () => {
    const before = await Promise.all(
      Array.from({ length: 60 }, (_, index) => run(studio, 'order', { amount: 9_000 }, `bulk-${index}`)),
    )
    const inFlight = (await studio.api('GET', '/workflow-instances?status=suspended&limit=200')).items.length
    await page.goto(`${studio.url}/instances?status=suspended&definition=order`)
    await page.getByRole('checkbox', { name: 'Select this page' }).check()
    await page.getByRole('button', { name: 'Select all that match' }).click()
    const late = await run(studio, 'order', { amount: 9_000 }, 'came-late')
    await page.getByRole('toolbar', { name: 'Selected instances' }).getByRole('button', { name: 'Cancel' }).click()
    const count = await page.getByTestId('dry-run-count').innerText()
    expect(count).toBe(String(inFlight))
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Cancel \d+ instances/ })
      .click()
    await page.waitForURL(/\/batches/)
    await page.locator('tr[data-selected="true"]').getByText('Done').waitFor()
    for (const { id } of before) {
      const { status } = await studio.api('GET', `/workflow-instances/${id}?wait=20s`)
      expect(status).toBe('cancelled')
    }
    expect((await studio.api('GET', `/workflow-instances/${late.id}`)).status).toBe('suspended')
  })

  it('E38 moves nothing under the pointer, and counts what waits to be shown', async () => {
    await run(studio, 'order', { amount: 1 })
    await page.goto(`${studio.url}/instances`)
    await page.getByTestId('instances-ready').waitFor()
    await page.locator('tbody tr').first().hover()
    const first = page.locator('tbody tr').first().locator('td:nth-child(3)')
    const before = await first.innerText()
    await run(studio, 'order', { amount: 1 })
    await run(studio, 'order', { amount: 1 })
    const pill = page.getByRole('button', { name: '2 new' })
    await pill.waitFor()
    expect(await first.innerText()).toBe(before)
    await pill.click()
    await pill.waitFor({ state: 'detached' })
    expect(await page.locator('tbody tr').nth(2).locator('td:nth-child(3)').innerText()).toBe(before)
  })

  it('E39 renders names, inputs, errors and notes as text', async () => {
    const broken = await run(
      studio,
      'markup',
      { note: markupText, deep: [{ html: markupText }] },
      markupText.slice(0, 60),
    )
    for (const at of [
      '/',
      '/instances',
      `/instances/${broken.id}?tab=data&step=a`,
      `/instances/${broken.id}?tab=journal`,
      '/definitions',
      '/definitions/markup',
      '/incidents',
    ]) {
      await page.goto(studio.url + at)
      await page.waitForFunction(() => document.querySelector('main h1') && !document.querySelector('[aria-busy=true]'))
      expect(await page.locator('main img[src="x"]').count()).toBe(0)
    }
    await page.goto(`${studio.url}/instances/${broken.id}?step=a`)
    await page.getByTestId('step-panel').getByText('<img src=x', { exact: false }).first().waitFor()
    expect(await page.evaluate(() => (globalThis as { hacked?: number }).hacked)).toBeUndefined()
  })

  it('E34 makes a link for somebody without an account, which works once and then says so', async () => {
    await studio.api('PUT', '/workflow-definitions/asks', {
      id: 'asks',
      activities: [
        { id: 'ask', type: 'human-task', inputs: { title: 'Approve it?', outcomes: ['approve', 'reject'] } },
        { id: 'out', type: 'set-output', inputs: { name: 'answer', value: { $expr: 'steps.ask.output.outcome' } } },
      ],
      connections: ['approve', 'reject'].map((outcome) => ({ from: 'ask', outcome, to: 'out' })),
    })
    const waiting = await run(studio, 'asks', {})
    await page.goto(`${studio.url}/instances/${waiting.id}?tab=waits`)
    await page.getByRole('button', { name: 'Make a link…' }).click()
    await page.getByRole('button', { name: 'Make the link' }).click()
    const link = (await page.getByTestId('made-link').getAttribute('href'))!
    expect(link.startsWith(`${studio.url}/resume/`)).toBe(true)
    await page.getByRole('button', { name: 'I have it' }).click()
    expect(await page.content()).not.toContain(link)

    // Somebody else: nothing of this browser is known there, and no script runs.
    const other = await openContext(browser, { javaScriptEnabled: false })
    const person = await other.newPage()
    await person.goto(link)
    await person.getByRole('button', { name: 'Approve' }).click()
    await person.getByRole('heading', { name: 'Thank you' }).waitFor()
    await page.locator('header [data-status="completed"]').waitFor()
    expect((await studio.api('GET', `/workflow-instances/${waiting.id}`)).output).toEqual({ answer: 'approve' })
    await person.goto(link)
    await person.getByRole('heading', { name: 'already used' }).waitFor()
    await other.close()
  })

  it('resumes by hand what an instance waits for, and says who was faster', async () => {
    const waiting = await run(studio, 'order', { amount: 5_000 })
    await page.goto(`${studio.url}/instances/${waiting.id}?tab=waits`)
    await page.getByRole('button', { name: 'Resume…' }).click()
    await studio.api('POST', `/workflow-instances/${waiting.id}/resume`, { bookmark: 'approved', payload: {} })
    await page.getByRole('dialog').getByRole('button', { name: 'Resume', exact: true }).click()
    await page.getByTestId('resume-error').waitFor()
  })
})
