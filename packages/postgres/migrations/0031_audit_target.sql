-- 0031_audit_target.sql  Finds the entries about one thing, and lets entries go that are older than anybody keeps them.
-- compatible-from: 0017
-- Lock: audit_entry against writing, for as long as it takes to read it twice. Nodes of before go on writing entries.

create index audit_entry_by_target on audit_entry (target text_pattern_ops, seq) where target <> '';
-- What came to be by an operation: an entry that counts a hundred starts names a hundred instances.
create index audit_entry_by_made on audit_entry using gin ((detail -> 'made') jsonb_path_ops) where detail ? 'made';

-- Still append only: nothing is changed, and nothing younger than 30 days is deleted, by no role that may write at all.
drop trigger audit_entry_is_kept on audit_entry;
create trigger audit_entry_is_kept before update or truncate on audit_entry
  for each statement execute function lockstep_audit_is_kept();
create function lockstep_audit_is_young() returns trigger language plpgsql as $$
begin
  if old.at > clock_timestamp() - interval '30 days' then
    raise exception 'the audit log is append only: entries younger than 30 days stay' using errcode = 'insufficient_privilege';
  end if;
  return old;
end $$;
create trigger audit_entry_is_young before delete on audit_entry
  for each row execute function lockstep_audit_is_young();
