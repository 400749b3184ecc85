-- 0036_search.sql  Finds instances by the beginning of their correlation id; bulk operations take tags and texts, as lists do.
-- compatible-from: 0017
-- Lock: instance against writing while the index is built: about a second for a million instances with correlation ids.

-- Compared byte by byte, whatever the collation of the database: it serves the whole id as its forerunner did, and its beginning too. As many entries as before.
create index instance_correlation_text on instance (tenant, correlation_id text_pattern_ops) where correlation_id is not null;
drop index instance_correlation;

-- As in 0030, with tags and texts: of the workflow as it is called now.
create or replace function lockstep_bulk_fits(i instance, p_filter json) returns boolean
language sql stable as $$
  select (p_filter ->> 'definitionId' is null or i.definition_id = p_filter ->> 'definitionId')
     and (p_filter -> 'definitionIds' is null or i.definition_id in (select d from json_array_elements_text(p_filter -> 'definitionIds') as t(d)))
     and (p_filter ->> 'version' is null or i.version = (p_filter ->> 'version')::integer)
     and (p_filter -> 'statuses' is null or lockstep_shown_status(i) in (select s from json_array_elements_text(p_filter -> 'statuses') as t(s)))
     and (p_filter ->> 'correlationId' is null or i.correlation_id = p_filter ->> 'correlationId')
     and (p_filter ->> 'parentId' is null or i.parent_id = (p_filter ->> 'parentId')::uuid)
     and (p_filter ->> 'createdFrom' is null or i.created_at >= to_timestamp((p_filter ->> 'createdFrom')::float8 / 1000))
     and (p_filter ->> 'createdBefore' is null or i.created_at < to_timestamp((p_filter ->> 'createdBefore')::float8 / 1000))
     and (p_filter ->> 'finishedFrom' is null or i.finished_at >= to_timestamp((p_filter ->> 'finishedFrom')::float8 / 1000))
     and (p_filter ->> 'finishedBefore' is null or i.finished_at < to_timestamp((p_filter ->> 'finishedBefore')::float8 / 1000))
     and (p_filter -> 'tags' is null or exists (
           select 1 from definition d where d.id = i.definition_id and d.tenant = i.tenant
              and d.tags && array(select g from json_array_elements_text(p_filter -> 'tags') as t(g))))
     and (p_filter ->> 'text' is null
          or starts_with(i.correlation_id, p_filter ->> 'text')
          or starts_with(i.id::text, p_filter ->> 'idPrefix')
          or exists (
           select 1 from definition d where d.id = i.definition_id and d.tenant = i.tenant
              and (position(lower(p_filter ->> 'text') in lower(d.id)) > 0 or position(lower(p_filter ->> 'text') in lower(d.name)) > 0)))
     and (p_filter -> 'input' is null or not exists (
           select 1 from json_array_elements(p_filter -> 'input') as t(f)
            where (select j.data #>> (array['input'] || array(select p from json_array_elements_text(f -> 'path') as u(p)))
                     from journal j where j.instance_id = i.id and j.seq = 1) is distinct from f ->> 'value'))
$$;
