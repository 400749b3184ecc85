import type { BrowseStore, DefinitionOrder } from '@lockstep/engine/ports'
import type { Lane } from '../db/db.ts'
import * as sql from './browse-definition.sql.ts'
import { stretch } from './browse-stretch.ts'

const ORDERS = {
  id: { boundUp: sql.idBoundUp, boundDown: sql.idBoundDown, up: sql.idUp, down: sql.idDown },
  name: { boundUp: sql.nameBoundUp, boundDown: sql.nameBoundDown, up: sql.nameUp, down: sql.nameDown },
  updatedAt: { boundUp: sql.updateBoundUp, boundDown: sql.updateBoundDown, up: sql.updateUp, down: sql.updateDown },
}

export function browseDefinitions(lane: Lane): BrowseStore['definitions'] {
  return async (tenant, { namePrefix, kind, published, tags, text }, place, limit) => {
    const { order = 'id', descending = false, back = false } = place
    const upwards = descending === back
    const { boundUp, boundDown, up, down } = ORDERS[order]
    const [from, fromId] = placeOf(order, place.from)
    const wanted = { tenant, namePrefix, kind, published, tags, text, from, fromId, limit }
    const page = await stretch(
      place,
      limit,
      () => lane.maybeOne(upwards ? boundUp : boundDown, wanted),
      (edge) => {
        const [to, toId] = placeOf(order, edge)
        return lane.many(upwards ? up : down, { ...wanted, to, toId })
      },
      () => lane.one(sql.definitionCount, wanted),
    )
    return {
      ...page,
      rows: page.rows.map(({ place: key, updated_at: updatedAt, updated_by: by, published: version, ...row }) => ({
        ...{ ...row, key, updatedAt, updatedBy: by ?? undefined },
        published: version ?? undefined,
      })),
    }
  }
}

/** A key is what the list is ordered by, a blank, and the id, which has none. */
function placeOf(order: DefinitionOrder, key: string | undefined): readonly [string | undefined, string | undefined] {
  if (key === undefined || order === 'id') return [undefined, key]
  const blank = key.lastIndexOf(' ')
  return [key.slice(0, blank), key.slice(blank + 1)]
}
