import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, it } from 'vitest'
import { until } from '../faults/until.ts'
import { openBrowser, openContext } from '../studio/open-browser.ts'
import { openStudio, type Studio } from '../studio/open-studio.ts'

let browser: Browser
let studio: Studio
beforeAll(async () => {
  browser = await openBrowser()
  studio = await openStudio('/a/b')
  const activities = [{ id: 'a', type: 'log', inputs: { message: 'x' } }]
  await studio.api('PUT', '/workflow-definitions/seen', { id: 'seen', activities })
})
afterAll(async () => {
  await browser?.close()
  await studio?.[Symbol.asyncDispose]()
})

const streams = async (): Promise<number> => {
  const text = await (await fetch(`${studio.url}/metrics`)).text()
  return Number(/^lockstep_live_streams (\d+)$/m.exec(text)?.[1])
}

it('Studio lives by the stream, one for all tabs, and closes it while it is paused', async () => {
  const context = await openContext(browser)
  const pages = [await context.newPage(), await context.newPage()]
  for (const page of pages) await page.goto(`${studio.url}/instances`)
  for (const page of pages) await page.locator('[data-testid=live-switch][data-mode=stream]').waitFor()
  await until('there is one stream', async () => (await streams()) === 1, 60_000)

  const { id } = await studio.api('POST', '/workflow-instances', { definitionId: 'seen', wait: '60s' })
  for (const page of pages) {
    await page.bringToFront() // a tab that nobody sees reads nothing
    await page.locator(`a[href*="${id}"]`).first().waitFor()
  }

  for (const page of pages) {
    await page.bringToFront()
    await page.getByTestId('live-switch').click()
    await page.locator('[data-testid=live-switch][data-mode=paused]').waitFor()
  }
  await until('the stream is closed', async () => (await streams()) === 0, 60_000)
  await pages[0]!.getByTestId('live-switch').click()
  await pages[0]!.locator('[data-testid=live-switch][data-mode=stream]').waitFor()
  await until('there is one stream', async () => (await streams()) === 1, 60_000)
  await context.close()
})
