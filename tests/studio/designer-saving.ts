import { expect, it } from 'vitest'
import {
  context,
  create,
  draftOf,
  go,
  messageField,
  newPage,
  open,
  ownPage,
  page,
  picture,
  ready,
  saveAs,
  saveState,
  step,
  studio,
} from './designer-site.ts'

interface Messages {
  readonly activities: readonly { readonly inputs: { message: string } }[]
}

const messages = async (id: string): Promise<readonly string[]> =>
  (await draftOf(id)).activities.map((each: Messages['activities'][number]) => each.inputs.message)

let copies = 0

/** What becomes of the work when the page, the network or somebody else gets in its way. */
export function saving(): void {
  it('E17 shows what was typed after the page died at once, though the server never had it', async () => {
    await create({ id: 'crash', ...{ activities: [{ id: 'say', type: 'log', inputs: { message: 'hello' } }] } })
    await ownPage()
    // Studio tries again by itself, too: what it sends before a person asks for it never arrives.
    await context.route('**/draft', async (route) => {
      const request = route.request()
      const here = request.frame()
      const isAsked = await here.evaluate(() => 'asked' in window).catch(() => false)
      return request.method() === 'PUT' && !isAsked ? route.abort() : route.continue()
    })
    await open('crash')
    await step('say').click()
    await messageField().click()
    await page.keyboard.press('End')
    await page.keyboard.type(' and good bye')
    await expect.poll(() => messageField().inputValue()).toBe('hello and good bye')
    const session = await context.newCDPSession(page)
    session.send('Page.crash').catch(() => {})
    await page.waitForEvent('crash')
    const again = await newPage()
    await open('crash', again)
    await step('say', again).click()
    const field = messageField(again)
    await expect.poll(() => field.inputValue()).toBe('hello and good bye')
    await saveState('offline', again).waitFor()
    await again.evaluate(() => {
      const listen = ({ target }: Event): void => {
        if ((target as Element).closest('[data-save] button') !== null) Object.assign(window, { asked: true })
      }
      document.addEventListener('click', listen, true)
    })
    await again.getByRole('button', { name: 'Try again' }).click()
    await saveState('saved', again).waitFor()
    expect((await draftOf('crash')).activities[0].inputs.message).toBe('hello and good bye')
  })

  it('E28 says that the stream is refused, saves by etag all the same, and asks when both changed one field', async () => {
    const steps = [
      { id: 'mine', name: 'Greet the customer', type: 'log', inputs: { message: 'a' } },
      { id: 'theirs', name: 'Tell sales', type: 'log', inputs: { message: 'b' } },
    ]
    await create({ id: 'shared', ...{ name: 'Welcome', activities: steps } })
    await ownPage()
    await context.route('**/streams/events', (route) => route.fulfill({ status: 403, body: 'refused by a proxy' }))
    await open('shared')
    await page.getByTestId('without-stream').getByText('No live connection').waitFor()
    await step('mine').click()
    const sent = page.waitForRequest((request) => request.method() === 'PUT')
    await messageField().fill('A')
    expect((await sent).headers()['if-match']).toMatch(/^"/)
    await saveState('saved').waitFor()
    await picture('designer-without-stream')

    // Just before our next save arrives, somebody else changes the same field and another one.
    let late = true
    await context.route('**/shared/draft', async (route) => {
      if (late && route.request().method() === 'PUT') {
        late = false
        await saveAs<Messages>('shared', ({ activities }) => {
          for (const each of activities) each.inputs.message = 'THEIRS'
        })
      }
      await route.continue()
    })
    await messageField().fill('AA')
    await page.getByText('Somebody else changed this draft').waitFor()
    await saveState('conflict').waitFor()
    expect(await messages('shared')).toEqual(['THEIRS', 'THEIRS'])
    await picture('designer-conflict')
    await page.getByRole('button', { name: 'Join both' }).click()
    await saveState('saved').waitFor()
    expect(await messages('shared')).toEqual(['AA', 'THEIRS'])
  })

  it('offers the copy of this browser while the server does not answer, lets it be edited, and saves it later', async () => {
    // The browser keeps what an earlier try could not send.
    const id = `copy-${++copies}`
    await create({ id, ...{ activities: [{ id: 'say', type: 'log', inputs: { message: 'hello' } }] } })
    await ownPage()
    await open(id)
    await step('say').click()
    await context.setOffline(true)
    await messageField().fill('from afar')
    await saveState('offline').waitFor()
    await go(`${studio.url}/definitions`)
    await page.getByTestId('designer-ready').waitFor({ state: 'detached' })
    await go(`${studio.url}/definitions/${id}/design`)
    await page.getByTestId('designer-error').waitFor()
    // Nothing is asked without a network: the bar says so all the same.
    expect(await page.getByTestId('live-switch').getAttribute('data-mode')).toBe('stale')
    await picture('designer-copy')
    await page.getByTestId('kept-copy').getByRole('button', { name: 'Open the copy' }).click()
    await ready(id)
    await step('say').click()
    expect(await messageField().inputValue()).toBe('from afar')
    await messageField().fill('from further away')
    await saveState('offline').waitFor()
    await context.setOffline(false)
    await saveState('saved').waitFor()
    expect(await messages(id)).toEqual(['from further away'])
  })

  it('keeps changes while there is no network, says so, and sends them afterwards', async () => {
    await create({ id: 'away', ...{ activities: [{ id: 'say', type: 'log', inputs: { message: 'hello' } }] } })
    await open('away')
    await step('say').click()
    await context.setOffline(true)
    await messageField().fill('from afar')
    await page.getByText('Offline (1 change kept)').waitFor()
    // What the server has not seen is neither published nor called right.
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('Nothing was published').waitFor()
    await page.getByRole('tab', { name: 'Problems' }).click()
    await page.getByText('No problems that can be told without the server').waitFor()
    await context.setOffline(false)
    await saveState('saved').waitFor()
    await page.getByText('No problems. It can be published.').waitFor()
    expect((await draftOf('away')).activities[0].inputs.message).toBe('from afar')
  })
}
