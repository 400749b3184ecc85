import { errorMessage, InvalidOption, type Timer } from '@lockstep/base'
import type { LeaseKit } from '../lease/lease-kit.ts'
import type { Member } from './member-provider.ts'
import type { Members } from './members.ts'

export interface MemberOptions {
  /** How long a member counts as alive after its last beat. @default 15_000 */
  readonly memberTtlMs?: number
  /** @default a third of `memberTtlMs` */
  readonly beatEveryMs?: number
}

/** A store that comes back, perhaps empty, should soon know who lives. */
const AGAIN_MS = 1_000

/**
 * Beats while the coordinator is open. A beat that fails is simply followed by the next one: the store forgets whoever stays
 * silent for `memberTtlMs`, and remembers whoever comes back.
 */
export function heartbeat(
  kit: Pick<LeaseKit, 'provider' | 'clock' | 'logger' | 'self'>,
  options: MemberOptions = {},
): Members {
  const { memberTtlMs = 15_000, beatEveryMs = Math.floor(memberTtlMs / 3) } = options
  if (!(memberTtlMs >= 50 && memberTtlMs <= 86_400_000))
    throw new InvalidOption({ option: 'memberTtlMs', rule: 'between 50 ms and a day', value: memberTtlMs })
  if (!(beatEveryMs >= 10 && beatEveryMs * 2 <= memberTtlMs))
    throw new InvalidOption({
      option: 'beatEveryMs',
      rule: 'at least 10 ms, at most half of memberTtlMs',
      value: beatEveryMs,
    })

  const { clock, logger } = kit
  const { members } = kit.provider
  const { nodeId, node, pid, host } = kit.self
  const self: Member = { id: nodeId, name: node, pid, host }
  let state: 'new' | 'beating' | 'stopped' = 'new'
  let failing = false
  let timer: Timer | undefined
  let beat: Promise<void> = Promise.resolve()

  const beatOnce = async (): Promise<void> => {
    try {
      await members.beat(self, memberTtlMs)
      failing = false
    } catch (error) {
      if (!failing)
        logger.warn('members: this process cannot beat, others will think it gone', { error: errorMessage(error) })
      failing = true
    }
    if (state === 'beating') timer = clock.schedule(failing ? Math.min(beatEveryMs, AGAIN_MS) : beatEveryMs, next)
  }
  const next = (): void => {
    beat = beatOnce()
  }

  return {
    self,
    list: () => members.members(),
    start: () => {
      if (state !== 'new') return
      state = 'beating'
      next()
    },
    stop: async () => {
      if (state !== 'beating') return
      state = 'stopped'
      timer?.cancel()
      await beat // one that is under way must not arrive after we left
      await members.leave(self.id).catch(() => {})
    },
  }
}
