import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { keepPicture } from './keep-picture.ts'
import { openBrowser, SharedPage } from './open-browser.ts'
import { openStudio, type Studio } from './open-studio.ts'
import { seriousFaultsInBoth } from './serious-faults.ts'

let studio: Studio
let browser: Browser
let page: Page
beforeAll(async () => {
  browser = await openBrowser()
  studio = await openStudio('/x/y')
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

/** A workflow whose only step fails; each version says the same. */
const publish = (id: string, note = ''): Promise<unknown> =>
  studio.api('PUT', `/workflow-definitions/${id}`, {
    ...{ id, name: `The workflow ${id}`, description: note },
    activities: [{ id: 'charge', type: 'fault', inputs: { message: `The bank of ${id} is closed` } }],
  })
const fail = (definitionId: string): Promise<unknown> =>
  studio.api('POST', '/workflow-instances', { definitionId, wait: '30s' })

/** Another one for each try. */
let tries = 0
const named = (name: string): string => `${name}-${++tries}`

const card = (id: string) => page.getByTestId('incident-group').filter({ hasText: `The bank of ${id} is closed` })
const lookAfter = async (id: string, verb: string): Promise<void> => {
  await card(id).getByRole('button', { name: 'Look after' }).click()
  await page.getByRole('menuitem', { name: verb, exact: true }).click()
}

describe('incidents that are alike', { timeout: 240_000, retry: 1 }, () => {
  it('are acknowledged and assigned, for everybody to see', async () => {
    const id = named('seen')
    await publish(id)
    for (const _ of [1, 2]) await fail(id)
    await page.goto(`${studio.url}/incidents`)
    await card(id).getByText('version 1').waitFor()
    await card(id).getByRole('img', { name: '2 came in the last hour' }).waitFor()
    await card(id).getByText('last hour').waitFor()
    await lookAfter(id, 'Acknowledge')
    await card(id).locator('[data-care="acknowledged"]').getByText('Acknowledged').waitFor()
    await lookAfter(id, 'Assign to somebody…')
    await page.getByRole('dialog').getByLabel('Person').fill('ana')
    await page.getByRole('dialog').getByLabel('Note').fill('She knows the bank')
    await page.getByRole('dialog').getByRole('button', { name: 'Assign' }).click()
    await card(id).getByText('Assigned to ana').waitFor()
    await card(id).getByText('She knows the bank').waitFor()
    await fail(id)
    await card(id).getByText('failed again since').waitFor()
    expect(await seriousFaultsInBoth(page)).toEqual([])
    await page.goto(studio.url)
    await page.locator('[data-attention="incident"]', { hasText: id }).getByText('ana sees to it').waitFor()
    const { items } = await studio.api('GET', '/audit-log?operation=tendIncidents&limit=10')
    expect(items[0]).toMatchObject({
      ...{ reason: 'She knows the bank', before: { assignee: null }, after: { assignee: 'ana' } },
    })
    await page.goto(`${studio.url}/incidents`)
    await lookAfter(id, 'Assign to nobody')
    await card(id).locator('[data-care="assigned"]').waitFor({ state: 'detached' })
  })

  it('are quiet while they are muted, until a version fails that was published later', async () => {
    const id = named('quiet')
    await publish(id)
    await fail(id)
    await page.goto(`${studio.url}/incidents`)
    await lookAfter(id, 'Mute…')
    await page.getByRole('dialog').getByLabel('Note').fill('The bank mends it')
    await page.getByRole('dialog').getByRole('button', { name: 'Mute' }).click()
    const muted = page.getByTestId('muted-incidents')
    await muted.filter({ hasText: `The bank of ${id} is closed` }).waitFor()
    await muted.getByText(/Muted, comes back\s+in/).waitFor()
    expect(await seriousFaultsInBoth(page)).toEqual([])
    await keepPicture(page, 'incidents-care')
    const asked = page.waitForResponse((response) => response.url().includes('/incidents/groups?limit=6&muted=false'))
    await page.goto(studio.url)
    await asked
    await page.getByTestId('attention-ready').or(page.getByTestId('attention-empty')).waitFor()
    expect(await page.getByText(`The bank of ${id} is closed`).count()).toBe(0)
    await fail(id)
    await publish(id, 'Another bank')
    await page.goto(`${studio.url}/incidents`)
    await muted.getByText('2', { exact: true }).waitFor()
    await fail(id)
    await card(id).getByText('versions 1 and 2').waitFor()
    await expect.poll(() => muted.filter({ hasText: id }).count()).toBe(0)
    await page.goto(studio.url)
    await page.locator('[data-attention="incident"]', { hasText: `The bank of ${id} is closed` }).waitFor()
  })

  it('name the version that they began with, and tell what was resolved last when none is left', async () => {
    const id = named('changed')
    await studio.api('PUT', `/workflow-definitions/${id}`, {
      id,
      name: id,
      activities: [{ id: 'charge', type: 'log', inputs: { message: 'paid' } }],
    })
    await fail(id)
    await publish(id)
    await fail(id)
    await page.goto(`${studio.url}/incidents`)
    await card(id).getByText('Began with version 2: version 1 ran without it').waitFor()
    await keepPicture(page, 'incidents-began')
    const { items } = await studio.api('GET', '/incidents/groups')
    for (const { fingerprint } of items) await studio.api('POST', '/incidents/resolve-alike', { fingerprint })
    await page.getByTestId('incidents-empty').getByText('No open incidents').waitFor()
    await page
      .getByTestId('last-resolved')
      .getByText(/The bank of .* is closed/)
      .waitFor()
    expect(await seriousFaultsInBoth(page)).toEqual([])
  })
})
