-- 0009_definitions.sql  Who runs whom, and lists by tenant. Lock: brief.

-- Written with the version that it belongs to, and as immutable. Answers "who runs this workflow" without reading a document.
create table definition_reference (
  target_id text not null,
  tenant    text not null,
  id        text not null,
  version   integer not null,
  primary key (target_id, tenant, id, version)
);

-- The versions that are there already. One by one: what jsonb cannot hold (a NUL, half a surrogate pair) must not stop the others.
do $$
declare
  v record;
begin
  for v in select id, tenant, version, document from definition_version where document::text like '%definitionId%' loop
    begin
      insert into definition_reference (target_id, tenant, id, version)
      select distinct r.target #>> '{}', v.tenant, v.id, v.version
        from jsonb_path_query(v.document::jsonb,
          '$.**?(@.type == "run-workflow" || @.type == "bulk-run").inputs.definitionId?(@.type() == "string")', silent => true) as r(target);
    exception when others then
      raise notice 'references of % version % were left out: %', v.id, v.version, sqlerrm;
    end;
  end loop;
end $$;

-- The primary key starts with the id: a page of one tenant would walk over those of all.
create index definition_listed on definition (tenant, id);
