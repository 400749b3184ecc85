import { StaleFence } from '@lockstep/coordination'
import { type Db, fenceGuard } from '@lockstep/postgres'
import type { FencedResource } from '@lockstep/server'

/** What the lock lab writes to: a mark in the database, so that whichever node is asked refuses alike. */
export function labResource(db: Db): FencedResource {
  const lane = db.lane('api')
  return {
    async write(resource, fence) {
      try {
        await lane.transaction((tx) => fenceGuard(tx, { resource, fence }))
        return { status: 'written' }
      } catch (error) {
        if (StaleFence.is(error)) return { status: 'refused', seen: error.details.seen }
        throw error
      }
    },
  }
}
