import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { keepPicture } from './keep-picture.ts'
import { openBrowser, openContext, SharedPage } from './open-browser.ts'
import { openStudioCluster, type Studio } from './open-studio.ts'
import { seriousFaultsInBoth } from './serious-faults.ts'
import { markupText, publishAll, run } from './workflows.ts'

let studio: Studio
let browser: Browser
let page: Page
beforeAll(async () => {
  browser = await openBrowser()
  studio = await openStudioCluster('/x/y')
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
    expect(await card.innerText()).toContain('attempt 2')

    await card.getByRole('button', { name: 'Retry with other values…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Retry from Charge the card' })
    await dialog.getByLabel('Card', { exact: true }).fill('valid')
    await dialog.getByText('Changes card').waitFor()
    await dialog.getByRole('button', { name: 'Retry' }).click()
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

    await page.getByRole('button', { name: 'Fork from here…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Fork from fact 2' })
    await dialog.getByRole('button', { name: 'Fork', exact: true }).click()
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
    const long = await run(studio, 'long', { items: Array.from({ length: 20_000 }, (_, index) => index) })
    expect(long.revision).toBeGreaterThan(20_000)
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

  it('shows how every step stands, now and then, however long the journal is, and saves all of it', async () => {
    const say = { id: 'say', type: 'log', inputs: { message: 'x', level: 'debug' } }
    await studio.api('PUT', '/workflow-definitions/longer', {
      id: 'longer',
      activities: [
        { id: 'first', name: 'First', type: 'log', inputs: { message: 'x' } },
        { id: 'each', type: 'for-each', inputs: { items: { $expr: 'input.items' } }, body: { activities: [say] } },
        { id: 'last', type: 'log', inputs: { message: 'x' } },
      ],
      connections: [
        { from: 'first', to: 'each' },
        { from: 'each', to: 'last' },
      ],
    })
    const long = await run(studio, 'longer', { items: Array.from({ length: 3_000 }, (_, index) => index) })
    await page.goto(`${studio.url}/instances/${long.id}?tab=journal`)
    await page.locator('[data-step="first"][data-status="completed"]').waitFor()
    await node('say').getByText('×3000').waitFor()

    // Far behind the newest facts: the first has ended, the loop goes on, the last has not begun.
    await page.goto(`${studio.url}/instances/${long.id}?at=300`)
    await page.locator('[data-step="each"][data-status="running"]').waitFor()
    expect(await node('first').getAttribute('data-status')).toBe('completed')
    expect(await node('last').getAttribute('data-status')).toBe('idle')
    await page.getByTestId('timeline').getByText('each[0].say').waitFor()

    // The timeline begins with the newest facts, says so, and goes back to the first one when somebody asks.
    await page.goto(`${studio.url}/instances/${long.id}`)
    const older = page.getByTestId('timeline-older')
    await older.getByText(`Drawn: the last 2,000 of ${long.revision.toLocaleString('en')} facts`).waitFor()
    expect(await page.getByTestId('timeline').getByText('First', { exact: true }).count()).toBe(0)
    await older.getByRole('button', { name: 'All' }).click()
    await older.waitFor({ state: 'detached' })
    await page.getByTestId('timeline').getByRole('button', { name: 'First Completed' }).click()
    await page.waitForURL((url) => url.searchParams.get('step') === 'first')
    expect(await page.getByRole('list', { name: 'Steps in time' }).getByRole('listitem').count()).toBeLessThan(100)

    await page.getByRole('tab', { name: /Journal/ }).click()
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'JSON' }).click()
    const facts = JSON.parse(await readFile(await (await saving).path(), 'utf8')) as { seq: number }[]
    expect([facts[0]?.seq, facts.at(-1)?.seq, facts.length]).toEqual([1, long.revision, long.revision])
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
    await page.getByText(/colour=red: use status/).waitFor()
  })

  it('peeks at a run without leaving the list, narrows rows, and hands out what fits', async () => {
    const faulted = await run(studio, 'payment', {}, 'to-peek')
    await page.goto(`${studio.url}/instances?correlation=to-peek`)
    await page.getByRole('button', { name: /^Peek at/ }).click()
    const peek = page.getByTestId('peek')
    await peek.getByText('The card is expired').waitFor()
    await peek.locator('[data-step="charge"][data-status="faulted"]').waitFor()
    expect(new URL(page.url()).searchParams.get('peek')).toBe(faulted.id)
    expect(await seriousFaultsInBoth(page)).toEqual([])
    await keepPicture(page, 'instances-peek')
    await page.getByRole('button', { name: 'Close' }).click()
    await peek.waitFor({ state: 'detached' })

    const height = () =>
      page
        .locator('tbody tr')
        .first()
        .evaluate((row) => row.getBoundingClientRect().height)
    const before = await height()
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('switch', { name: 'Narrow rows' }).click()
    await expect.poll(height).toBeLessThan(before)
    await page.getByRole('switch', { name: 'Narrow rows' }).click()
    await page.keyboard.press('Escape')

    for (const [item, name] of [
      ['As CSV, with the columns chosen', 'instances.csv'],
      ['As JSON Lines, whole', 'instances.jsonl'],
    ] as const) {
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Export' }).click()
      await page.getByRole('menuitem', { name: item }).click()
      const file = await download
      expect(file.suggestedFilename()).toBe(name)
      expect(await readFile(await file.path(), 'utf8')).toContain(faulted.id)
    }
  })

  it('has a tab for each kind of status, with how many there are, whatever else filters the list', async () => {
    for (const customerId of ['tab-1', 'tab-2']) await run(studio, 'order', { amount: 5, customerId })
    const { statuses } = await studio.api('GET', '/workflow-instances/counts?definition=order')
    const total = Object.values(statuses as Record<string, number>).reduce((sum, each) => sum + each, 0)
    await page.goto(`${studio.url}/instances?definition=order`)
    const tabs = page.getByRole('navigation', { name: 'Statuses' })
    await tabs.getByRole('link', { name: `All ${total}`, exact: true }).waitFor()
    await tabs.getByRole('link', { name: /^Completed \d+$/ }).click()
    await page.waitForURL((url) => url.searchParams.get('status') === 'completed')
    expect(new URL(page.url()).searchParams.get('definition')).toBe('order')
    const completed = await tabs.locator('[data-active="true"]').innerText()
    expect(completed.replace(/\D/g, '')).toBe(String(statuses.completed))
    await expect.poll(() => page.locator('tbody tr').count()).toBe(Math.min(50, statuses.completed))
    expect(await seriousFaultsInBoth(page)).toEqual([])
    // Nobody counts by members of the input.
    await page.goto(`${studio.url}/instances?input.customerId=tab-1`)
    await tabs.getByRole('link', { name: 'All', exact: true }).waitFor()
  })

  it('names the term that keeps most away, where nothing fits', async () => {
    await run(studio, 'order', { amount: 2 }, 'lonely')
    await page.goto(`${studio.url}/instances?correlation=lonely&status=terminated&definition=order`)
    const empty = page.getByTestId('instances-empty')
    await empty.getByText(/^status: terminated keeps most away: without it \d+ fits?\.$/).waitFor()
    await empty.getByRole('button', { name: 'Drop status: terminated' }).click()
    await page.getByTestId('instances-ready').waitFor()
    expect(await page.getByTestId('filter-chip').count()).toBe(2)
  })

  it('sets two runs side by side, step by step', async () => {
    const small = await run(studio, 'order', { amount: 10 })
    const large = await run(studio, 'order', { amount: 5_000 })
    await page.goto(`${studio.url}/instances/${small.id}?tab=compare`)
    await page.getByRole('combobox', { name: 'Compare with' }).fill(`see ${large.id}`)
    await page.waitForURL((url) => url.searchParams.get('with') === large.id)
    const row = (key: string) => page.locator(`[data-compared="${key}"]`)
    await row('big').getByText('Where it led').waitFor()
    await row('ask').getByText('Only there').waitFor()
    await row('total').getByText('Only here').waitFor()
    expect(await page.getByTestId('compared-count').innerText()).toBe('4 of 4 steps differ')
    expect(await seriousFaultsInBoth(page)).toEqual([])
    await keepPicture(page, 'instance-compare')
    await page.reload()
    await row('ask').waitFor()
  })

  it('looks inside the workflow that a step runs', async () => {
    await studio.api('PUT', '/workflow-definitions/outer', {
      id: 'outer',
      activities: [
        {
          id: 'inner',
          type: 'run-workflow',
          inputs: { definitionId: 'order', input: { amount: 9_000, customerId: 'x' } },
        },
      ],
    })
    const { id } = await studio.api('POST', '/workflow-instances', { definitionId: 'outer' })
    await page.goto(`${studio.url}/instances/${id}?step=inner`)
    const child = page.getByTestId('child-run')
    await child.locator('[data-status="suspended"]').first().waitFor()
    await child.getByRole('button', { name: 'Look inside' }).click()
    await child.locator('[data-step="ask"][data-status="suspended"]').waitFor()
    expect(await child.getByRole('link').first().getAttribute('href')).toContain('/instances/wfi_')
    await studio.api('POST', `/workflow-instances/${id}/terminate`, { reason: 'seen' })
  })

  it('E37 acts on all that match but two: a dry run counts them, and exactly those are touched', async () => {
    const before = await Promise.all(
      Array.from({ length: 60 }, (_, index) => run(studio, 'order', { amount: 9_000 }, `bulk-${index}`)),
    )
    const asked = 'status=suspended&definition=order'
    const inFlight = (await studio.api('GET', `/workflow-instances?${asked}&limit=200`)).items.length
    await page.goto(`${studio.url}/instances?${asked}`)
    await page.getByRole('checkbox', { name: 'Select this page' }).check()
    await page.getByRole('button', { name: 'Select all that match' }).click()
    const inOrder = before.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    const spared = inOrder.slice(-2)
    for (const { id } of spared)
      await page
        .locator('tr', { hasText: id.slice(-6) })
        .getByRole('checkbox')
        .uncheck()
    await page.getByText('All that match but 2').waitFor()
    const late = await run(studio, 'order', { amount: 9_000 }, 'came-late')
    await page.getByRole('toolbar', { name: 'Selected instances' }).getByRole('button', { name: 'Cancel' }).click()
    const count = await page.getByTestId('dry-run-count').innerText()
    expect(count).toBe(String(inFlight - 2))
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Cancel \d+ instances/ })
      .click()
    await page.waitForURL(/\/batches/)
    await page.locator('tr[data-selected="true"]').getByText('Done', { exact: true }).waitFor()
    const touched = inOrder.slice(0, -2)
    await page
      .getByTestId('batch-items-ready')
      .locator('tr', { hasText: touched[0]!.id.slice(-6) })
      .waitFor()
    for (const { id } of touched) {
      const { status } = await studio.api('GET', `/workflow-instances/${id}?wait=20s`)
      expect(status).toBe('cancelled')
    }
    for (const { id } of [...spared, late])
      expect((await studio.api('GET', `/workflow-instances/${id}`)).status).toBe('suspended')
  })

  it('ends all that match only when their number was typed, and says which are left as they are', async () => {
    const gone = await run(studio, 'order', { amount: 1 }, 'to-end')
    const ending = [await run(studio, 'order', { amount: 7_000 }, 'to-end')]
    for (let count = 0; count < 51; count += 1) ending.push(await run(studio, 'order', { amount: 7_000 }, 'to-end'))
    await page.goto(`${studio.url}/instances?correlation=to-end`)
    await page.getByRole('checkbox', { name: 'Select this page' }).check()
    await page.getByRole('button', { name: 'Select all that match' }).click()
    await page.getByRole('toolbar', { name: 'Selected instances' }).getByRole('button', { name: 'Terminate' }).click()
    const dialog = page.getByRole('dialog', { name: 'Terminate instances' })
    await dialog.getByTestId('dry-run-skipped').getByText('1 is left as it is: 1 completed.').waitFor()
    const end = dialog.getByRole('button', { name: 'Terminate 52 instances' })
    expect(await end.isDisabled()).toBe(true)
    await dialog.getByLabel('Type 52 to end that many instances').fill('52')
    await end.click()
    await page.waitForURL(/\/batches/)
    for (const { id } of ending)
      expect((await studio.api('GET', `/workflow-instances/${id}?wait=20s`)).status).toBe('terminated')
    expect((await studio.api('GET', `/workflow-instances/${gone.id}`)).status).toBe('completed')
  })

  it('deletes the chosen ones that have ended, and leaves the others as they are', async () => {
    const ended = [
      await run(studio, 'order', { amount: 1 }, 'to-go'),
      await run(studio, 'order', { amount: 2 }, 'to-go'),
    ]
    const open = await run(studio, 'order', { amount: 7_000 }, 'to-go')
    await page.goto(`${studio.url}/instances?correlation=to-go`)
    await page.getByRole('checkbox', { name: 'Select this page' }).check()
    await page.getByRole('toolbar', { name: 'Selected instances' }).getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete instances' })
    await dialog.getByTestId('dry-run-skipped').getByText('1 is left as it is').waitFor()
    await dialog.getByRole('button', { name: 'Delete 2 instances' }).click()
    await page.waitForURL(/\/batches/)
    for (const { id } of ended)
      await expect.poll(() => studio.api('GET', `/workflow-instances/${id}`).catch(() => 'gone')).toBe('gone')
    expect((await studio.api('GET', `/workflow-instances/${open.id}`)).status).toBe('suspended')
  })

  it('deletes an ended run for good, says what goes with it, and offers it for no other', async () => {
    const open = await run(studio, 'order', { amount: 7_000 })
    const item = page.getByRole('menuitem', { name: 'Delete' })
    await page.goto(`${studio.url}/instances/${open.id}`)
    await page.getByRole('button', { name: 'More' }).click()
    await item.waitFor()
    expect(await item.isDisabled()).toBe(true)

    const ended = await run(studio, 'order', { amount: 1 }, 'to-delete')
    await page.goto(`${studio.url}/instances/${ended.id}`)
    await page.getByRole('button', { name: 'More' }).click()
    await item.click()
    const dialog = page.getByRole('dialog', { name: 'Delete this instance' })
    await dialog.getByTestId('what-goes').getByText(`${ended.revision} facts`).waitFor()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(/\/instances$/)
    await page.goto(`${studio.url}/instances/${ended.id}`)
    await page.locator('[data-testid=missing-instance][data-kind=deleted]').getByText('was deleted').waitFor()
  })

  it('says what keeps an ended run from being deleted, before anybody confirms it', async () => {
    const held = await run(studio, 'order', { amount: 1 }, 'held')
    await studio.api('PUT', '/retention/holds', { instanceId: held.id, reason: 'Audit of the year' })
    await page.goto(`${studio.url}/instances/${held.id}`)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete this instance' })
    await dialog.getByText('Audit of the year').waitFor()
    expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
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

  it('lets people decide: a field for all that the form asks for, a button for each outcome', async () => {
    const form = {
      type: 'object',
      required: ['reason'],
      properties: { reason: { type: 'string', title: 'Why' }, amount: { type: 'number', default: 120 } },
    }
    const inputs = { title: 'Pay for lunch?', outcomes: ['approve', 'reject'], form }
    await studio.api('PUT', '/workflow-definitions/claims', {
      id: 'claims',
      activities: [
        { id: 'ask', type: 'human-task', inputs },
        { id: 'out', type: 'set-output', inputs: { name: 'answer', value: { $expr: 'steps.ask.output' } } },
      ],
      connections: ['approve', 'reject'].map((outcome) => ({ from: 'ask', outcome, to: 'out' })),
    })
    const answerOf = async (id: string) => (await studio.api('GET', `/workflow-instances/${id}?wait=20s`)).output.answer
    const dialog = page.getByRole('dialog', { name: 'Pay for lunch?' })

    const [first, second] = [await run(studio, 'claims', {}), await run(studio, 'claims', {})]
    await page.goto(`${studio.url}/instances/${first.id}?tab=waits`)
    await page.getByRole('button', { name: 'Decide…' }).click()
    await dialog.getByLabel('Amount').fill('many')
    await dialog.getByText('This is not a number yet').waitFor()
    await dialog.getByLabel('Amount').fill('80')
    await dialog.getByLabel('Why').fill('team lunch')
    await dialog.getByRole('button', { name: 'Reject' }).click()
    await page.locator('header [data-status="completed"]').waitFor()
    expect(await answerOf(first.id)).toMatchObject({ outcome: 'reject', data: { amount: 80, reason: 'team lunch' } })

    await page.goto(`${studio.url}/queues?tab=people`)
    const row = page.locator('tr', { hasText: second.id.slice(-6) })
    await row.getByRole('button', { name: 'Decide: Pay for lunch?' }).click()
    await dialog.getByLabel('Why').fill('fine')
    await dialog.getByRole('button', { name: 'Approve' }).click()
    await row.waitFor({ state: 'detached' })
    expect(await answerOf(second.id)).toMatchObject({ outcome: 'approve', data: { amount: 120, reason: 'fine' } })
  })

  it('asks for the input of a workflow with a form, and shows the same as JSON beside it', async () => {
    await page.goto(`${studio.url}/definitions/order`)
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Start a workflow' })
    await dialog.getByLabel('Amount').fill('12')
    await dialog.getByLabel('Customer id').fill('eve')
    const json = dialog.getByLabel('The same as JSON')
    expect(JSON.parse(await json.inputValue())).toEqual({ amount: 12, customerId: 'eve' })
    await json.fill('{ "amount": 13, "customerId": "eve", "more": true }')
    expect(await dialog.getByLabel('Amount').inputValue()).toBe('13')
    await dialog.getByLabel('Amount').fill('14')
    await dialog.getByRole('button', { name: 'Start', exact: true }).click()
    await page.waitForURL(/\/instances\/wfi_/)
    const id = new URL(page.url()).pathname.split('/').at(-1)!
    const { input } = await studio.api('GET', `/workflow-instances/${id}`)
    expect(input).toEqual({ amount: 14, customerId: 'eve', more: true })
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
