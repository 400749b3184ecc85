-- 0022_secrets.sql  Secrets of each tenant that steps use, sealed by the nodes: this store never sees a value or a key. And sessions of single sign-on. New tables only: no lock on anything that exists.
-- compatible-from: 0017

create table secret (
  tenant     text not null,
  name       text not null,
  key_id     text not null,
  nonce      bytea not null,
  box        bytea not null,
  revision   integer not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  updated_by text not null,
  primary key (tenant, name)
);

-- Sessions of people whom an OpenID provider knows: there is no user of ours behind them, so they carry who they are.
create table issued_session (
  hash       text primary key,
  subject    text not null,
  name       text not null,
  tenant     text not null,
  role       text not null,
  opened_at  timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  ends_at    timestamptz not null
);
create index issued_session_expires on issued_session (expires_at);
