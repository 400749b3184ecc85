import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { keepPicture } from './keep-picture.ts'
import { openBrowser, SharedPage } from './open-browser.ts'
import { openStudio } from './open-studio.ts'
import { seriousFaultsInBoth } from './serious-faults.ts'
import { publishAll, run } from './workflows.ts'

const face = new URL('../../packages/lockstep/bundle/index.js', import.meta.url).href

/** The second step of one says how far it is; it, and the step of the other, end when the file that their input names is there. */
const config = `import { existsSync } from 'node:fs'
import { defineConfig, workflow } from ${JSON.stringify(face)}
const shipment = workflow('shipment', async (ctx, input) => {
  const parcel = await ctx.step('pack', async () => ({ order: input.order, parcels: 2 }))
  const weight = await ctx.step('weigh', async (scope) => {
    scope.progress({ done: 3, total: 4, note: 'on the scales' })
    while (!existsSync(input.gate)) await new Promise((next) => setTimeout(next, 50))
    return { kilos: 12 }
  })
  return { ...parcel, ...weight }
})
const ledger = workflow('ledger', async (ctx, input) =>
  ctx.step('write', async () => {
    while (!existsSync(input.gate)) await new Promise((next) => setTimeout(next, 50))
  }, { lock: 'ledger' }))
export default defineConfig({ workflows: [shipment, ledger] })`

let studio: Awaited<ReturnType<typeof openStudio>>
let browser: Browser
let page: Page
beforeAll(async () => {
  ;[browser, studio] = await Promise.all([
    openBrowser(),
    openStudio('/x/y', {}, { 'package.json': '{ "type": "module" }', 'lockstep.config.mjs': config }),
  ])
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

const instance = (id: string) => studio.api('GET', `/workflow-instances/${id}`)

describe('one instance', { timeout: 240_000, retry: 1 }, () => {
  it('of a function shows its steps in time, how far one is, the journal, input and output', async () => {
    const gate = path.join(studio.folder, `gate-${Date.now()}`)
    const { id } = await studio.api('POST', '/workflow-instances', {
      definitionId: 'shipment',
      input: { order: 'A-7', gate },
    })
    await page.goto(`${studio.url}/instances/${id}`)
    await page.getByRole('heading', { name: /^shipment/ }).waitFor()
    const timeline = page.getByTestId('timeline')
    await timeline.getByRole('button', { name: /^pack/ }).click()
    const panel = page.getByTestId('step-panel')
    await panel.getByText('parcels: 2').waitFor()
    expect(await page.locator('[data-step]').count()).toBe(0)

    // A step that has written nothing yet is known by what it says.
    await page.goto(`${studio.url}/instances/${id}?step=weigh`)
    await panel.getByTestId('step-progress').getByText('75 % · 3 of 4 · on the scales').waitFor()
    expect(await panel.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('75')

    writeFileSync(gate, '')
    await page.locator('header [data-status="completed"]').waitFor()
    await timeline.getByRole('button', { name: /^weigh/ }).waitFor()
    await panel.getByText('kilos: 12').waitFor()
    await panel.getByTestId('step-progress').waitFor({ state: 'detached' })
    expect(await seriousFaultsInBoth(page)).toEqual([])
    await keepPicture(page, 'function')
    await page.emulateMedia({ colorScheme: 'light' })

    await page.getByRole('tab', { name: /Journal/ }).click()
    await page.locator('[data-fact]').filter({ hasText: 'ended' }).waitFor()
    expect(await page.locator('[data-fact]').filter({ hasText: 'completed' }).count()).toBeGreaterThanOrEqual(2)
    await page.getByRole('tab', { name: 'Data' }).click()
    const data = page.getByTestId('data')
    await data.getByText('order: "A-7"').first().waitFor()
    await data.getByText('kilos: 12').waitFor()
  })

  it('is forked with another input, and knows its copies and who asked for them', async () => {
    const original = await run(studio, 'order', { amount: 10, customerId: 'cy' })
    await page.goto(`${studio.url}/instances/${original.id}?at=1`)
    await page.getByRole('heading', { name: /^Order approval/ }).waitFor()
    await page.getByRole('button', { name: 'Fork from here…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Fork from fact 1' })
    await dialog.getByLabel('Amount').fill('77')
    await dialog.getByRole('button', { name: 'Fork', exact: true }).click()
    await page.waitForURL((url) => url.pathname.includes('wfi_') && !url.pathname.endsWith(original.id))
    const copy = new URL(page.url()).pathname.split('/').at(-1)!
    const ended = await studio.api('GET', `/workflow-instances/${copy}?wait=20s`)
    expect([ended.input, ended.output]).toEqual([{ amount: 77, customerId: 'cy' }, { total: 77 }])
    expect((await instance(original.id)).input).toEqual({ amount: 10, customerId: 'cy' })

    await page.goto(`${studio.url}/instances/${original.id}?tab=relations`)
    await page.getByTestId('forks-ready').getByRole('link').click()
    await page.waitForURL((url) => url.pathname.endsWith(copy))
    await page.goto(`${studio.url}/instances/${original.id}?tab=audit`)
    const audit = page.getByTestId('instance-audit-ready')
    await audit.getByText('Fork workflow instance').waitFor()
    await audit.getByText('Start workflow instance').waitFor()
    await audit.getByRole('link', { name: 'Fork workflow instance' }).click()
    await page.getByTestId('audit-panel').getByText(original.id).waitFor()
  })

  it('gets other values for its variables while it waits', async () => {
    const waiting = await run(studio, 'order', { amount: 5_000 })
    await page.goto(`${studio.url}/instances/${waiting.id}?tab=data`)
    await page.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change variables' })
    const change = dialog.getByRole('button', { name: 'Change', exact: true })
    expect(await change.isDisabled()).toBe(true)
    await dialog.getByLabel('Attempts', { exact: true }).fill('41')
    await dialog.getByText('Changes attempts').waitFor()
    await change.click()
    await page.getByTestId('variables').getByText('attempts: 41').waitFor()
    await studio.api('POST', `/workflow-instances/${waiting.id}/resume`, { bookmark: 'approved', payload: {} })
    await page.getByTestId('variables').getByText('attempts: 42').waitFor()
    await page.locator('header [data-status="completed"]').waitFor()
    expect(await page.getByRole('button', { name: 'Change…' }).getAttribute('aria-disabled')).toBe('true')
  })

  it('folds the time in which it waited, says where now is, and can be zoomed', async () => {
    const waiting = await run(studio, 'order', { amount: 5_000 })
    await page.goto(`${studio.url}/instances/${waiting.id}`)
    await page.getByTestId('timeline-now').waitFor()
    const timeline = page.getByTestId('timeline')
    const folds = timeline.locator('[data-kind="fold"]')
    await folds.first().waitFor({ state: 'attached' })
    await timeline.getByRole('switch', { name: 'Fold idle time' }).press('Space')
    await folds.first().waitFor({ state: 'detached' })
    const steps = timeline.getByRole('list', { name: 'Steps in time' })
    const width = async (): Promise<number> => (await steps.boundingBox())!.width
    const before = await width()
    await timeline.getByRole('button', { name: 'Zoom in' }).click()
    await expect.poll(width).toBeCloseTo(before * 2, -1)
    await timeline.getByRole('button', { name: 'Zoom out' }).click()
    await expect.poll(width).toBeCloseTo(before, -1)
    expect(await seriousFaultsInBoth(page)).toEqual([])

    await studio.api('POST', `/workflow-instances/${waiting.id}/resume`, { bookmark: 'approved', payload: {} })
    await page.getByTestId('timeline-now').waitFor({ state: 'detached' })
  })

  it('stands in line for a lock of its step, and the list of locks counts it', async () => {
    const gate = path.join(studio.folder, `gate-${Date.now()}`)
    const started: string[] = []
    for (let count = 0; count < 3; count += 1)
      started.push((await studio.api('POST', '/workflow-instances', { definitionId: 'ledger', input: { gate } })).id)
    await page.goto(`${studio.url}/locks`)
    await page.locator('tr', { hasText: 'ledger' }).getByText('2 instances waiting').waitFor()
    expect((await studio.api('GET', '/locks/ledger')).waitingInstances).toBe(2)
    const blocked = await Promise.all(
      started.map(async (id) => (await studio.api('GET', `/workflow-instances/${id}/why`)).blockers[0]),
    )
    expect(blocked.filter((each) => each?.key === 'ledger' && each.kind === 'lock')).toHaveLength(2)
    writeFileSync(gate, '')
    for (const id of started)
      expect((await studio.api('GET', `/workflow-instances/${id}?wait=30s`)).status).toBe('completed')
  })

  it('says on the graph which lock a step waits for, and in its head who holds it with which fence', async () => {
    const lock = `desk-${Date.now()}`
    const ask = { id: 'ask', type: 'wait-for-event', inputs: { event: 'never' } }
    const section = { id: 'in', type: 'critical-section', inputs: { lock }, body: { activities: [ask] } }
    await studio.api('PUT', '/workflow-definitions/desk', { id: 'desk', activities: [section] })
    const started = async (): Promise<string> =>
      (await studio.api('POST', '/workflow-instances', { definitionId: 'desk' })).id
    const first = await started()
    await expect.poll(async () => (await studio.api('GET', `/locks/${lock}`)).state).toBe('held')
    const second = await started()
    await page.goto(`${studio.url}/instances/${second}`)
    await page.locator('[data-step="in"]').getByText(`lock ${lock}`).waitFor()
    // It asks for the lock again and again, and is in hand then: what the head says of that moment is told by the server.
    await page.route(/\/api\/v1\/workflow-instances\/wfi_[^/]+(\/why)?$/, async (route) => {
      const answer = await route.fetch().then(
        (response) => response.json(),
        () => undefined,
      )
      if (answer === undefined) return
      const nodeId = 'nod_01900000-0000-7000-8000-000000000000'
      const held = { heldBy: { nodeId, name: 'node-a', claimNo: 7, alive: true, silentMs: 1 } }
      await route.fulfill({ json: { ...answer, ...(route.request().url().endsWith('/why') ? held : { nodeId }) } })
    })
    await page.reload()
    await page.getByTestId('fence').getByText('7', { exact: true }).waitFor()
    await page.getByTestId('fence').getByRole('link', { name: 'Lock' }).waitFor()
    expect(await seriousFaultsInBoth(page)).toEqual([])
    await page.unroute(/\/api\/v1\/workflow-instances\/wfi_[^/]+(\/why)?$/)
    for (const id of [first, second])
      await studio.api('POST', `/workflow-instances/${id}/terminate`, { reason: 'seen' })
  })

  it('says of an instance that is not there what became of it', async () => {
    const kind = page.getByTestId('missing-instance')
    await page.goto(`${studio.url}/instances/wfi_01890000-8e45-70dd-8f6c-5b234ea287f3`)
    await kind.and(page.locator('[data-kind="perhaps"]')).getByText('would have been made').waitFor()
    await page.goto(`${studio.url}/instances/wfi_01890000-8e45-40dd-8f6c-5b234ea287f3`)
    await kind.and(page.locator('[data-kind="never"]')).waitFor()
    await studio.api('PUT', '/workflow-definitions/gone', {
      ...{ id: 'gone', activities: [{ id: 'say', type: 'log', inputs: { message: 'gone' } }] },
    })
    const { id } = await studio.api('POST', '/workflow-instances', { definitionId: 'gone', wait: '30s' })
    await studio.api('PUT', '/retention/rules', { definitionId: 'gone', status: 'completed', keep: 0 })
    await expect
      .poll(async () => {
        await studio.api('POST', '/retention/sweep').catch(() => undefined) // another one may be under way
        return (await fetch(`${studio.url}/api/v1/workflow-instances/${id}`)).status
      })
      .toBe(404)
    await page.goto(`${studio.url}/instances/${id}`)
    await kind.and(page.locator('[data-kind="deleted"]')).getByText('the audit log speaks of it').waitFor()
    await page.getByText('This instance has been deleted').waitFor()
    await kind.getByRole('link', { name: 'rules of retention' }).click()
    await page.waitForURL(/\/settings\?tab=retention/)
  })
})
