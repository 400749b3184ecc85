-- 0024_audit_detail.sql  Why a change was made, and what it was before and after, beside who made it.
-- compatible-from: 0017
-- Lock: audit_entry, briefly: a column without a default rewrites nothing. Nodes of before go on writing entries without it.

alter table audit_entry add column detail jsonb;
