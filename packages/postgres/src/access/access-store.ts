import type { AccessStore } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import { postgresApiKeys } from './api-key-store.ts'
import { postgresAudit } from './audit-store.ts'
import { postgresIssuedSessions } from './issued-session-store.ts'
import * as token from './resume-token.sql.ts'
import { postgresSessions } from './session-store.ts'
import * as secret from './shared-secret.sql.ts'
import { postgresUsers } from './user-store.ts'

/** What the server keeps about who may do what, and about who did. */
export function postgresAccess(db: Db): AccessStore {
  const lane = db.lane('api')
  return {
    keys: postgresApiKeys(db),
    users: postgresUsers(db),
    sessions: postgresSessions(db),
    issuedSessions: postgresIssuedSessions(db),
    audit: postgresAudit(db),
    resumeTokens: { tenantOf: async (hash) => (await lane.maybeOne(token.tenantOf, { hash }))?.tenant },
    sharedSecrets: {
      settle: async (name, value) => {
        await lane.run(secret.settle, { name, value })
        return (await lane.one(secret.read, { name })).value
      },
    },
  }
}
