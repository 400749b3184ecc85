-- 0030_bulk_filter.sql  Bulk operations take every filter that lists take, and leave out instances by id.
-- compatible-from: 0017
-- Lock: none. Operations of before keep their filters; nodes of before make them as they did.
-- A filter is read once for each row that it is held against: lists of ids, which can be long, are taken out of it first.

create or replace function lockstep_bulk_freeze(p_tenant text, p_id uuid, p_look integer) returns void
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
  o bulk_operation;
  v_filter json;
  v_count integer;
  v_looked integer;
  v_last uuid;
begin
  select * into o from bulk_operation x where x.tenant = p_tenant and x.id = p_id and x.state = 'freezing' for update;
  if not found then return; end if;
  v_filter := (o.filter::jsonb - 'instanceIds' - 'excludeIds')::json;
  if o.filter -> 'instanceIds' is not null then
    -- Those that do not exist are listed as well: they get an outcome that says so.
    with listed as (
      insert into bulk_item (tenant, operation_id, instance_id)
      select p_tenant, p_id, k.id from (select distinct t.id::uuid as id from json_array_elements_text(o.filter -> 'instanceIds') as t(id)) k
        left join lateral (select x as line from instance x where x.id = k.id and x.tenant = p_tenant offset 0) i on true
       where i.line is null or lockstep_bulk_fits(i.line, v_filter)
       order by k.id limit o.most
      on conflict do nothing returning 1)
    select count(*) into v_count from listed;
    update bulk_operation x set total = v_count, state = 'applying' where x.tenant = p_tenant and x.id = p_id;
    return;
  end if;
  -- Two shapes: with a correlation id the index on it finds all of them at once.
  with page as materialized (
    (select i as line, i.id, i.created_at from instance i
      where o.filter ->> 'correlationId' is null and i.id > o.walked_to and i.tenant = p_tenant order by i.id limit p_look)
    union all
    (select i, i.id, i.created_at from instance i
      where o.filter ->> 'correlationId' is not null and i.tenant = p_tenant and i.correlation_id = o.filter ->> 'correlationId' and i.id > o.walked_to
      order by i.id limit p_look)),
  fit as materialized (
    select page.id from page
     where page.created_at <= o.created_at
       and page.id not in (select t.id::uuid from json_array_elements_text(coalesce(o.filter -> 'excludeIds', '[]')) as t(id))
       and lockstep_bulk_fits(page.line, v_filter)
     order by page.id limit o.most - o.total + 1),
  listed as (
    insert into bulk_item (tenant, operation_id, instance_id)
    select p_tenant, p_id, fit.id from fit order by fit.id limit o.most - o.total on conflict do nothing)
  select (select count(*) from fit), (select count(*) from page), (select page.id from page order by page.id desc limit 1) into v_count, v_looked, v_last;
  update bulk_operation x
     set total = least(o.most, o.total + v_count), cut = o.total + v_count > o.most, walked_to = coalesce(v_last, x.walked_to),
         state = case when v_looked < p_look or o.total + v_count > o.most then 'applying' else 'freezing' end
   where x.tenant = p_tenant and x.id = p_id;
end $$;

-- What lists call the status of an instance: whoever is in the hands of a node, with something to do, runs.
create function lockstep_shown_status(i instance) returns text
language sql stable as $$
  select case when i.finished_at is null and i.status in ('queued', 'suspended')
               and exists (select 1 from agenda a where a.instance_id = i.id and a.claimed_by is not null and a.due_at <= (select clock_timestamp()))
              then 'running' else i.status end
$$;

-- `definitionId`, of operations that were made before, is one of `definitionIds`.
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
     and (p_filter -> 'input' is null or not exists (
           select 1 from json_array_elements(p_filter -> 'input') as t(f)
            where (select j.data #>> (array['input'] || array(select p from json_array_elements_text(f -> 'path') as u(p)))
                     from journal j where j.instance_id = i.id and j.seq = 1) is distinct from f ->> 'value'))
$$;
