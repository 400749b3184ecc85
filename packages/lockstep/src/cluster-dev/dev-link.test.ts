import { type Clock, systemClock } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { DevLink, type ParentChannel } from './dev-link.ts'
import type { OrderMessage } from './messages.ts'

const impatient: Clock = { ...systemClock, schedule: (_ms, run) => systemClock.schedule(0, run) }

function open(clock: Clock = systemClock) {
  const sent: OrderMessage[] = []
  let say = (_message: unknown): void => {}
  let leave = (): void => {}
  const channel: ParentChannel = {
    onMessage: (hear) => {
      say = hear
    },
    onGone: (gone) => {
      leave = gone
    },
    send: (message) => sent.push(message),
  }
  const link = new DevLink('node-1', channel, clock)
  return { link, sent, say: (message: unknown) => say(message), leave: () => leave() }
}

const processes = [{ name: 'node-1', state: 'running' as const }]

describe('the control of a node', () => {
  it('is worth nothing under a parent that is no supervisor', () => {
    const { link, say } = open()
    for (const message of ['shutdown', null, 7, { type: 'process:msg' }, { clusterDev: 'order' }]) say(message)
    expect(link.processes()).toEqual([])
  })

  it('knows what it was told last, until the supervisor has gone', () => {
    const { link, say, leave } = open()
    say({ clusterDev: 'states', processes })
    expect(link.processes()).toEqual(processes)
    leave()
    expect(link.processes()).toEqual([])
  })

  it('hears of each order what came of it', async () => {
    const { link, say, sent } = open()
    const both = Promise.all([link.order('kill', 'node-2'), link.order('pause', 'node-3')])
    say({ clusterDev: 'outcome', id: sent[1]!.id, outcome: { status: 'unknown' } })
    say({ clusterDev: 'outcome', id: sent[0]!.id, outcome: { status: 'wrong-state', state: 'dead' } })
    expect(await both).toEqual([{ status: 'wrong-state', state: 'dead' }, { status: 'unknown' }])
    expect(sent.map(({ verb, name }) => `${verb} ${name}`)).toEqual(['kill node-2', 'pause node-3'])
  })

  it('does not wait for ever for a supervisor that is stopped itself', async () => {
    await expect(open(impatient).link.order('kill', 'node-2')).rejects.toMatchObject({ code: 'TIMED_OUT' })
  })
})
