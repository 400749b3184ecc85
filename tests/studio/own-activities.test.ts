import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, openContext } from './open-browser.ts'
import { openStudio } from './open-studio.ts'

const image =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24"><rect width="9" height="9"/></svg>'
const docs = '# Money\n\nIt **never** asks twice <img src=x onerror="window.hacked=1">\n\n- first\n- second'
/** Without the package, which takes long to load. */
const module = (title: string): string =>
  `export const activity = ${JSON.stringify({
    ...{ type: 'charge-card', kind: 'action', title, description: 'Takes money from a card.', category: 'Payment' },
    ...{ icon: `data:image/svg+xml;base64,${Buffer.from(image).toString('base64')}`, docs },
    ...{ inputs: { type: 'object', properties: { card: { type: 'string' } } }, outcomes: ['done'], runs: 'effect' },
  }).slice(0, -1)}, run: () => ({ kind: 'completed', outcome: 'done', output: {} }) }`
const named = `export const activity = { type: 'ship-it', kind: 'action', title: 'Ship it', description: 'Sends a parcel.',
  icon: 'truck', inputs: { type: 'object' }, outcomes: ['done'], runs: 'effect', run: () => ({ kind: 'completed', outcome: 'done', output: {} }) }`

let studio: Awaited<ReturnType<typeof openStudio>>
let browser: Browser
beforeAll(async () => {
  ;[browser, studio] = await Promise.all([
    openBrowser(),
    openStudio(
      '/x/y',
      { LOCKSTEP_WATCH: 'on' },
      {
        'package.json': '{ "type": "module" }',
        'charge-card.mjs': module('Charge card'),
        'ship-it.mjs': named,
        'lockstep.config.json': JSON.stringify({ activities: ['./charge-card.mjs', './ship-it.mjs'] }),
      },
    ),
  ])
})
afterAll(async () => {
  await browser?.close()
  await studio?.[Symbol.asyncDispose]()
})

describe('activities of one’s own in the designer', { timeout: 240_000, retry: 1 }, () => {
  it('have their icon and their documentation, as text, and their new title when their file changes', async () => {
    writeFileSync(path.join(studio.folder, 'charge-card.mjs'), module('Charge card'))
    await fetch(`${studio.url}/api/v1/workflow-definitions/own/draft`, { method: 'DELETE' })
    await studio.api('POST', '/workflow-definitions', {
      id: 'own',
      activities: [
        { id: 'charge', type: 'charge-card', inputs: { card: '1' } },
        { id: 'ship', type: 'ship-it' },
      ],
      connections: [{ from: 'charge', to: 'ship' }],
    })
    const page = await (await openContext(browser)).newPage()
    await page.goto(`${studio.url}/definitions/own/design`)
    const item = page.locator('[data-type="charge-card"]')
    await item.getByText('Charge card').waitFor()
    const shown = page.locator('[data-step="charge"] img').first()
    expect(await shown.getAttribute('src')).toMatch(/^data:image\/svg\+xml;base64,/)
    // The policy of the page lets it be drawn.
    await expect.poll(() => shown.evaluate((each) => (each as HTMLImageElement).naturalWidth)).toBeGreaterThan(0)
    await page.locator('[data-step="ship"] .lucide-truck').first().waitFor()
    await page.locator('[data-step="charge"]').first().click()
    await page.getByRole('tab', { name: 'Docs' }).click()
    const panel = page.getByRole('tabpanel', { name: 'Docs' })
    await panel.locator('strong', { hasText: 'never' }).waitFor()
    await panel.locator('li', { hasText: 'second' }).waitFor()
    expect(await panel.innerText()).toContain('<img src=x onerror="window.hacked=1">')
    expect(await panel.locator('img').count()).toBe(0)

    writeFileSync(path.join(studio.folder, 'charge-card.mjs'), module('Charge a card'))
    await item.getByText('Charge a card').waitFor()
    // What is open stays as it is.
    expect(await page.getByRole('tab', { name: 'Docs' }).getAttribute('aria-selected')).toBe('true')
    await page.context().close()
  })
})
