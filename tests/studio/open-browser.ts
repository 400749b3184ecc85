import { aptInstaller, locatorFor } from '@lockstep/testing/harness'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'

/** Debian's browser, installed where it is missing and that is possible. LOCKSTEP_TEST_CHROMIUM names another. */
export async function openBrowser(): Promise<Browser> {
  const locate = locatorFor(process.env.PATH)
  const given = process.env.LOCKSTEP_TEST_CHROMIUM
  if (given === undefined && locate('chromium') === undefined) {
    const installer = aptInstaller()
    const unable = installer.unable()
    if (unable !== undefined) throw new Error(`Chromium is not here, and ${unable}: set LOCKSTEP_TEST_CHROMIUM`)
    const progress = (text: string): void => void process.stderr.write(`${text}\n`)
    await installer.install(
      ['chromium', 'fonts-inter', 'fonts-dejavu-core'],
      () => locate('chromium') !== undefined,
      progress,
    )
  }
  return chromium.launch({
    executablePath: given ?? locate('chromium')!,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    timeout: 120_000,
  })
}

/** What a page shows late on a busy machine is waited for; a page that never shows it still fails its test. */
export async function openContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(80_000)
  context.setDefaultNavigationTimeout(80_000)
  return context
}
