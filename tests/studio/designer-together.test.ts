import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ClusterSite, type SiteNode } from '../cluster/membership-site.ts'
import { D, go, messageField, picture, ready, saveState, step } from './designer-site.ts'
import { openBrowser, openContext } from './open-browser.ts'

/** Two people, each with a browser of their own, on two different nodes. What one saves the other is told by the stream. */
interface Person {
  readonly context: BrowserContext
  readonly page: Page
}

let site: ClusterSite
let browser: Browser
let nodes: readonly [SiteNode, SiteNode]
let ann: Person
let bob: Person
let turns = 0

async function person(): Promise<Person> {
  const context = await openContext(browser, { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
  return { context, page: await context.newPage() }
}

beforeAll(async () => {
  ;[browser, site] = await Promise.all([openBrowser(), ClusterSite.open()])
  nodes = [await site.node('a'), await site.node('b')]
  ;[ann, bob] = [await person(), await person()]
})
afterAll(async () => {
  await browser?.close()
  await site?.[Symbol.asyncDispose]()
})

const document = (id: string) => ({
  id,
  name: 'Welcome letters',
  activities: [
    { id: 'first', name: 'Greet', type: 'log', inputs: { message: 'one' } },
    { id: 'second', name: 'Send the letter', type: 'log', inputs: { message: 'two' } },
    { id: 'third', name: 'File it', type: 'log', inputs: { message: 'three' } },
  ],
  connections: [
    { from: 'first', to: 'second' },
    { from: 'second', to: 'third' },
  ],
})

// biome-ignore lint/suspicious/noExplicitAny: a test reads what the wire carries
const draftOf = async (id: string): Promise<any> => (await nodes[0].api('GET', `${D}/${id}/draft`)).draft
const messages = async (id: string): Promise<readonly string[]> =>
  (await draftOf(id)).activities.map((each: { inputs: { message: string } }) => each.inputs.message)
const settled = () => Promise.all([saveState('saved', ann.page).waitFor(), saveState('saved', bob.page).waitFor()])
const bodyOf = ({ page }: Person) => page.locator('[data-inspector]')

/** Both look at one new workflow. A test that is repeated takes another. */
async function open(): Promise<string> {
  const id = `together-${++turns}`
  await nodes[0].api('POST', D, document(id))
  await Promise.all(
    [ann, bob].map(async ({ page }, index) => {
      await go(`${nodes[index]!.url}/definitions/${id}/design`, page)
      await ready(id, page)
    }),
  )
  return id
}

describe('two people in the designer', { timeout: 240_000, retry: 1 }, () => {
  afterEach(() => Promise.all([ann, bob].map(({ context }) => context.setOffline(false))))

  it('E19 keeps what both change on two nodes, shows it to the other, and undoes only what one did oneself', async () => {
    const id = await open()
    await Promise.all([step('second', ann.page).click(), step('second', bob.page).click()])
    await Promise.all([
      messageField(ann.page).fill('by ann'),
      bodyOf(bob).getByLabel('Name of the step').fill('By Bob'),
    ])
    await expect.poll(() => messageField(bob.page).inputValue()).toBe('by ann')
    await step('second', ann.page).getByText('By Bob').waitFor()
    await settled()
    expect((await draftOf(id)).activities[1]).toMatchObject({ name: 'By Bob', inputs: { message: 'by ann' } })

    await ann.page.getByTestId('design-canvas').focus()
    await ann.page.keyboard.press('Control+z')
    await expect.poll(() => messageField(bob.page).inputValue()).toBe('two')
    await settled()
    expect((await draftOf(id)).activities[1]).toMatchObject({ name: 'By Bob', inputs: { message: 'two' } })
    expect(await ann.page.getByRole('button', { name: 'Undo' }).isDisabled()).toBe(true)
  })

  it('E20 tells whoever edits a step that it was removed, and puts it back with its lines', async () => {
    const id = await open()
    await step('second', bob.page).click()
    await messageField(bob.page).fill('in the middle of')
    await settled()
    await expect.poll(() => messages(id)).toEqual(['one', 'in the middle of', 'three'])
    await step('second', ann.page).click()
    await ann.page.keyboard.press('Delete')
    const notice = bob.page.getByTestId('lost-steps')
    await notice.getByText('Send the letter').waitFor()
    await picture('designer-lost-step', bob.page)
    await settled()
    expect(await draftOf(id)).toMatchObject({ activities: [{ id: 'first' }, { id: 'third' }], connections: [] })

    await notice.getByRole('button', { name: 'Restore' }).click()
    await step('second', ann.page).waitFor()
    await settled()
    const draft = await draftOf(id)
    expect([...(await messages(id))].sort()).toEqual(['in the middle of', 'one', 'three'])
    expect(draft.connections).toHaveLength(2)
    expect(draft.connections).toEqual(expect.arrayContaining(document(id).connections))
    expect(await messageField(bob.page).inputValue()).toBe('in the middle of')
  })

  it('E18 has the edits of both after one was away, and never says saved of what is not', async () => {
    const id = await open()
    await ann.page.evaluate(() => {
      const said: string[] = []
      Object.assign(window, { said })
      const mark = window.document.querySelector('[data-save]')!
      new MutationObserver(() => {
        const kind = mark.getAttribute('data-save')!
        if (said.at(-1) !== kind) said.push(kind)
      }).observe(mark, { attributes: true })
    })
    const said = () => ann.page.evaluate(() => (window as unknown as { said: string[] }).said)
    await ann.context.setOffline(true)
    await step('first', ann.page).click()
    await messageField(ann.page).click()
    await ann.page.keyboard.press('End')
    for (let turn = 1; turn <= 19; turn++) await ann.page.keyboard.type(String(turn % 10))
    await ann.page.getByTestId('design-canvas').focus()
    await ann.page.keyboard.press('d')
    await ann.page.getByText('Offline (20 changes kept)').waitFor()
    await step('third', bob.page).click()
    await messageField(bob.page).fill('by bob')
    await saveState('saved', bob.page).waitFor()
    await expect.poll(() => messages(id)).toEqual(['one', 'two', 'by bob'])
    expect(await said()).not.toContain('saved')

    await ann.context.setOffline(false)
    await saveState('saved', ann.page).waitFor()
    await step('third', ann.page).click()
    await expect.poll(() => messageField(ann.page).inputValue()).toBe('by bob')
    await expect.poll(() => step('first', bob.page).getAttribute('data-disabled')).toBe('true')
    await settled()
    const { activities } = await draftOf(id)
    expect(activities[0]['x-disabled'].inputs.message).toBe('one1234567890123456789')
    expect(activities[2].inputs.message).toBe('by bob')
    expect((await said()).filter((kind) => kind !== 'saving').slice(0, 1)).toEqual(['offline'])
  })
})
