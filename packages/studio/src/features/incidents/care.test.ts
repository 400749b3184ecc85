import { describe, expect, it } from 'vitest'
import { byMuted, careLines, versionsText } from './care.ts'

const group = {
  ...{ fingerprint: 'f', definitionId: 'order', code: 'X', step: 'charge', message: 'It broke', open: 3, instances: 3 },
  ...{ firstAt: '2026-11-17T10:00:00Z', lastAt: '2026-11-17T11:00:00Z', firstVersion: 1, lastVersion: 1 },
  ...{ acknowledgedAt: null, acknowledgedBy: null, assignee: null, mutedUntil: null, note: null },
}

describe('what is said of incidents that are alike', () => {
  it('is nothing, or one line for each', () => {
    expect(careLines(group)).toEqual([])
    const all = { ...group, assignee: 'ana', acknowledgedAt: '2026-11-17T12:00:00Z', acknowledgedBy: 'bo' }
    expect(careLines({ ...all, mutedUntil: '2026-11-18T00:00:00Z' })).toEqual([
      { kind: 'assigned', text: 'Assigned to ana' },
      { kind: 'acknowledged', text: 'Acknowledged by bo', at: '2026-11-17T12:00:00Z' },
      { kind: 'muted', text: 'Muted, comes back', at: '2026-11-18T00:00:00Z' },
    ])
  })

  it('says when it failed once more after somebody had seen it', () => {
    const [line] = careLines({ ...group, acknowledgedAt: '2026-11-17T10:30:00Z' })
    expect(line?.text).toBe('Acknowledged, failed again since')
  })

  it('names the versions that fail, whichever came first', () => {
    expect(versionsText({ firstVersion: 3, lastVersion: 3 })).toBe('version 3')
    expect(versionsText({ firstVersion: 3, lastVersion: 2 })).toBe('versions 2 and 3')
    expect(versionsText({ firstVersion: 2, lastVersion: 5 })).toBe('versions 2 to 5')
    expect(versionsText({ firstVersion: null, lastVersion: 5 })).toBe('version 5')
    expect(versionsText({ firstVersion: null, lastVersion: null })).toBe('')
  })

  it('sets those apart that are muted', () => {
    const quiet = { ...group, fingerprint: 'g', mutedUntil: '2026-11-18T00:00:00Z' }
    expect(byMuted([group, quiet])).toEqual({ heard: [group], muted: [quiet] })
  })
})
