import { isJsonObject, type Json } from '@lockstep/base'
import type { Blocker } from '../why/why.ts'
import type { FlowStanding } from './flow-store.ts'

/** Which limit keeps a start from its turn, in words. */
export function flowBlocker({ state, blocked, key, ahead, policy, size, movesAt }: FlowStanding): Blocker {
  const whose = key === '' ? '' : ` of key "${key}"`
  const place = ahead === 0 ? 'it is the next' : `${ahead} go first`
  const until = movesAt === undefined ? {} : { untilAt: movesAt }
  const members = isJsonObject(policy) ? policy : {}
  if (state === 'gathering') {
    const kind = members.batch === undefined ? 'debounce' : 'batch'
    const text =
      kind === 'batch'
        ? `It gathers inputs${whose}: ${size} of ${textOf(members.batch, 'size')} have come`
        : `It waits for calm${whose}: ${textOf(members.debounce, 'wait')} without a further start`
    return { kind: `flow-${kind}`, text, ...until }
  }
  switch (blocked) {
    case 'singleton':
      return { kind: 'flow-singleton', text: `One instance${whose} may be alive at a time, and ${place}` }
    case 'concurrency': {
      const limit = textOf(members.concurrency, 'limit')
      return { kind: 'flow-concurrency', text: `${limit} instance(s)${whose} may be alive at once, and ${place}` }
    }
    case 'rate': {
      const [limit, per] = [textOf(members.rate, 'limit'), textOf(members.rate, 'per')]
      return { kind: 'flow-rate', text: `${limit} start(s)${whose} may begin per ${per}, and ${place}`, ...until }
    }
    default:
      return { kind: 'flow-turn', text: `Nothing is in its way any more; ${place}` }
  }
}

const textOf = (member: Json | undefined, name: string): string =>
  isJsonObject(member) ? String(member[name] ?? '?') : '?'
