-- 0035_tags.sql  Workflows carry tags; lists of them have other orders than that of ids; a bulk operation rests while it is paused.
-- compatible-from: 0017
-- Lock: definition and bulk_operation, briefly. A node of before goes on with a paused operation, and leaves the tags of a draft that it saves as they were.

alter table definition add column tags text[] not null default '{}';
create index definition_tags on definition using gin (tags);
-- Names of drafts can be of any length, entries of an index cannot.
create index definition_by_name on definition (tenant, (left(lower(name), 200)), id);
create index definition_by_update on definition (tenant, updated_at, id);

alter table bulk_operation add column paused_at timestamptz;
