-- 0017_idempotency.sql  Answers to requests that carried an Idempotency-Key, kept for a day. New table only: no lock on anything that exists.

-- `status` is null while the request runs: it is then its holder's (`token`) until `held_until`, by the store's clock.
create table request_answer (
  tenant      text not null,
  operation   text not null,
  key         text not null,
  fingerprint text not null,
  token       uuid not null,
  held_until  timestamptz not null,
  expires_at  timestamptz not null,
  status      integer,
  answer      text,
  primary key (tenant, operation, key)
);
create index request_answer_expires on request_answer (expires_at);
