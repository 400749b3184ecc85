-- 0041_incident_care.sql  Who looks after open incidents that are alike, and whether they are muted (ADR 0013). One row for each group that somebody spoke of.
-- compatible-from: 0017
-- Locks nothing that exists. A node of before does not know the table: it lists muted groups as all others.

create table incident_care (
  tenant          text not null,
  fingerprint     text not null,
  acknowledged_at timestamptz,
  acknowledged_by text,
  assigned_at     timestamptz,
  assignee        text,
  muted_at        timestamptz,
  muted_until     timestamptz,
  -- The latest version of the workflow when it was muted: what fails in a later one is heard.
  muted_version   integer,
  note            text,
  changed_at      timestamptz not null,
  primary key (tenant, fingerprint)
);
create index incident_care_old on incident_care (tenant, changed_at);
