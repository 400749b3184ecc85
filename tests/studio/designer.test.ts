import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest'
import { drawing } from './designer-drawing.ts'
import { saving } from './designer-saving.ts'
import { beginTest, closeSite, endTest, openSite } from './designer-site.ts'
import { tools } from './designer-tools.ts'

describe('the designer', { timeout: 240_000, retry: 1 }, () => {
  beforeAll(openSite)
  afterAll(closeSite)
  beforeEach(beginTest)
  afterEach(({ task }) => endTest(task.result?.state === 'fail'))
  describe('under the hand', drawing)
  describe('and what is not saved yet', saving)
  describe('and its companions', tools)
})
