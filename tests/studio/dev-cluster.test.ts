import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { cloneDatabase } from '@lockstep/testing/harness'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { LockstepProcess } from '../start/run-lockstep.ts'
import { keepPicture } from './keep-picture.ts'
import { openBrowser, openContext } from './open-browser.ts'
import { type Api, apiOf } from './open-studio.ts'
import { seriousFaultsInBoth } from './serious-faults.ts'

const key = randomBytes(24).toString('base64url')
const password = randomBytes(12).toString('base64url')

/** `lockstep cluster dev` as people start it, closed, so that there are some who may break it and some who may not. */
let folder: string
let database: Awaited<ReturnType<typeof cloneDatabase>>
let dev: LockstepProcess
let browser: Browser
let page: Page
let url: string
let api: Api
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'lockstep-dev-studio-'))
  ;[browser, database] = await Promise.all([openBrowser(), cloneDatabase(inject('postgres'))])
  dev = new LockstepProcess(['cluster', 'dev', '--nodes', '3', '--port', '0'], {
    cwd: folder,
    env: { LOCKSTEP_DATABASE_URL: database.url, LOCKSTEP_AUTH: 'keys', LOCKSTEP_API_KEY: key },
  })
  const address = /The cluster is at (http\S+),/
  await vi.waitFor(() => expect(dev.output).toMatch(address), { timeout: 120_000 })
  url = address.exec(dev.output)![1]!
  api = apiOf(url, key)
  for (const role of ['viewer', 'operator']) await api('POST', '/users', { name: role, password, role })
  const rest = { id: 'rest', type: 'delay', inputs: { duration: '4s' } }
  await api('PUT', '/workflow-definitions/rests', { id: 'rests', activities: [rest] })
  page = await signedIn('operator')
})
afterAll(async () => {
  await browser?.close()
  await dev?.end('SIGINT')
  await database?.drop()
  rmSync(folder, { recursive: true, force: true })
})

async function signedIn(name: string, at = url): Promise<Page> {
  const context = await openContext(browser, { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
  const opened = await context.newPage()
  await opened.goto(at)
  await opened.getByLabel('Name', { exact: true }).fill(name)
  await opened.getByLabel('Password', { exact: true }).fill(password)
  await opened.getByRole('button', { name: 'Sign in' }).click()
  await opened.getByTestId('user-menu').waitFor()
  return opened
}

const card = (name: string, on = page) => on.locator(`[data-testid="node"][data-name="${name}"]`)
const button = (name: string, label: string, on = page) => card(name, on).getByRole('button', { name: label })

/** What is wrong for those who cannot see well. */
async function lookAt(name: string): Promise<readonly string[]> {
  await keepPicture(page, name)
  return seriousFaultsInBoth(page)
}

describe('a dev cluster in Studio', { timeout: 240_000 }, () => {
  it('offers to kill a node among the first steps, and leads to where that is done', async () => {
    await page.goto(url)
    const step = page.locator('[data-step-name="node"]')
    await step.getByText('Press Kill at one of them.').waitFor()
    await step.getByRole('link', { name: 'Cluster' }).click()
    await button('node-2', 'Kill…').waitFor()
  })

  it('kills a node whose work goes on elsewhere, and revives it', async () => {
    const second = (await api('GET', '/cluster/nodes')).processes.find(
      ({ name }: { name: string }) => name === 'node-2',
    )
    const { id } = await apiOf(second.url, key)('POST', '/workflow-instances', { definitionId: 'rests' })
    await page.goto(`${url}/cluster`)
    await button('node-2', 'Kill…').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Its work goes on elsewhere within seconds.').waitFor()
    await dialog.getByRole('button', { name: 'Kill' }).click()
    await card('node-2').getByText('Dead', { exact: true }).waitFor()
    await dialog.waitFor({ state: 'detached' })
    await page.locator('[data-event="buried"]', { hasText: 'node-2' }).first().waitFor()
    await card('node-2').getByText('The others have noticed').waitFor()
    expect(await card('node-2').getByRole('button').allInnerTexts()).toEqual(['Revive'])
    await expect
      .poll(async () => (await api('GET', `/workflow-instances/${id}?wait=10s`)).status, { timeout: 60_000 })
      .toBe('completed')
    expect(await lookAt('cluster-dev')).toEqual([])

    await button('node-2', 'Revive').click()
    await card('node-2').getByText('Alive', { exact: true }).waitFor()
    await button('node-2', 'Kill…').waitFor()
    expect(await page.getByTestId('node').count()).toBe(3)
    // The first step is ticked by what happened.
    await page.goto(url)
    await page.locator('[data-step-name="node"][data-done="true"]').waitFor()
  })

  it('has a lab where a holder crashes, and its late write is refused by its fence', async () => {
    await page.goto(`${url}/locks?view=lab`)
    const lab = page.getByTestId('lock-lab')
    await lab.getByTestId('lab-empty').waitFor()
    await lab.getByLabel('Time to live').fill('1000')
    await lab.getByLabel('Work takes').fill('3000')
    await lab.getByRole('button', { name: 'Start the race' }).click()
    await lab
      .locator('[data-span="holding"]')
      .getByRole('button', { name: /^Crash worker/ })
      .click()
    await lab.locator('[data-span="sleeping"]').waitFor()
    await lab.getByText(/The late write of [A-E] is refused: fence \S+ is older than/).waitFor()
    await lab.locator('[data-refused="1"]').waitFor()
    expect(await lookAt('lock-lab')).toEqual([])
    await lab.getByRole('button', { name: 'Stop' }).click()
    await lab.getByRole('button', { name: 'Start the race' }).waitFor()
  })

  it('has a page for each node, with what it has in hand, and remembers one that is gone', async () => {
    const { processes, items } = await api('GET', '/cluster/nodes')
    const named = ({ name }: { name: string }): boolean => name === 'node-2'
    const ask = { activities: [{ id: 'ask', type: 'wait-for-event', inputs: { event: 'never' } }] }
    const gate = { id: 'in', type: 'critical-section', inputs: { lock: 'gate/2' }, body: ask }
    await api('PUT', '/workflow-definitions/guards', { id: 'guards', activities: [gate] })
    const { id } = await apiOf(processes.find(named).url, key)('POST', '/workflow-instances', {
      definitionId: 'guards',
    })
    await page.goto(`${url}/cluster`)
    await card('node-2').getByRole('link', { name: 'node-2' }).click()
    await page.waitForURL(`${url}/cluster/${items.find(named).id}`)
    await page.getByRole('heading', { name: 'node-2', level: 1 }).waitFor()
    await page
      .getByTestId('node-instances-ready')
      .getByRole('link', { name: id.slice(-6) })
      .waitFor()
    await page.getByTestId('node-instances-ready').getByText('guards').first().waitFor()
    await page.getByTestId('node-locks-ready').getByRole('link', { name: 'gate/2' }).waitFor()
    await page.getByTestId('cluster-events-ready').locator('[data-event="joined"]').waitFor()
    const facts = page.getByTestId('node-facts')
    expect(await facts.innerText()).toContain('late after')
    await page.getByRole('button', { name: 'Cordon' }).click()
    await facts.getByText('Cordoned').waitFor()
    await page.getByRole('button', { name: 'Take part again' }).click()
    await facts.getByText('Alive').waitFor()
    expect(await lookAt('node')).toEqual([])

    const holder = async (): Promise<string | undefined> =>
      (await api('GET', '/locks/gate%2F2')).holder?.nodeId ?? undefined
    const killed = await holder()
    await page.getByRole('button', { name: 'Kill…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Kill' }).click()
    const gone = page.getByTestId('node-gone')
    await gone.getByText('The others buried it').waitFor()
    await page.getByTestId('cluster-events-ready').locator('[data-event="buried"]').waitFor()
    expect(await lookAt('node-gone')).toEqual([])
    await page.getByRole('button', { name: 'Revive' }).click()
    await gone.getByRole('link', { name: 'node-2' }).click()
    await facts.getByText('Alive').waitFor()
    const now = (await api('GET', '/cluster/nodes')).items.find(named)
    expect(page.url()).toBe(`${url}/cluster/${now.id}`)
    expect(now.id).not.toBe(items.find(named).id)
    // Its lock is another's when its time is over: a process that only stood still might believe in it until then.
    await expect.poll(holder, { timeout: 120_000 }).not.toBeOneOf([killed, undefined])
    await page.goto(`${url}/cluster/nod_00000000-0000-7000-8000-000000000000`)
    await page.getByText('Nothing is known of such a node').waitFor()
    await api('POST', `/workflow-instances/${id}/terminate`, { reason: 'seen' })
  })

  it('freezes a node and lets it go on, at once or after it was buried', async () => {
    await page.goto(`${url}/cluster`)
    await button('node-3', 'Pause').click()
    await card('node-3').getByText('Paused', { exact: true }).waitFor()
    await page.locator('[data-event="buried"]', { hasText: 'node-3' }).first().waitFor()
    await button('node-3', 'Continue').click()
    await card('node-3').getByText('Alive', { exact: true }).waitFor()
    await button('node-3', 'Pause').click()
    await button('node-3', 'Continue').click()
    await card('node-3').getByText('Alive', { exact: true }).waitFor()
  })

  it('spares the node that a page comes from, and the last one that runs', async () => {
    const { processes } = await api('GET', '/cluster/nodes')
    const direct = await signedIn('operator', `${processes[0].url}/cluster`)
    await button('node-2', 'Kill…', direct).waitFor()
    expect(await button('node-1', 'Kill…', direct).isDisabled()).toBe(true)
    await button('node-1', 'Kill…', direct).hover()
    await direct.getByText('This page comes from this node').waitFor()
    expect(await button('node-2', 'Kill…', direct).isDisabled()).toBe(false)
    await direct.context().close()
    const first = apiOf(processes[0].url, key)
    for (const name of ['node-2', 'node-3']) await first('POST', `/cluster/nodes/${name}/kill`)
    await page.goto(`${url}/cluster`)
    await expect.poll(() => button('node-1', 'Kill…').isDisabled()).toBe(true)
    for (const name of ['node-2', 'node-3']) await first('POST', `/cluster/nodes/${name}/revive`)
    await expect.poll(() => button('node-1', 'Kill…').isDisabled()).toBe(false)
  })

  it('shows who may not do it the reason, and names the key of the terminal', async () => {
    const viewer = await signedIn('viewer')
    await viewer.locator('[data-step-name="node"]').getByText('the key k').waitFor()
    await viewer.goto(`${url}/cluster`)
    await button('node-2', 'Kill…', viewer).waitFor()
    await expect.poll(() => button('node-2', 'Kill…', viewer).isDisabled()).toBe(true)
    await button('node-2', 'Kill…', viewer).hover()
    await viewer.getByText('Your role, viewer, may not do this. It asks for cluster:operate.').waitFor()
    expect(await button('node-2', 'Pause', viewer).isDisabled()).toBe(true)
    await viewer.goto(`${url}/locks?view=lab`)
    await expect.poll(() => viewer.getByRole('button', { name: 'Start the race' }).isDisabled()).toBe(true)
    await viewer.context().close()
  })
})
