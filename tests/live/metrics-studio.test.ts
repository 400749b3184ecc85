import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { systemClock, systemRandom } from '@lockstep/base'
import { openPostgres, statement } from '@lockstep/postgres'
import { type ClonedDatabase, cloneDatabase } from '@lockstep/testing/harness'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { until } from '../faults/until.ts'
import { LockstepProcess } from '../start/run-lockstep.ts'
import { keepPicture } from '../studio/keep-picture.ts'
import { openBrowser, openContext } from '../studio/open-browser.ts'
import { type Api, apiOf } from '../studio/open-studio.ts'
import { seriousFaults } from '../studio/serious-faults.ts'

const pictures = path.join(import.meta.dirname, '..', '..', 'docs', 'assets', 'studio')
const folder = mkdtempSync(path.join(tmpdir(), 'lockstep-metrics-'))
const nodes: LockstepProcess[] = []
let database: ClonedDatabase
let browser: Browser
beforeAll(async () => {
  database = await cloneDatabase(inject('postgres'))
  browser = await openBrowser()
  await using db = await openPostgres({ url: database.url, clock: systemClock, random: systemRandom })
  await db.run(yesterday)
})
afterAll(async () => {
  await browser?.close()
  for (const node of nodes) await node[Symbol.asyncDispose]()
  await database?.drop()
  rmSync(folder, { recursive: true, force: true })
})

/** What nodes wrote that are long gone: minutes of two days ago until seven minutes ago, 20 instances in each. */
const yesterday = statement(
  'test_yesterday',
  () => [],
  `insert into metric_reading (at, slot_ms, node_id, sums, by_definition)
   select date_bin('1 minute', clock_timestamp(), 'epoch') - m * interval '1 minute', 60000, '00000000-0000-7000-8000-000000000001',
          jsonb_build_object('started', 20, 'ended:completed', 20 - a, 'ended:faulted', a, 'readings', 1, 'held', 3 + a, 'inFlight', 1, 'waiting', 0,
            'loop', 0.1 + a / 20.0, 'memory', 150000000 + a * 9000000, 'duration:0.5', 12, 'duration:1', 8 - a, 'step:0.005', 40 - a, 'step:0.05', 20 + a, 'queue:0.05', 20,
            'timer:0.0025', 9, 'timer:0.01', a, 'lock', 20, 'locked', 20, 'lockSeconds', 0.05 * a, 'database:0.001', 90, 'database:0.005', 9 + a,
            'hit:definitions', 40, 'miss:definitions', a),
          jsonb_build_object('default/order-approval', jsonb_build_object('ended:completed', 8 - a, 'ended:faulted', a, 'duration:0.5', 5, 'duration:1', 3),
            'default/nightly-report', jsonb_build_object('ended:completed', 3 + a, 'duration:5', 4, 'duration:15', a), 'default/import', jsonb_build_object('ended:completed', 4, 'duration:0.1', 4),
            'default/mail', jsonb_build_object('ended:completed', 2, 'duration:0.05', 2), '', jsonb_build_object('ended:completed', 1, 'duration:0.5', 1))
     from (select m, (2 + 2 * sin(m / 9.0))::integer as a from generate_series(7, 2880) m) x`,
)

async function openNode(name: string): Promise<{ url: string; api: Api; process: LockstepProcess }> {
  const env = { LOCKSTEP_DATABASE_URL: database.url, LOCKSTEP_PORT: '0', LOCKSTEP_NODE_NAME: name }
  const node = new LockstepProcess(['server'], { cwd: folder, env })
  nodes.push(node)
  const url = (await node.url()).replace(/\/$/, '')
  return { url, api: apiOf(url), process: node }
}

const started = async (page: Page): Promise<number> =>
  Number(await page.locator('[data-total="started"]').getAttribute('data-value'))

it('Studio shows the whole cluster, whoever answers, and one node when it is told to', async () => {
  const [first, second] = [await openNode('first'), await openNode('second')]
  const activities = [{ id: 'a', type: 'log', inputs: { message: 'x' } }]
  await first.api('PUT', '/workflow-definitions/counted', { id: 'counted', activities })
  const work = async ({ api }: { api: Api }, count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1)
      await api('POST', '/workflow-instances', { definitionId: 'counted', wait: '60s' })
  }
  await work(first, 2)
  await work(second, 3)
  // Whoever leaves in order writes what it has not written yet.
  expect((await second.process.end('SIGTERM')).code).toBe(0)

  const context = await openContext(browser, { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.goto(`${first.url}/insights?range=15m`)
  await page.locator('[data-testid=metrics-covers][data-scope=cluster]').waitFor()
  await until('both are in it', async () => (await started(page)) % 20 === 5, 60_000)
  expect(await page.getByTestId('metrics-marks').innerText()).toMatch(/second joined .* · second left /)

  await page.goto(`${first.url}/insights?range=6h`)
  await page.getByTestId('plot-throughput').locator('canvas').waitFor()
  await page.getByRole('heading', { name: 'Memory, mean of the nodes' }).waitFor()
  if (process.env.LOCKSTEP_PICTURES === '1')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor()
      await page.screenshot({ path: path.join(pictures, `metrics-cluster-${colorScheme}.png`) })
    }
  const splits = /\/metrics\/split/
  let refuse = (): void => {}
  const seen = new Promise<void>((resolve) => {
    refuse = resolve
  })
  await page.route(splits, async (route) => {
    await seen // that it loads shows until it is answered, and might be over before anybody has looked
    await route.fulfill({ status: 500, json: { title: 'Not now', status: 500 } })
  })
  await page.getByRole('combobox', { name: 'Split' }).click()
  await page.getByRole('option', { name: 'By workflow' }).click()
  await page.getByTestId('metrics-split-loading').waitFor()
  refuse()
  const broken = page.getByTestId('metrics-split-error')
  await broken.waitFor()
  // What is told of all together goes on beside it.
  await page.getByTestId('metrics-ready').waitFor()
  await page.unroute(splits)
  await broken.getByRole('button', { name: 'Try again' }).click()
  const figure = (part: string, name: string) => page.locator(`[data-part="${part}"] [data-figure="${name}"]`)
  await page.getByTestId('plot-split-duration').locator('canvas').waitFor()
  expect(await figure('counted', 'completed').innerText()).toBe('5')
  expect(await page.locator('[data-testid=metrics-parts] tbody tr').count()).toBe(6)
  await page.getByRole('radiogroup', { name: 'Percentile' }).getByText('p50').click()
  expect(await seriousFaults(page)).toEqual([])
  await keepPicture(page, 'metrics-split')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Grafana' }).click(),
  ])
  expect(file.suggestedFilename()).toBe('lockstep-grafana.json')
  expect(JSON.parse(readFileSync(await file.path(), 'utf8'))).toMatchObject({ uid: 'lockstep' })
  await page.getByRole('combobox', { name: 'Split' }).click()
  await page.getByRole('option', { name: 'By node' }).click()
  await page.locator('[data-part^="nod_"]').filter({ hasText: 'first' }).waitFor()
  const none = { by: 'definition', range: '6h', from: null, at: [], parts: [] }
  await page.route(splits, (route) => route.fulfill({ json: none }))
  await page.getByRole('combobox', { name: 'Split' }).click()
  await page.getByRole('option', { name: 'By workflow' }).click()
  await page.getByTestId('metrics-split-empty').waitFor()
  await page.unroute(splits)
  await page.getByRole('combobox', { name: 'Split' }).click()
  await page.getByRole('option', { name: 'All together' }).click()
  await page.getByTestId('plot-throughput').locator('canvas').waitFor()
  await page.getByText('7d', { exact: true }).click()
  await page.waitForURL((url) => url.searchParams.get('range') === '7d')
  await until('days are in it', async () => (await started(page)) > 50_000, 60_000)

  await page.getByRole('combobox', { name: 'Node' }).click()
  await page.getByRole('option', { name: 'first' }).click()
  await page.locator('[data-testid=metrics-covers][data-scope=node]').waitFor()
  await until('its own are in it', async () => (await started(page)) === 2, 60_000)
  expect(await page.getByText('7d', { exact: true }).count()).toBe(0)
  await context.close()
})
