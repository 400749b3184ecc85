import { readFile } from 'node:fs/promises'
import type { Locator } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { D, faults, go, step as node, open, ownPage, page, picture, saveAs, service, studio } from './designer-site.ts'
import { offer, offerWithApproval, offerWithMail } from './offer.ts'
import { seriousFaults, seriousFaultsInBoth } from './serious-faults.ts'
import { run } from './workflows.ts'

let tries = 0

const design = async (id: string): Promise<void> => {
  await open(id)
  await node('ask').waitFor()
}
/** Over what is selected the browser would write with a style of its own, which the policy of the page refuses. */
const write = async (field: Locator, text: string): Promise<void> => {
  await field.press('Control+a')
  await field.press('Delete')
  await field.fill(text)
}
const lines = async (within: Locator): Promise<readonly string[]> => {
  await within.locator('[data-change]').first().waitFor()
  const found = await within
    .locator('[data-change]')
    .evaluateAll((items) =>
      items.map((item) => `${item.getAttribute('data-change')}: ${item.querySelector('strong')?.textContent}`),
    )
  return found.sort()
}

/** What stands beside the drawing: versions, expressions, test runs, publishing, import and export. */
export function tools(): void {
  beforeAll(async () => {
    for (const document of [offer(), offerWithMail(), offerWithApproval()])
      await studio.api('PUT', `${D}/offer`, document)
  })

  it('E25 compares version 1 with version 3: added, removed, changed, rewired; a name is no rewiring, and moves are one line', async () => {
    await design('offer')
    await page.getByRole('button', { name: 'Versions' }).click()
    const panel = page.getByRole('dialog', { name: 'Versions' })
    await panel.getByRole('button', { name: /Version 3/ }).click()
    expect(await lines(panel)).toContain('removed: Tell sales')
    await panel.getByLabel('Compare from').first().click()
    await page.getByRole('option', { name: 'Version 1' }).click()
    await expect
      .poll(() => lines(panel))
      .toEqual([
        'added: Wait for approval',
        'changed: Ask the price list',
        'changed: Large?',
        'moved: Work out the total moved',
        'rewired: Large?, when true',
        'rewired: Wait for approval',
      ])
    const after = panel.locator('[data-side="after"]')
    await after.locator('[data-step="wait"][data-status="completed"]').waitFor()
    await panel.locator('[data-side="before"] [data-step="big"][data-status="retrying"]').waitFor()
    expect(await panel.locator('[data-side="before"] [data-step="wait"]').count()).toBe(0)
    await picture('versions')

    await panel.getByRole('button', { name: /Version 1/ }).click()
    await panel.getByRole('button', { name: 'Restore as draft' }).click()
    await panel.waitFor({ state: 'detached' })
    await expect.poll(() => node('wait').count()).toBe(0)
    const names = (document: { activities: { name: string }[] }) => document.activities.map(({ name }) => name).sort()
    await expect
      .poll(async () => names((await studio.api('GET', `${D}/offer/draft`)).draft))
      .toEqual(names(offer() as never))
    expect(faults).toEqual([])
  })

  it('E23 completes what earlier steps answered, shows what the engine computed, and keeps the reference over a new name', async () => {
    const past = await run(studio, 'offer', { amount: 2 })
    await studio.api('PUT', `${D}/offer`, offer())
    await design('offer')
    await node('total').click()
    const field = page.getByTestId('expression-value')
    const value = field.getByTestId('preview-value')
    await value.getByText('14', { exact: true }).waitFor()
    expect((await studio.api('GET', `/workflow-instances/${past.id}`)).variables.price).toBe(14)

    await field.locator('.cm-content').click()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('steps.ask.output.pr')
    await page.locator('.cm-tooltip-autocomplete').getByText('price').waitFor()
    await picture('expression')
    // The editor takes no key for a list that has only just opened.
    await page.waitForTimeout(300)
    await page.keyboard.press('Tab')
    await page.keyboard.type(' * 10')
    await value.getByText('70', { exact: true }).waitFor()

    await page.keyboard.type(' +')
    await field.locator('.cm-lintRange-error').waitFor()
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Backspace')
    await field.locator('.cm-lintRange-error').waitFor({ state: 'detached' })

    await node('ask').click()
    await page.locator('[data-step-name]').fill('Price list')
    const expression = async () =>
      (await studio.api('GET', `${D}/offer/draft`)).draft.activities.find(({ id }: { id: string }) => id === 'total')
    await expect.poll(async () => (await expression()).inputs.value.$expr).toBe('steps.ask.output.price * 10')
    await node('total').click()
    await value.getByText('70', { exact: true }).waitFor()
    expect(faults).toEqual([])
  })

  it('E24 runs to a step with a pinned output without calling the service, and calls it when unpinned', async () => {
    const { url } = service
    tries += 1
    const id = `priced-${tries}`
    const before = service.calls
    await studio.api('POST', D, { ...offer(url), id })
    await design(id)
    await page.getByRole('tab', { name: 'Test run' }).click()
    const panel = page.getByTestId('test-run')
    await node('ask').click()
    await panel.getByRole('button', { name: 'Pin Ask for the price' }).click()
    const pinned = panel.getByLabel('Output of Ask for the price')
    await write(pinned, '{ "status": 200, "body": { "price": 5 } }')
    await panel.getByRole('button', { name: 'Pin this output' }).click()
    await panel.locator('[data-pin="ask"]').waitFor()

    await node('total').click()
    await panel.getByRole('button', { name: 'Run to here' }).click()
    await panel.locator('[data-testid="test-result"][data-status="completed"]').waitFor()
    await panel.locator('[data-result="ask"][data-pinned="true"]').waitFor()
    await page.locator('[data-step="total"][data-status="completed"]').waitFor()
    expect(await node('note').getAttribute('data-status')).toBe('idle')
    expect(service.calls).toBe(before)
    const [tested] = (await studio.api('GET', `/test-runs?definition=${id}`)).items
    expect((await studio.api('GET', `/test-runs/${tested.id}`)).variables.price).toBe(15)
    expect((await studio.api('GET', `/workflow-instances?definition=${id}`)).items).toEqual([])
    await picture('test-run')

    await panel.getByRole('button', { name: 'Unpin Ask for the price' }).click()
    await panel.getByRole('button', { name: 'Run all' }).click()
    await page.locator('[data-step="note"][data-status="completed"]').waitFor()
    expect(service.calls).toBe(before + 1)

    // Kept under a name it is run again, and fails when the workflow ends otherwise.
    const cases = panel.getByTestId('test-cases')
    await panel.locator('[data-testid="test-result"][data-status="completed"]').waitFor()
    await cases.getByRole('button', { name: 'Save as test case' }).click()
    await cases.getByLabel('Name of the test case').fill('An offer')
    await cases.getByRole('button', { name: 'Save', exact: true }).click()
    await cases.getByRole('button', { name: 'Run all cases' }).click()
    await cases.locator('[data-case="An offer"][data-verdict="passed"]').waitFor()
    await saveAs<{ activities: object[] }>(id, ({ activities }) => {
      activities.push({ id: 'more', type: 'set-output', inputs: { name: 'more', value: 1 } })
    })
    await node('more').waitFor()
    await cases.getByRole('button', { name: 'Run An offer' }).click()
    await cases.locator('[data-case="An offer"][data-verdict="failed"]').waitFor()
    expect(await cases.innerText()).toContain('Its output was')
    expect(await cases.getByTestId('test-cases-summary').innerText()).toBe('0 of 1 passed')
    expect(await seriousFaults(page)).toEqual([])
    await cases.getByText('Its output was').scrollIntoViewIfNeeded()
    await picture('test-cases')
    await cases.getByRole('button', { name: 'Remove An offer' }).click()
    await cases.getByText('None. Keep a run').waitFor()
    expect(faults).toEqual([])
  })

  it('E24 tests one step alone: others answer what they answered last, and no service is called', async () => {
    tries += 1
    const id = `alone-${tries}`
    await studio.api('POST', D, { ...offer(service.url), id })
    await design(id)
    const before = service.calls
    await node('total').click()
    await page.getByRole('tab', { name: 'Test', exact: true }).click()
    const tab = page.getByTestId('step-test')
    await tab.getByText('Ask for the price (null, it never answered)').waitFor()
    // Without an answer there is nothing to reckon with: it fails, and says why.
    await tab.getByRole('button', { name: 'Only this step' }).click()
    await tab.locator('[data-testid="step-result"][data-status="faulted"]').waitFor()
    expect(await tab.getByRole('alert').textContent()).toContain('body')
    expect(service.calls).toBe(before)

    await tab.getByRole('button', { name: 'Run to here' }).click()
    await tab.locator('[data-testid="step-result"][data-status="completed"]').waitFor()
    expect(service.calls).toBe(before + 1)
    await tab.getByText('answered last: Ask for the price.').waitFor()
    await tab.getByRole('button', { name: 'Only this step' }).click()
    const runs = async () => (await studio.api('GET', `/test-runs?definition=${id}`)).items
    await expect
      .poll(async () => (await runs()).map(({ status }: { status: string }) => status))
      .toEqual(['completed', 'completed', 'faulted'])
    expect((await studio.api('GET', `/test-runs/${(await runs())[0].id}`)).variables.price).toBe(27)
    expect(service.calls).toBe(before + 1)

    // What one pins here is pinned in the list of the test run too.
    await node('ask').click()
    await tab.getByRole('button', { name: 'Pin', exact: true }).click()
    await page.getByTestId('test-run').locator('[data-pin="ask"]').waitFor()
    await tab.getByRole('button', { name: 'Unpin' }).click()
    await page.getByTestId('test-run').locator('[data-pin="ask"]').waitFor({ state: 'detached' })
    expect(faults).toEqual([])
  })

  it('E23 puts data of a past run into fields: clicked, chosen by key, dragged, and in the large editor', async () => {
    tries += 1
    const id = `data-${tries}`
    await studio.api('PUT', `${D}/${id}`, { ...offer(), id })
    await run(studio, id, { amount: 2 })
    await design(id)
    const inputOf = async (step: string, name: string) =>
      (await studio.api('GET', `${D}/${id}/draft`)).draft.activities.find((each: { id: string }) => each.id === step)
        .inputs[name]
    await node('note').click()
    await page.getByRole('tab', { name: 'Inputs' }).click()
    const data = page.getByTestId('data-pane')
    const row = (path: string) => data.locator(`[data-path='${path}']`)
    // As the run had it; a step under its name.
    await row('input.amount').getByText('2', { exact: true }).waitFor()
    await row('steps.ask.output').getByText('Ask for the price', { exact: true }).waitFor()

    // Where the cursor stands.
    const editor = page.getByTestId('expression-value').locator('.cm-content')
    await editor.click()
    await page.keyboard.press('End')
    await page.keyboard.type(' + ')
    await row('input.amount').click()
    await expect.poll(() => inputOf('note', 'value')).toEqual({ $expr: 'vars.price + input.amount' })
    expect(await editor.evaluate((element) => element.contains(document.activeElement))).toBe(true)

    // By keys: down to what a step answered, into it, and taken.
    await page.keyboard.type(' + ')
    await row('input').focus()
    await page.keyboard.press('ArrowDown')
    await row('steps.ask.output').focus()
    await page.keyboard.press('ArrowRight')
    await row('steps.ask.output.price').getByText('7', { exact: true }).waitFor()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await expect
      .poll(() => inputOf('note', 'value'))
      .toEqual({ $expr: 'vars.price + input.amount + steps.ask.output.price' })

    // Dropped on a plain text it goes on as a template around it.
    await row('input.amount').dragTo(page.locator('[data-input="name"] input'))
    await expect.poll(() => inputOf('note', 'name')).toEqual({ $expr: '`total$' + '{input.amount}`' })
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+z')
    await expect.poll(() => inputOf('note', 'name')).toBe('total')

    await page.getByRole('button', { name: 'value: large editor' }).click({ force: true })
    const large = page.getByRole('dialog', { name: 'value of Write it down' })
    await large.locator('.cm-content').click()
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Delete')
    await large.locator("[data-path='vars.price']").click()
    await expect.poll(() => inputOf('note', 'value')).toEqual({ $expr: 'vars.price' })
    await large.getByTestId('preview-value').getByText('14', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await large.waitFor({ state: 'detached' })
    await node('note').waitFor()
    expect(faults).toEqual([])
  })

  it('E21 shows what will be published and what it means for running ones; what was changed meanwhile is refused with the difference', async () => {
    await studio.api('PUT', `${D}/offer`, offerWithApproval())
    const waiting = await run(studio, 'offer', { amount: 100 })
    expect(waiting.status).toBe('suspended')
    const save = (change: (document: ReturnType<typeof offer>) => void) => saveAs('offer', change)
    await save(({ variables }) => Object.assign(variables, { mine: { type: 'number', default: 0 } }))
    await design('offer')
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: /^Publish/ })
    expect(await lines(dialog)).toEqual(['added: Variable mine'])
    await dialog
      .getByTestId('publish-effect')
      .getByText(/\d+ instances? runs? on version/)
      .waitFor()
    await dialog.getByLabel('Note').fill('Prices are asked for anew:\nfor < 5 pieces & more.')
    await picture('publish')

    await save(({ variables }) => Object.assign(variables, { theirs: { type: 'number', default: 0 } }))
    const before = (await studio.api('GET', `${D}/offer`)).version
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click()
    await dialog.getByTestId('publish-stale').waitFor()
    await expect.poll(() => lines(dialog)).toEqual(['added: Variable mine', 'added: Variable theirs'])
    await dialog.locator('[data-change]').filter({ hasText: 'theirs' }).getByText('New').waitFor()
    expect((await studio.api('GET', `${D}/offer`)).version).toBe(before)

    await dialog.getByRole('button', { name: 'Publish this' }).click()
    const done = page.getByRole('dialog', { name: 'Published' })
    await done
      .getByTestId('forecast')
      .filter({ hasText: /\d+ can go over/ })
      .waitFor()
    await done.getByRole('button', { name: /^Move \d+ to version/ }).click()
    await expect
      .poll(async () => (await studio.api('GET', `/workflow-instances/${waiting.id}`)).version, { timeout: 60_000 })
      .toBe(before + 1)
    expect((await studio.api('GET', `${D}/offer`)).version).toBe(before + 1)
    await done.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('button', { name: 'Versions' }).click()
    const panel = page.getByRole('dialog', { name: 'Versions' })
    await panel.getByRole('button', { name: new RegExp(`^Version ${before + 1}\\b`) }).click()
    await expect
      .poll(() => panel.getByTestId('publish-note').innerText())
      .toBe('Prices are asked for anew:\nfor < 5 pieces & more.')
    await picture('publish-note')
    // The refused request is told on the console by the browser itself.
    expect(faults.filter((fault) => !fault.includes('412'))).toEqual([])
  })

  it('E26 exports JSON and YAML that import equal; a broken text is told by line and saves nothing', async () => {
    await studio.api('PUT', `${D}/offer`, offer())
    const etag = async () => (await studio.api('GET', `${D}/offer/draft`)).etag
    await design('offer')
    await page.getByRole('button', { name: 'Versions' }).click()
    const panel = page.getByRole('dialog', { name: 'Versions' })
    const texts: string[] = []
    for (const format of ['JSON', 'YAML']) {
      await panel.getByRole('button', { name: 'Export' }).click()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: format }).click(),
      ])
      texts.push(await readFile(await download.path(), 'utf8'))
    }
    expect(texts[1]).toMatch(/^id: offer/)

    await go(`${studio.url}/definitions`)
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Import workflows' })
    const text = dialog.getByLabel('Text to import')
    const was = await etag()
    for (const each of texts) {
      await write(text, each)
      await dialog.locator('[data-outcome="unchanged"]').waitFor()
    }
    await write(text, texts[1]!.replace('type: if', 'type: maybe'))
    await dialog.locator('[data-outcome="invalid"]').waitFor()
    const broken = texts[1]!.split('\n').findIndex((line) => line.includes('type: if')) + 1
    await dialog.getByText(new RegExp(`^${broken}:\\d+$`)).waitFor()
    await picture('import')
    await dialog.getByRole('button', { name: 'Import', exact: true }).click({ force: true })
    await write(text, '{\n  "id": "fresh",\n  "activities": ]\n}')
    await dialog.getByText('3:17', { exact: true }).waitFor()
    await dialog.locator('.cm-lint-marker-error').waitFor()
    expect(await etag()).toBe(was)

    // A long text from a file: its first error is brought into view.
    const far = { ...offer(), 'x-lines': Array.from({ length: 200 }, (_, index) => index), variables: 7 }
    await dialog.getByTestId('import-file').setInputFiles({
      ...{ name: 'far.json', mimeType: 'application/json' },
      buffer: Buffer.from(JSON.stringify({ 'x-first': far['x-lines'], ...far }, undefined, 2)),
    })
    const mark = dialog.locator('.cm-lintRange-error').first()
    await mark.waitFor()
    await expect
      .poll(async () => {
        const [seen, room] = [await mark.boundingBox(), await dialog.locator('.cm-scroller').boundingBox()]
        return seen !== null && room !== null && seen.y >= room.y && seen.y + seen.height <= room.y + room.height
      })
      .toBe(true)

    const changed = { ...offer(), name: 'Offer, imported' }
    await dialog.getByTestId('import-file').setInputFiles({
      ...{ name: 'offer.json', mimeType: 'application/json' },
      buffer: Buffer.from(JSON.stringify(changed)),
    })
    await dialog.locator('[data-outcome="new-draft"]').waitFor()
    await dialog.getByRole('button', { name: 'Import', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    expect((await studio.api('GET', `${D}/offer/draft`)).draft).toEqual(changed)
    expect(faults).toEqual([])
  })

  it('E26 shows what a file would become that is dropped anywhere on the list', async () => {
    await go(`${studio.url}/definitions`)
    await page.getByRole('button', { name: 'New workflow', exact: true }).waitFor()
    const dropped = await page.evaluateHandle(() => {
      const data = new DataTransfer()
      const text = 'id: dropped-here\nactivities:\n  - id: hello\n    type: nosuch\n'
      data.items.add(new File([text], 'dropped.yaml', { type: 'text/yaml' }))
      return data
    })
    const list = page.getByTestId('definitions-ready').or(page.locator('table')).first()
    await list.dispatchEvent('dragenter', { dataTransfer: dropped })
    await page.getByTestId('import-drop').waitFor()
    await list.dispatchEvent('drop', { dataTransfer: dropped })
    const dialog = page.getByRole('dialog', { name: 'Import workflows' })
    await dialog.getByText('Cannot be taken').waitFor()
    await dialog.getByText('nosuch').first().waitFor()
    expect(await page.getByTestId('import-drop').count()).toBe(0)
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    expect((await studio.api('GET', `${D}?q=dropped-here`)).items).toEqual([])
    expect(faults).toEqual([])
  })

  it('begins a workflow with a template, from the list and where there is none yet', async () => {
    const id = `from-template-${++tries}`
    await ownPage()
    await go(`${studio.url}/definitions`)
    await page.getByRole('button', { name: 'New workflow', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'New workflow' })
    await dialog.getByRole('button', { name: /^Poll until ready/ }).click()
    expect(await dialog.getByLabel('Id', { exact: true }).inputValue()).toBe('poll-until-ready')
    expect(await seriousFaultsInBoth(page)).toEqual([])
    await picture('new-workflow')
    await dialog.getByLabel('Id', { exact: true }).fill(id)
    await dialog.getByRole('button', { name: 'Create' }).click()
    await node('poll').waitFor()
    const { draft, problems } = await studio.api('GET', `${D}/${id}/draft`)
    expect([draft.name, draft.variables.state.default, problems]).toEqual(['Poll until ready', 'pending', []])

    const lists = /\/workflow-definitions\?/
    const nothing = { items: [], page: { next: null, prev: null, limit: 50 }, count: { value: 0, exact: true } }
    await page.route(lists, (route) => route.fulfill({ json: nothing }))
    await go(`${studio.url}/definitions`)
    const gallery = page.getByTestId('definitions-empty').getByRole('list', { name: 'Begin with a template' })
    await gallery.getByRole('button', { name: /^Order with compensation/ }).waitFor()
    expect(await gallery.getByRole('listitem').count()).toBe(6)
    expect(await seriousFaults(page)).toEqual([])
    await picture('workflows-empty')
    await gallery.getByRole('button', { name: /^Order with compensation/ }).focus()
    await page.keyboard.press('Enter')
    await dialog.waitFor()
    expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('Order with compensation')
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    expect(faults).toEqual([])
  })

  it('takes over what Elsa exports, and says what did not come along', async () => {
    await go(`${studio.url}/definitions`)
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Import workflows' })
    await dialog.getByLabel('Text to import').fill(JSON.stringify(elsa))
    const report = dialog.getByTestId('elsa-report')
    await report.getByText('2 of 3 activities have a counterpart').waitFor()
    await report.getByText('Elsa.RunCSharp').waitFor()
    await picture('import-elsa')
    await dialog.getByLabel(/Take documents with errors/).check()
    await dialog.locator('[data-outcome="created"]').waitFor()
    await dialog.getByRole('button', { name: 'Import', exact: true }).click()
    await page.waitForURL(/\/definitions\/from-elsa/)
  })
}

const elsa = {
  definitionId: 'from-elsa',
  name: 'From Elsa',
  root: {
    type: 'Elsa.Sequence',
    id: 'root',
    activities: [
      {
        id: 'a',
        type: 'Elsa.WriteLine',
        text: { typeName: 'String', expression: { type: 'Literal', value: 'Hello' } },
      },
      { id: 'b', type: 'Elsa.RunCSharp', script: { typeName: 'String', expression: { type: 'CSharp', value: 'x' } } },
    ],
  },
}
