import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest'
import { arranging } from './designer-arranging.ts'
import { building } from './designer-building.ts'
import { fields } from './designer-fields.ts'
import { pasting } from './designer-pasting.ts'
import { saving } from './designer-saving.ts'
import { beginTest, closeSite, endTest, openSite } from './designer-site.ts'
import { tools } from './designer-tools.ts'
import { undoing } from './designer-undoing.ts'
import { viewing } from './designer-viewing.ts'

describe('the designer', { timeout: 240_000, retry: 1 }, () => {
  beforeAll(openSite)
  afterAll(closeSite)
  beforeEach(beginTest)
  afterEach(({ task }) => endTest(task.result?.state === 'fail'))
  describe('under the hand', building)
  describe('and what is pasted', pasting)
  describe('and what is undone', undoing)
  describe('and what is seen', viewing)
  describe('and where things are', arranging)
  describe('and its fields', fields)
  describe('and what is not saved yet', saving)
  describe('and its companions', tools)
})
