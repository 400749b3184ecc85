import { randomBytes } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { keepPicture } from './keep-picture.ts'
import { openBrowser, SharedPage } from './open-browser.ts'
import { openStudioCluster, type StudioCluster } from './open-studio.ts'
import { seriousFaultsInBoth } from './serious-faults.ts'
import { publishAll, run } from './workflows.ts'

const key = randomBytes(24).toString('base64url')
const password = randomBytes(12).toString('base64url')

let studio: StudioCluster
let browser: Browser
let page: Page
beforeAll(async () => {
  browser = await openBrowser()
  studio = await openStudioCluster('/x/y', {
    ...{ LOCKSTEP_AUTH: 'keys', LOCKSTEP_API_KEY: key },
    LOCKSTEP_SECRET_KEYS: randomBytes(32).toString('base64'),
  })
  await publishAll(studio)
  for (const role of ['viewer', 'admin']) await studio.api('POST', '/users', { name: role, password, role })
  await studio.api('PUT', '/workflow-definitions/guarded', {
    id: 'guarded',
    activities: [
      {
        id: 'section',
        type: 'critical-section',
        inputs: { lock: 'ledger', ttl: '30s' },
        body: { activities: [{ id: 'ask', type: 'wait-for-event', inputs: { event: 'done' } }] },
      },
    ],
  })
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

/** Opens a page as somebody; whoever is signed in already is not asked again. */
async function signIn(name: string, at = '/'): Promise<void> {
  const session = await page.context().request.get(`${studio.url}/api/v1/session`)
  const who = session.ok() ? ((await session.json()) as { readonly id: string }).id : undefined
  if (who === `user:${name}`) {
    await page.goto(studio.url + at)
    await page.getByTestId('user-menu').waitFor()
    return
  }
  await page.context().clearCookies()
  await page.goto(studio.url + at)
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByTestId('user-menu').waitFor()
}

describe('who is who in Studio', { timeout: 240_000, retry: 1 }, () => {
  it('signs in by password, shows the page that was wanted, and signs out', async () => {
    await page.goto(`${studio.url}/instances?status=faulted`)
    await page.getByLabel('Name', { exact: true }).waitFor()
    expect(await seriousFaultsInBoth(page)).toEqual([])
    await keepPicture(page, 'sign-in')
    await page.emulateMedia({ colorScheme: 'light' })
    await page.getByLabel('Name', { exact: true }).fill('admin')
    await page.getByLabel('Password', { exact: true }).fill('not this one')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.locator('.mantine-PasswordInput-error').waitFor()
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Instances' }).waitFor()
    expect(page.url()).toBe(`${studio.url}/instances?status=faulted`)
    // The stream is asked for anew by whoever has just signed in.
    await expect.poll(() => page.getByTestId('live-switch').getAttribute('data-mode')).toBe('stream')

    await page.reload()
    await page.getByRole('heading', { name: 'Instances' }).waitFor()
    await page.getByTestId('user-menu').click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Lockstep' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in to Lockstep' }).waitFor()

    await page.getByText('API key', { exact: true }).click()
    await page.getByLabel('API key').last().fill(key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Instances' }).waitFor()
    await page.getByTestId('user-menu').click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Lockstep' }).waitFor()
    // The way that was chosen is offered first the next time.
    await page.evaluate(() => localStorage.clear())
  })

  it('E07 shows a viewer what it may not do, with the reason; the API refuses it too', async () => {
    const faulted = await run(studio, 'payment', {})
    await signIn('viewer', `/instances/${faulted.id}`)
    const retry = page.getByRole('button', { name: 'Retry', exact: true })
    await expect.poll(() => retry.isDisabled()).toBe(true)
    await retry.hover()
    await page.getByText('Your role, viewer, may not do this. It asks for instances:operate.').waitFor()
    await retry.click({ force: true })
    expect(await page.getByRole('dialog').count()).toBe(0)
    const answer = await page.evaluate(async (address) => {
      const response = await fetch(address, { method: 'POST', credentials: 'include' })
      return [response.status, ((await response.json()) as { code: string }).code]
    }, `${studio.url}/api/v1/workflow-instances/${faulted.id}/retry`)
    expect(answer).toEqual([403, 'FORBIDDEN'])

    for (const at of ['/settings?tab=keys', '/settings?tab=users', '/audit']) {
      await page.goto(studio.url + at)
      await page.getByTestId('restricted').waitFor()
    }
    await page.goto(`${studio.url}/schedules`)
    await page.getByRole('heading', { name: 'Schedules' }).waitFor()
    await page.goto(`${studio.url}/breakers`)
    await expect.poll(() => page.getByRole('button', { name: 'Open one by hand…' }).isDisabled()).toBe(true)
    await page.goto(`${studio.url}/locks`)
    await expect.poll(() => page.getByRole('button', { name: 'Release stale locks…' }).isDisabled()).toBe(true)
    await page.goto(`${studio.url}/schedules`)
    await expect.poll(() => page.getByRole('button', { name: 'New schedule' }).isDisabled()).toBe(true)
    await page.goto(`${studio.url}/definitions/order/design`)
    const publish = page.getByRole('button', { name: 'Publish', exact: true })
    await expect.poll(() => publish.getAttribute('aria-disabled')).toBe('true')
    expect(await publish.getAttribute('aria-description')).toMatch(
      /^Your role, viewer, may not do this\. It asks for definitions:/,
    )
  })

  it('E50 shows a new key once; it works, and after its revocation it does not', async () => {
    await signIn('admin', '/settings?tab=keys')
    await page.getByRole('button', { name: 'New key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('for the shop')
    await dialog.getByRole('button', { name: 'Make the key' }).click()
    const made = await page.getByTestId('new-key').innerText()
    const headers = { authorization: `Bearer ${made}` }
    /** Of every node, not of whoever comes next. */
    const ask = () =>
      Promise.all(
        studio.nodes.map(async (url) => (await fetch(`${url}/api/v1/workflow-instances`, { headers })).status),
      )
    expect(await ask()).toEqual([200, 200, 200])
    await page.getByRole('button', { name: 'I have it' }).click()
    await page.reload()
    const row = page.locator('tr', { hasText: 'for the shop' })
    await row.getByText('Valid').waitFor()
    expect(await page.content()).not.toContain(made)
    await row.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await row.getByText('Revoked').waitFor()
    // Not too often: whoever comes with a wrong key again and again is told to wait.
    await expect.poll(ask, { interval: 700 }).toEqual([401, 401, 401])
  })

  it('changes the role of a user, which the audit log tells with before and after', async () => {
    await studio.api('POST', '/users', { name: 'bea', password, role: 'viewer' })
    await signIn('admin', '/settings?tab=users')
    await page.getByLabel('Role of bea').first().click()
    await page.getByRole('option', { name: 'operator' }).click()
    await page.getByText('Is operator. Sessions begin anew.').waitFor()
    await page.goto(`${studio.url}/audit?operation=changeUser`)
    await page.getByTestId('audit-ready').getByRole('button', { name: 'Change user' }).first().click()
    const panel = page.getByTestId('audit-panel')
    await panel.getByText('user:admin').waitFor()
    const told = (await panel.innerText()).replace(/\s+/g, ' ')
    expect(told).toMatch(/Before.*role: "viewer".*After.*role: "operator"/)
    expect(await page.getByTestId('audit-changes').locator('li').allInnerTexts()).toEqual([
      'role\n"viewer"\n"operator"',
    ])
    const download = page.waitForEvent('download')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    expect((await download).suggestedFilename()).toBe('audit.csv')
  })

  it('puts a secret that nobody reads again, gives it a new value, and takes it away', async () => {
    await signIn('admin', '/settings?tab=secrets')
    const dialog = page.getByRole('dialog')
    const values = [randomBytes(12).toString('base64url'), randomBytes(12).toString('base64url')]
    const told = async () => (await studio.api('GET', '/secrets')).items.map((each: object) => ({ ...each }))
    await page.getByRole('button', { name: 'New secret' }).click()
    await dialog.getByLabel('Name').fill('till-pin')
    const seal = dialog.getByRole('button', { name: 'Seal it' })
    await dialog.getByLabel('Value').fill('short')
    expect(await seal.isDisabled()).toBe(true)
    await dialog.getByLabel('Value').fill(values[0]!)
    await seal.click()
    const row = page.getByTestId('secret-row').filter({ hasText: 'till-pin' })
    await row.getByText('user:admin').waitFor()
    expect(await told()).toMatchObject([{ name: 'till-pin', revision: 1 }])
    await row.getByRole('button', { name: 'New value of till-pin' }).click()
    await dialog.getByLabel('Value').fill(values[1]!)
    await seal.click()
    await dialog.waitFor({ state: 'detached' })
    await row.getByRole('cell', { name: '2', exact: true }).waitFor()
    await page.reload()
    await row.waitFor()
    for (const value of values) {
      expect(await page.content()).not.toContain(value)
      expect(JSON.stringify(await studio.api('GET', '/audit-log?operation=setSecret'))).not.toContain(value)
    }
    expect(await seriousFaultsInBoth(page)).toEqual([])
    await row.getByRole('button', { name: 'Delete till-pin' }).click()
    await dialog.getByLabel('Type till-pin to go on').fill('till-pin')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByTestId('secrets-empty').waitFor()
    expect(await told()).toEqual([])

    await page.getByRole('tab', { name: 'Sign-in' }).click()
    await page.getByText('Keys and passwords').waitFor()
    await page.getByRole('tab', { name: 'Activity types' }).click()
    await page.getByLabel('Find an activity').fill('http-req')
    await page.getByRole('button', { name: 'http-request' }).click()
    await page.getByText('Inputs, as a JSON schema').waitFor()
    await page.keyboard.press('Escape')
  })

  it('E21 names who saved what goes out with a publish', async () => {
    const at = '/workflow-definitions/parcels/draft'
    await signIn('admin')
    const { draft, etag } = await studio.api('GET', at)
    const save = { ...draft, description: 'Changed by somebody' }
    const saved = await page.evaluate(
      async ({ address, etag, body }) => {
        const headers = { 'content-type': 'application/json', 'if-match': etag }
        const sent = { method: 'PUT', credentials: 'include', headers, body } as const
        return (await fetch(address, sent)).status
      },
      { address: `${studio.url}/api/v1${at}`, etag, body: JSON.stringify(save) },
    )
    expect(saved).toBe(200)
    await page.goto(`${studio.url}/definitions/parcels/design`)
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page
      .getByTestId('saved-by')
      .getByText(/^admin saved once/)
      .waitFor()
    await page.getByRole('button', { name: 'Not yet' }).click()
  })

  it('E44 takes a living lock only for a typed key and a reason, which the audit log has both', async () => {
    await studio.api('POST', '/workflow-instances', { definitionId: 'guarded', input: {} })
    await signIn('admin', '/locks')
    await page.getByTestId('locks-ready').getByRole('button', { name: 'ledger' }).click()
    await page.getByRole('button', { name: 'Take it from its holder…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Release ledger' })
    const release = dialog.getByRole('button', { name: 'Release' })
    await dialog.getByLabel('Reason').fill('Its worker hangs')
    expect(await release.isDisabled()).toBe(true)
    await dialog.getByLabel('Type ledger to go on').fill('ledge')
    expect(await release.isDisabled()).toBe(true)
    await dialog.getByLabel('Type ledger to go on').fill('ledger')
    await release.click()
    await page.getByText('1 lease was ended').waitFor()
    const [entry] = (await studio.api('GET', '/audit-log?operation=releaseLock')).items
    expect(entry).toMatchObject({ target: 'ledger', reason: 'Its worker hangs', actor: { id: 'user:admin' } })
  })

  it('offers to reload when the server serves another Studio, and forces nobody', async () => {
    await page.route(`${studio.url}/`, async (route) => {
      const response = await route.fetch()
      const text = (await response.text()).replace(/assets\/index-[\w-]+\.js/, 'assets/index-newer.js')
      await route.fulfill({ response, body: text })
    })
    await signIn('admin', '/instances')
    await page.getByTestId('new-version').waitFor()
    await page.getByRole('button', { name: 'Later' }).click()
    expect(await page.getByTestId('new-version').count()).toBe(0)
    await page.unroute(`${studio.url}/`)
  })

  it('shows viewers why they cannot retry a step', async () => {
    const faulted = await run(studio, 'payment', {})
    await signIn('viewer', `/instances/${faulted.id}?step=charge`)
    const retry = page.getByTestId('step-panel').getByRole('button', { name: 'Retry from here' })
    await retry.waitFor()
    expect(await retry.getAttribute('aria-disabled')).toBe('true')
    expect(await retry.getAttribute('aria-description')).toContain('instances:operate')
    await retry.click({ force: true })
    expect((await studio.api('GET', `/workflow-instances/${faulted.id}`)).revision).toBe(faulted.revision)
  })
})
