/** Links for people without an account: a page without scripts, which shows before it does, and does once. */
import type { AddressInfo } from 'node:net'
import axe from 'axe-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, openContext } from '../studio/open-browser.ts'
import { BOOTSTRAP_KEY, openSecuredApi, type SecuredApi, securedApp, sendTo, untilLimited } from './open-secured-api.ts'

/** Where pictures of the pages go, for whoever wants to look at them. */
const SHOTS = process.env.LOCKSTEP_TEST_SHOTS

let api: SecuredApi
let from = 0
beforeAll(async () => {
  api = await openSecuredApi()
  await api.send({ method: 'PUT', path: '/workflow-definitions/expense', as: BOOTSTRAP_KEY, body: expense })
})
afterAll(() => api?.[Symbol.asyncDispose]())

const form = {
  type: 'object',
  required: ['reason', 'amount'],
  additionalProperties: false,
  properties: {
    reason: { type: 'string', minLength: 3, description: 'Why "this" & <that>?' },
    amount: { type: 'integer', minimum: 1, title: 'How much' },
    urgency: { enum: ['low', 'high'] },
    paid: { type: 'boolean', title: 'Paid already' },
    'sent-on': { type: 'string', format: 'date' },
    notes: { type: 'string', maxLength: 1_000 },
    more: { type: 'array', items: { type: 'number' } },
  },
}
const expense = {
  id: 'expense',
  activities: [
    {
      id: 'ask',
      type: 'human-task',
      inputs: {
        title: { $expr: 'input.title' },
        description: 'Two lines\nof <b>text</b>',
        outcomes: ['approve', 'reject'],
        form,
      },
    },
    { id: 'out', type: 'set-output', inputs: { name: 'answer', value: { $expr: 'steps.ask.output' } } },
  ],
  connections: [
    { from: 'ask', outcome: 'approve', to: 'out' },
    { from: 'ask', outcome: 'reject', to: 'out' },
  ],
}

/** An instance that asks, and the path of its page. */
async function asked(title = 'Approve 120 euro?'): Promise<{ id: string; page: string }> {
  const as = BOOTSTRAP_KEY
  const start = { definitionId: 'expense', input: { title } }
  const { body } = await api.send({ method: 'POST', path: '/workflow-instances', as, body: start })
  const task = await expect
    .poll(async () => (await api.send({ path: `/human-tasks?instanceId=${body.id}`, as })).body.items[0])
    .toBeDefined()
    .then(async () => (await api.send({ path: `/human-tasks?instanceId=${body.id}`, as })).body.items[0])
  const token = await api.send({ method: 'POST', path: `/human-tasks/${task.id}/token`, as, body: {} })
  return { id: body.id, page: token.body.page }
}

const visit = (url: string, fields?: Record<string, string>, more: { from?: string } = {}) =>
  api.app.inject({
    url,
    method: fields === undefined ? 'GET' : 'POST',
    remoteAddress: more.from ?? `10.9.0.${++from}`,
    ...(fields === undefined
      ? {}
      : {
          payload: new URLSearchParams(fields).toString(),
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        }),
  })

const good = { outcome: 'approve', 'field.reason': 'team lunch', 'field.amount': '120' }
const ended = async (id: string) =>
  (await api.send({ path: `/workflow-instances/${id}?wait=30s`, as: BOOTSTRAP_KEY })).body

describe('a link', () => {
  it('shows a form made from the schema, which nothing on the page can run', async () => {
    const { page } = await asked('<script>alert(1)</script> "&\' `x`')
    const shown = await visit(page)
    expect(shown.statusCode).toBe(200)
    expect(shown.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'self';/),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
    })
    expect(shown.body).not.toMatch(/<script|<style|\sstyle=|\son\w+=|javascript:/i)
    expect(shown.body).not.toContain('<b>text')
    for (const part of ['type="number"', 'type="checkbox"', 'type="date"', '<select', '<textarea', 'minlength="3"'])
      expect(shown.body).toContain(part)
    expect(shown.body).toMatch(/value="approve">Approve<[\s\S]*value="reject">Reject</)
    const style = await visit('/resume/style.css')
    expect([style.statusCode, style.headers['content-type']]).toEqual([200, 'text/css; charset=utf-8'])
    expect(style.body).toContain('prefers-color-scheme: dark')
  })

  it('changes nothing when it is looked at, however often', async () => {
    const { id, page } = await asked()
    for (let n = 0; n < 12; n += 1) expect((await visit(page)).statusCode).toBe(200)
    expect((await api.send({ path: `/workflow-instances/${id}`, as: BOOTSTRAP_KEY })).body.status).toBe('suspended')
  })

  it('takes an answer once, and says so to whoever comes back', async () => {
    const { id, page } = await asked()
    const more = { 'field.urgency': '1', 'field.paid': 'yes', 'field.sent-on': '2027-01-31', 'field.more': '[1, 2]' }
    const done = await visit(page, { ...good, ...more })
    expect([done.statusCode, done.body]).toEqual([200, expect.stringContaining('Your answer has been received')])
    expect((await ended(id)).output.answer).toMatchObject({
      outcome: 'approve',
      data: { reason: 'team lunch', amount: 120, urgency: 'high', paid: true, 'sent-on': '2027-01-31', more: [1, 2] },
    })
    for (const again of [await visit(page, good), await visit(page)])
      expect([again.statusCode, again.body]).toEqual([
        404,
        expect.stringContaining('This link was already used, or does not work'),
      ])
  })

  it('is consumed by one of many who send at once', async () => {
    const { page } = await asked()
    const all = await Promise.all(Array.from({ length: 8 }, () => visit(page, good)))
    expect(all.map(({ statusCode }) => statusCode).sort()).toEqual([200, ...Array(7).fill(404)])
  })

  it('keeps what was filled in, and says field by field what does not fit', async () => {
    const { page } = await asked()
    const refused = await visit(page, {
      outcome: 'approve',
      'field.reason': 'no',
      'field.amount': '"><x',
      'field.notes': 'kept',
    })
    expect(refused.statusCode).toBe(422)
    expect(refused.body).toMatch(/aria-invalid="true"[\s\S]*fewer than 3 characters/)
    expect(refused.body).toContain('>kept</textarea>')
    expect(refused.body).not.toContain('"><x')
    expect((await visit(page, { ...good, outcome: 'explode' })).statusCode).toBe(422)
    expect((await visit(page, good)).statusCode).toBe(200)
  })

  it('that opens nothing has one page for all reasons, and few tries', async () => {
    const { page } = await asked()
    const pages = await Promise.all(
      [
        `${page.slice(0, -1)}${page.endsWith('A') ? 'B' : 'A'}`,
        '/resume/rt_x',
        '/resume/..%2f..%2f',
        '/resume/%00',
      ].map((url) => visit(url)),
    )
    expect(new Set(pages.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1)
    expect(pages[0]!.statusCode).toBe(404)
    const last = await untilLimited(
      (n) => visit(`/resume/rt_${'A'.repeat(42)}${n % 10}`, undefined, { from: '10.8.0.1' }),
      ({ statusCode }) => statusCode,
    )
    expect([last.statusCode, Number(last.headers['retry-after']) > 0]).toEqual([429, true])
    expect((await visit(page)).statusCode).toBe(200)
  })

  it('refuses bodies that are no form, or too much of one', async () => {
    const { page } = await asked()
    const json = await api.app.inject({ url: page, method: 'POST', payload: { outcome: 'approve' } })
    expect(json.statusCode).toBe(415)
    expect(json.json().detail).toContain('send Content-Type: application/x-www-form-urlencoded')
    expect((await visit(page, { ...good, 'field.notes': 'x'.repeat(300_000) })).statusCode).toBe(413)
    expect((await visit(page)).statusCode).toBe(200)
  })

  it('leaves an entry in the audit log that does not have it', async () => {
    const { page } = await asked()
    await visit(page, good, { from: '10.7.0.7' })
    const entries = async () =>
      (await api.send({ path: '/audit-log?operation=useResumeLink&limit=50', as: BOOTSTRAP_KEY })).body.items
    await expect.poll(async () => JSON.stringify(await entries())).toContain('10.7.0.7')
    expect(JSON.stringify(await entries())).not.toContain(page.split('/').at(-1))
  })

  it('is answered over https alone where that is required', async () => {
    const strict = await securedApp(api.engine, api.db, { requireHttps: true })
    const token = `rt_${'A'.repeat(43)}`
    expect((await strict.inject({ url: `/resume/${token}` })).statusCode).toBe(403)
    expect((await sendTo(strict, { path: `/resume/${token}` })).body.code).toBe('HTTPS_REQUIRED')
    expect((await sendTo(strict, { path: '/session', as: BOOTSTRAP_KEY })).status).toBe(200)
    const forwarded = { 'x-forwarded-proto': 'https' }
    expect((await strict.inject({ url: `/resume/${token}`, headers: forwarded })).statusCode).toBe(403)
    await strict.close()
    const behind = await securedApp(api.engine, api.db, { requireHttps: true }, undefined, {
      trustProxy: ['127.0.0.1'],
    })
    const through = (remoteAddress: string) =>
      behind.inject({ url: `/resume/${token}`, headers: forwarded, remoteAddress })
    expect((await through('127.0.0.1')).statusCode).toBe(404)
    expect((await through('10.1.2.3')).statusCode).toBe(403)
    await behind.close()
  })

  it('is used in a browser without scripts, in the light and in the dark, and by those who cannot see', async () => {
    await api.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = api.app.server.address() as AddressInfo
    const { id, page: path } = await asked('Approve the expense of 120 euro for the team lunch?')
    const browser = await openBrowser()
    try {
      const context = await openContext(browser, { javaScriptEnabled: false, viewport: { width: 700, height: 900 } })
      const page = await context.newPage()
      await page.goto(`http://127.0.0.1:${port}${path}`)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/resume-${colorScheme}.png`, fullPage: true })
      }
      await page.getByLabel('Reason').fill('the whole team')
      await page.getByLabel('How much').fill('120')
      await page.getByLabel('Urgency').selectOption('high')
      const seen = await openContext(browser, { bypassCSP: true })
      const checked = await seen.newPage()
      await checked.goto(`http://127.0.0.1:${port}${path}`)
      await checked.addScriptTag({ content: axe.source })
      const found = await checked.evaluate(() => (window as never as { axe: typeof axe }).axe.run())
      expect(found.violations.map(({ id: rule }) => rule)).toEqual([])
      await page.getByRole('button', { name: 'Reject' }).click()
      await page.getByRole('heading', { name: 'Thank you' }).waitFor()
      await page.goBack()
      await page.getByRole('heading', { name: 'already used' }).waitFor()
      if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/resume-used.png`, fullPage: true })
    } finally {
      await browser.close()
    }
    expect((await ended(id)).output.answer).toMatchObject({ outcome: 'reject', data: { urgency: 'high' } })
  })
})

describe('the address of a link', () => {
  it('is the one that people use, whatever the request calls the server', async () => {
    const site = await securedApp(api.engine, api.db, { publicUrl: 'https://flows.example.org/base' })
    try {
      const { id } = await asked()
      const as = BOOTSTRAP_KEY
      const [task] = (await api.send({ path: `/human-tasks?instanceId=${id}`, as })).body.items
      const headers = { host: 'evil.example' }
      const { body } = await sendTo(site, { method: 'POST', path: `/human-tasks/${task.id}/token`, as, headers })
      expect(body).toMatchObject({
        url: `https://flows.example.org/base/resume/${body.token}`,
        page: `/resume/${body.token}`,
      })
    } finally {
      await site.close()
    }
  })
})
