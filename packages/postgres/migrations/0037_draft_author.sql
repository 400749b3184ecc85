-- 0037_draft_author.sql  Who saved the draft last: told to whoever was slower. Lock: definition, briefly.
-- compatible-from: 0017
-- A node of before leaves the name of whoever saved before it.

alter table definition add column updated_by text;
