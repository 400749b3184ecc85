import { describe, expect, it } from 'vitest'
import { jsonFault } from './json-fault.ts'
import { locate, placeAt } from './locate.ts'
import { readJson } from './read-json.ts'
import { readYaml } from './read-yaml.ts'

const json = '{\n\t"id": "a",\n\t"activities": [\n\t\t{ "id": "one", "type": "nope" }\n\t]\n}\n'
const yaml = 'id: a\nactivities:\n  - id: one\n    type: nope\n---\nid: b\nactivities: []\n'

describe('places in a text', () => {
  it('are those of the members that pointers name, in JSON and in YAML', () => {
    expect(locate(json, [{ index: 0, pointer: '/activities/0/type' }])).toEqual([{ line: 4, column: 18 }])
    expect(locate(yaml, [{ index: 0, pointer: '/activities/0/type' }])).toEqual([{ line: 4, column: 5 }])
  })

  it('are told for each document of a stream, and for each item of a list', () => {
    expect(locate(yaml, [{ index: 1, pointer: '/id' }])).toEqual([{ line: 6, column: 1 }])
    expect(locate('[\n {"id": 1},\n {"id": 2}\n]', [{ index: 1, pointer: '/id' }])).toEqual([{ line: 3, column: 3 }])
  })

  it('of what is missing are those of the nearest thing around it', () => {
    const [place] = locate(yaml, [{ index: 0, pointer: '/activities/0/inputs/message' }])
    expect(place).toEqual({ line: 3, column: 5 })
  })

  it('are known where a text cannot be read', () => {
    expect(readJson('{\n  "id": "a",\n  "x": }')).toMatchObject([{ problem: { line: 3, column: 8 } }])
    expect(readJson('{\n  "id": "a",')).toMatchObject([{ problem: { line: 2, column: 13 } }])
    expect(readYaml('id: a\nname: "b\nactivities: [\n')).toMatchObject([{ problem: { code: 'UNREADABLE_TEXT' } }])
    expect(readYaml('id: a\n  b: c\n')).toMatchObject([{ problem: { line: 1 } }])
    expect(placeAt('ab\ncd', 4)).toEqual({ line: 2, column: 2 })
  })

  it('are found where the host says nothing', () => {
    for (const good of ['{}', '[]', '[1, {"a": [true, null]}]', '"x\\u00e9"', ' -1.5e3 '])
      expect(jsonFault(good)).toBeUndefined()
    const bad: Record<string, number> = {
      '{"a" 1}': 5,
      '[1,]': 3,
      '{"a":1,}': 7,
      '[1 2]': 3,
      '{a: 1}': 1,
      '[1]]': 3,
      '"a': 0,
      '[': 1,
    }
    for (const [text, at] of Object.entries(bad)) expect([text, jsonFault(text)]).toEqual([text, at])
  })
})
