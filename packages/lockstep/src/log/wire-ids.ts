import { type IdKind, isUuid, type LogFields, toWireId } from '@lockstep/base'

const kinds: Readonly<Record<string, IdKind>> = {
  instanceId: 'instance',
  nodeId: 'node',
  bookmarkId: 'bookmark',
  incidentId: 'incident',
}

/** Ids as everybody else tells them: one from Studio is found in the log, one from the log is taken by the command line. */
export function withWireIds(fields: LogFields): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
      return [name, kind !== undefined && typeof value === 'string' && isUuid(value) ? toWireId(kind, value) : value]
    }),
  )
}
