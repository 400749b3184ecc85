import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { keepPicture as keep } from './keep-picture.ts'
import { openBrowser, SharedPage } from './open-browser.ts'
import { openStudioCluster, type StudioCluster } from './open-studio.ts'
import { seriousFaultsInBoth } from './serious-faults.ts'
import { publishAll } from './workflows.ts'

let studio: StudioCluster
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

const keepPicture = (name: string): Promise<void> => keep(page, name)

describe('schedules in Studio', { timeout: 240_000, retry: 1 }, () => {
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
    await expect.poll(() => making.getByTestId('schedule-preview').locator('li').count()).toBe(10)
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

  it('pauses and resumes many schedules, all of them for maintenance, and leaves out the next run of one', async () => {
    const target = { definitionId: 'parcels', input: { parcels: [] } }
    for (const [id, trigger] of [
      ['lane-a', { cron: '0 */2 * * *', zone: 'UTC' }],
      ['lane-b', { interval: '15m' }],
      ['lane-c', { interval: '20s' }],
    ] as const) {
      await fetch(`${studio.url}/api/v1/schedules/${id}`, { method: 'DELETE' })
      await studio.api('POST', '/schedules', { id, trigger, ...target })
    }
    const paused = async (id: string): Promise<boolean> => (await studio.api('GET', `/schedules/${id}`)).paused
    await page.goto(`${studio.url}/schedules`)
    for (const id of ['lane-a', 'lane-b']) await page.getByRole('checkbox', { name: `Select ${id}` }).check()
    const bar = page.getByRole('toolbar', { name: 'Selected schedules' })
    await bar.getByRole('button', { name: 'Pause 2' }).click()
    await expect.poll(async () => [await paused('lane-a'), await paused('lane-b')]).toEqual([true, true])
    expect(await paused('lane-c')).toBe(false)
    await bar.waitFor({ state: 'detached' })
    await page.getByRole('checkbox', { name: 'Select lane-a' }).check()
    await bar.getByRole('button', { name: 'Resume 1' }).click()
    await expect.poll(() => paused('lane-a')).toBe(false)

    // What was paused before stays so when the rest is taken up again.
    await page.getByRole('button', { name: 'Pause all…' }).click()
    await page.getByTestId('pause-all-count').waitFor()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Pause \d+ schedules/ })
      .click()
    const active = async (): Promise<number> => (await studio.api('GET', '/schedules?paused=false')).items.length
    await expect.poll(active).toBe(0)
    await page.getByRole('button', { name: /^Resume the \d+ paused/ }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Resume \d+ schedules/ })
      .click()
    await expect.poll(() => paused('lane-c')).toBe(false)
    await page.getByRole('button', { name: 'Pause all…' }).waitFor()
    expect(await paused('lane-b')).toBe(true)

    const fires = async (id: string): Promise<string[]> =>
      (await studio.api('GET', `/schedules/${id}/preview?count=3`)).items.map(({ at }: { at: string }) => at)
    const before = await fires('lane-a')
    await page.getByRole('button', { name: 'More for lane-a' }).click()
    await page.getByRole('menuitem', { name: 'Skip the next run…' }).click()
    await page.getByTestId('skipped-time').getByText('It fires next at').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Skip it' }).click()
    await expect.poll(async () => (await fires('lane-a'))[0]).toBe(before[1])
    await page.getByRole('button', { name: 'More for lane-a' }).click()
    await page.getByRole('menuitem', { name: 'Run with other input…' }).click()
    await page.getByRole('dialog').getByLabel('Input').fill('{ "parcels": [5] }')
    await page.getByRole('dialog').getByRole('button', { name: 'Run it' }).click()
    const asked = async (): Promise<number> =>
      (await studio.api('GET', '/schedules/lane-a/runs')).items.filter(
        ({ origin, state }: { origin: string; state: string }) => origin === 'request' && state === 'started',
      ).length
    await expect.poll(asked).toBeGreaterThanOrEqual(1) // those of a schedule that was deleted stay

    await page.getByText('Next 24 h', { exact: true }).click()
    await page.waitForURL(/view=day/)
    const lane = (id: string) => page.getByTestId('schedule-lanes').locator(`[data-schedule="${id}"]`)
    await lane('lane-a')
      .getByText(/^1[12] times$/)
      .waitFor()
    expect(await lane('lane-a').locator('line').count()).toBeGreaterThan(10)
    await lane('lane-b').getByText('paused', { exact: true }).waitFor()
    await lane('lane-c').getByText('over 150 times').waitFor()
    expect(await seriousFaultsInBoth(page)).toEqual([])
    await keepPicture('schedules-day')
    await page.getByText('Last 12 weeks', { exact: true }).click()
    await page.waitForURL(/view=weeks/)
    const heat = page.getByTestId('schedule-heat').locator('[data-schedule="lane-a"]')
    await heat.getByText(/^\d+ runs?, 0 failed$/).waitFor()
    expect(await heat.locator('i').last().getAttribute('title')).toMatch(/: [1-9]\d* runs?(, \d+ skipped)?$/)
    expect(await seriousFaultsInBoth(page)).toEqual([])
    await keepPicture('schedules-weeks')
    for (const id of ['lane-a', 'lane-b', 'lane-c']) await studio.api('DELETE', `/schedules/${id}`)
  })

  it('finds schedules by name and by the workflow that they start, with how their last run went', async () => {
    for (const [id, name] of [
      ['find-a', 'Nightly books'],
      ['find-b', 'Morning parcels'],
    ] as const) {
      await fetch(`${studio.url}/api/v1/schedules/${id}`, { method: 'DELETE' })
      const trigger = { cron: '0 3 * * *', zone: 'Europe/Berlin' }
      await studio.api('POST', '/schedules', { id, name, trigger, definitionId: 'parcels', input: { parcels: [] } })
    }
    await studio.api('POST', '/schedules/find-a/trigger', {})
    await page.goto(`${studio.url}/schedules?definition=parcels`)
    const row = (name: string) => page.getByRole('row').filter({ hasText: name })
    await row('Nightly books').getByText('Completed', { exact: true }).waitFor()
    await row('Morning parcels').getByText('never', { exact: true }).waitFor()
    await page.getByLabel('Name or id').fill('NIGHTLY')
    await page.waitForURL(/q=NIGHTLY/)
    await row('Morning parcels').waitFor({ state: 'detached' })
    await row('Nightly books').waitFor()
    await page.getByRole('button', { name: 'Starts parcels' }).click()
    await page.waitForURL((url) => !url.search.includes('definition='))
    await row('Nightly books').waitFor()
    await page.getByLabel('Name or id').fill('no such schedule')
    await page.getByText('No schedule is called that').waitFor()
    for (const id of ['find-a', 'find-b']) await studio.api('DELETE', `/schedules/${id}`)
  })
})
