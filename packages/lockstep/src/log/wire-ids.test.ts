import { expect, it } from 'vitest'
import { jsonLogger } from './json-logger.ts'
import { parseLogLevels } from './log-levels.ts'

const UUID = '01a1eb17-e859-70e0-bcaa-74a14102a93b'

it('a log names instances and nodes as the API does', () => {
  const lines: Record<string, unknown>[] = []
  const write = (text: string): void => void lines.push(JSON.parse(text) as Record<string, unknown>)
  const logger = jsonLogger(parseLogLevels('info'), { write })
  logger.info('told', { instanceId: UUID, nodeId: UUID, fence: 7n, runId: UUID })
  logger.info('told as it is', { instanceId: `wfi_${UUID}`, nodeId: 'node-1' })
  expect(lines).toMatchObject([
    { instanceId: `wfi_${UUID}`, nodeId: `nod_${UUID}`, fence: '7', runId: UUID },
    { instanceId: `wfi_${UUID}`, nodeId: 'node-1' },
  ])
})
