/** How the definitions of one page stand. */
import { statement } from '../db/statement.ts'

interface StandingsOf {
  readonly tenant: string
  readonly ids: readonly string[]
}

/**
 * By primary keys. Documents are kept as they were written: those of different length differ, those of the same length may differ only in the
 * order of their members, which whoever asks has to find out. Large ones (as they are stored, compressed) are not unpacked for a list: of those
 * a draft is ahead when it takes another size, or was saved after the newest version was published.
 */
export const definitionStandings = statement<
  StandingsOf,
  { id: string; latest: number; differs: boolean; draft: unknown; document: unknown }
>(
  'browse_definition_standings',
  (p) => [p.tenant, p.ids],
  `select x.id, x.latest, x.differs,
          case when x.differs and x.alike then x.draft end as draft, case when x.differs and x.alike then x.document end as document
     from (select d.id, d.latest, d.draft, v.document,
                  d.published is not null and case when s.large
                    then s.draft <> s.document or (d.published = d.latest and d.updated_at > v.published_at + interval '1 second')
                    else d.draft::text is distinct from v.document::text end as differs,
                  not s.large and octet_length(d.draft::text) = octet_length(v.document::text) as alike
             from definition d left join definition_version v on v.id = d.id and v.tenant = d.tenant and v.version = d.published
            cross join lateral (select pg_column_size(d.draft) as draft, pg_column_size(v.document) as document,
                                       coalesce(pg_column_size(d.draft) + pg_column_size(v.document) > 131072, false) as large) s
            where d.tenant = $1 and d.id = any ($2::text[])) x`,
  { readOnly: true },
)

/** By indexes of their definition or owner: at most five of each kind. */
export const definitionTriggers = statement<
  StandingsOf,
  { definition_id: string; kind: 'schedule' | 'event' | 'http'; text: string; trigger: unknown }
>(
  'browse_definition_triggers',
  (p) => [p.tenant, p.ids],
  `select d.id as definition_id, x.kind, x.text, x.trigger
     from unnest($2::text[]) as d(id)
    cross join lateral (
      (select 'http' as kind, e.method || ' /' || trim(both '/' from e.inputs ->> 'path') as text, null::json as trigger from http_endpoint e
        where e.tenant = $1 and e.definition_id = d.id order by e.shape, e.method limit 5)
      union all
      (select 'event', t.name, null from event_trigger t where t.tenant = $1 and t.definition_id = d.id order by t.place limit 5)
      union all
      (select 'schedule', s.id, s.document -> 'trigger' from schedule s
        where s.owner = 'definition:' || d.id and s.tenant = $1 order by s.id limit 5)) x`,
  { readOnly: true },
)
