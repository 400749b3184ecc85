import type { MemberProvider } from '@lockstep/coordination'
import type { Lane } from '../db/db.ts'
import * as sql from './member.sql.ts'
import { orRefuse } from './refuse.ts'

export function postgresMembers(lane: Lane, namespace: string): MemberProvider {
  return {
    async beat(member, ttlMs) {
      await orRefuse('beat', () => lane.run(sql.beat, { ...member, namespace, ttlMs }))
    },
    async leave(id) {
      await orRefuse('leave', () => lane.run(sql.leave, { namespace, id }))
    },
    members: () => orRefuse('members', () => lane.many(sql.members, { namespace })),
  }
}
