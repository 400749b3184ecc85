-- 0020_access.sql  Keys, users, sessions and the audit log of the server. New tables only: no lock on anything that exists.
-- compatible-from: 0017

-- A key is 256 random bits: a plain hash of it cannot be searched backwards, and a slow one would only slow every request.
create table api_key (
  id          uuid primary key,
  tenant      text not null,
  name        text not null,
  hash        text not null,
  role        text not null,
  permissions text[],
  created_by  text not null,
  created_at  timestamptz not null default clock_timestamp(),
  expires_at  timestamptz,
  used_at     timestamptz,
  revoked_at  timestamptz
);
create index api_key_of_tenant on api_key (tenant, id);

-- Names are unique in the whole store: who signs in names no tenant, the user's row does.
create table local_user (
  name          text primary key,
  tenant        text not null,
  role          text not null,
  password_hash text not null,
  disabled      boolean not null default false,
  created_at    timestamptz not null default clock_timestamp(),
  signed_in_at  timestamptz
);
create index local_user_of_tenant on local_user (tenant, name);

create table user_session (
  hash       text primary key,
  user_name  text not null references local_user (name) on delete cascade,
  opened_at  timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  ends_at    timestamptz not null
);
create index user_session_of_user on user_session (user_name);
create index user_session_expires on user_session (expires_at);

create table audit_entry (
  seq        bigint generated always as identity primary key,
  tenant     text not null,
  at         timestamptz not null,
  actor_kind text not null,
  actor      text not null,
  operation  text not null,
  target     text not null,
  outcome    text not null,
  status     integer not null,
  address    text not null,
  agent      text not null,
  node       text not null
);
create index audit_entry_of_tenant on audit_entry (tenant, seq);

-- Append only, for every role that may write at all.
create function lockstep_audit_is_kept() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append only' using errcode = 'insufficient_privilege';
end $$;
create trigger audit_entry_is_kept before update or delete or truncate on audit_entry
  for each statement execute function lockstep_audit_is_kept();

-- Whose a resume token is, when nothing but the token is known. Lock: brief, tokens live for days.
create index resume_token_by_hash on resume_token (hash);

create table shared_secret (
  name  text primary key,
  value text not null
);
