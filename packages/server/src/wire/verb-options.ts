import Type from 'typebox'
import { closed, flag, indexedText } from './schema.ts'

/** What operators may say with a verb: of one instance, and of each instance of a batch. */
const Reason = Type.Optional(indexedText('Kept in the journal.'))
export const VersionField = Type.Integer({ minimum: 1, maximum: 2_147_483_647 })
export const Values = Type.Record(Type.String(), Type.Unknown(), { description: 'New values, by name. Graphs only.' })
export const Mapping = Type.Record(Type.String(), Type.String(), {
  description: 'Graphs: activities that have another id in the new version.',
})

export const migrateFields = { version: VersionField, mapping: Type.Optional(Mapping) }

export const VERB_OPTIONS = {
  cancel: closed({
    reason: Type.Optional(Type.String({ maxLength: 2_000, description: 'Kept in the journal.' })),
    compensate: Type.Optional(flag('false: nothing of what it did is undone. true unless told.')),
  }),
  terminate: closed({ reason: Reason, children: Type.Optional(flag('Its children too, and theirs.')) }),
  pause: closed({ reason: Reason }),
  continue: closed({}),
  retry: closed({
    step: Type.Optional(indexedText('Goes on from this one: what was recorded since it began is done again.')),
    variables: Type.Optional(Values),
    version: Type.Optional(VersionField),
    mapping: Type.Optional(Mapping),
    force: Type.Optional(flag('Also when the workflow that ran it has taken note of its end.')),
    note: Type.Optional(indexedText('Goes to the incidents that this resolves.')),
  }),
  migrate: closed(migrateFields),
  delete: closed({}),
}
