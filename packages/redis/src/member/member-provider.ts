import type { Member, MemberProvider } from '@lockstep/coordination'
import type { Commands } from '../connection/commands.ts'
import type { KeySpace } from '../key/key-space.ts'
import { beatMember, leaveMember, readMembers } from '../scripts/scripts.generated.ts'

export function redisMembers({
  space,
  commands,
}: {
  readonly space: KeySpace
  readonly commands: Commands
}): MemberProvider {
  const keys = [space.memberEnds, space.members]
  return {
    async beat(member, ttlMs) {
      const { id, name, pid, host } = member
      await commands.run(beatMember, keys, [id, JSON.stringify({ id, name, pid, host }), String(Math.ceil(ttlMs))])
    },
    async leave(id) {
      await commands.run(leaveMember, keys, [id])
    },
    async members() {
      const found = (await commands.run(readMembers, keys, [])) as string[]
      return found.map((text) => JSON.parse(text) as Member)
    },
  }
}
