-- 0043_lock_line.sql  Finds the steps that wait for locks, the longest first, without looking at all who wait for limits and breakers.
-- compatible-from: 0017
-- Lock: step_permit, while the index is built; those who ask for permits wait meanwhile. Nodes of before write it without knowing.

create index step_permit_lock_line on step_permit (asked_at) where kind = 'lock' and node_id is null;
