import { aptInstaller, locatorFor } from '@lockstep/testing/harness'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import type { TestContext } from 'vitest'

/** The same browser without windows comes first: the whole one draws its own tabs and menus beside each page, at the cost of half a processor. */
const PROGRAMS = ['chromium-headless-shell', 'chromium']

/** Debian's browser, installed where it is missing and that is possible. LOCKSTEP_TEST_CHROMIUM names another. */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.LOCKSTEP_TEST_CHROMIUM ?? (await findProgram()),
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    timeout: 120_000,
  })
}

async function findProgram(): Promise<string> {
  const locate = locatorFor(process.env.PATH)
  const found = (): string | undefined => PROGRAMS.map(locate).find((program) => program !== undefined)
  if (found() === undefined) {
    const installer = aptInstaller()
    const unable = installer.unable()
    if (unable !== undefined) throw new Error(`Chromium is not here, and ${unable}: set LOCKSTEP_TEST_CHROMIUM`)
    const progress = (text: string): void => void process.stderr.write(`${text}\n`)
    const packages = [PROGRAMS[0]!, 'fonts-inter', 'fonts-dejavu-core']
    await installer.install(packages, () => found() !== undefined, progress)
  }
  return found()!
}

/** LOCKSTEP_STUDIO_PATIENCE_MS: less, for whoever writes tests. */
const PATIENCE_MS = Number(process.env.LOCKSTEP_STUDIO_PATIENCE_MS ?? 80_000)

/** What a page shows late on a busy machine is waited for; a page that never shows it still fails its test. */
export async function openContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  context.setDefaultTimeout(PATIENCE_MS)
  context.setDefaultNavigationTimeout(PATIENCE_MS)
  return context
}

/** One page for all tests of a file: what it has read once it need not read again. After a test that failed there is a fresh one. */
export class SharedPage {
  readonly #browser: () => Browser
  #page: Page | undefined

  constructor(browser: () => Browser) {
    this.#browser = browser
  }

  async open(): Promise<Page> {
    this.#page ??= await (await openContext(this.#browser(), { viewport: { width: 1440, height: 900 } })).newPage()
    return this.#page
  }

  async ended({ task }: TestContext): Promise<void> {
    if (task.result?.state !== 'fail') return
    await this.#page?.context().close()
    this.#page = undefined
  }
}
