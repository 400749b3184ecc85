-- 0048_secret_hosts.sql  A secret may be meant for some hosts alone: a step whose address comes from data sends it nowhere else.
-- compatible-from: 0017
-- Lock: secret, briefly; the column has a constant default and no row is rewritten. Nodes of before neither write nor heed it: it holds when they are gone.

-- None: it may be sent anywhere.
alter table secret add column hosts text[] not null default '{}';
