import type { LogFields, Logger } from '@lockstep/base'
import { silentLogger } from '@lockstep/base'
import { virtualClock } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import { DefinitionNews, type PointedDefinition } from './definition-news.ts'

/** A node that hears what it tells. */
function open() {
  const clock = virtualClock()
  const topics: string[] = []
  const logged: (LogFields | undefined)[] = []
  let heard = 0
  const logger: Logger = { ...silentLogger, info: (_, fields) => void logged.push(fields) }
  const news = new DefinitionNews({
    ...{ clock, logger, bus: { publish: (topic) => void topics.push(topic), subscribe: () => () => {} } },
    onHeard: () => {
      heard += 1
    },
  })
  return { news, clock, topics, logged, heard: () => heard }
}
const order: PointedDefinition = { tenant: 'default', definitionId: 'order', version: 3 }
const code = 'DEFINITION_INVALIDATED'

describe('news of definitions', () => {
  it('name the workflow and its version, once for the topics that come together', async () => {
    const { news, clock, topics, logged } = open()
    news.tell(order)
    news.tell({ tenant: 'acme, north:1', definitionId: 'bill', version: undefined })
    expect(topics.filter((topic) => topic.includes(','))).toEqual([])
    for (const topic of new Set(topics)) expect(news.hear(topic)).toBe(true)
    await clock.advance(0)
    expect(logged).toEqual([
      { code, definitionId: 'order', version: 3 },
      { code, definitionId: 'bill', tenant: 'acme, north:1' },
    ])
  })

  it('are understood by nodes of before, and from them', async () => {
    const { news, clock, topics, logged, heard } = open()
    news.tell(order)
    expect(topics).toContain('definition')
    expect(news.hear('definition')).toBe(true)
    expect(heard()).toBe(1)
    await clock.advance(0)
    expect(logged).toEqual([{ code }])
  })

  it('are nothing else, and nothing that somebody else sends can break a node', async () => {
    const { news, clock, logged, heard } = open()
    for (const topic of ['due', 'definitions', 'stim:definition:1']) expect(news.hear(topic)).toBe(false)
    expect(heard()).toBe(0)
    news.hear('definition:%zz')
    await clock.advance(0)
    expect(logged).toEqual([{ code, definitionId: '%zz' }])
  })
})
