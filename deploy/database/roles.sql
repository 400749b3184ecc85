-- roles.sql  Two roles for a database: `lockstep_owner` changes the schema, `lockstep_node` only reads and writes rows.
-- Run once as a superuser in the database that nodes shall use; running it again is harmless and sets new passwords:
--   psql "$ADMIN_URL" -v ON_ERROR_STOP=1 -v owner_password=… -v node_password=… -f roles.sql
-- Then migrate as the owner, and run nodes as lockstep_node with LOCKSTEP_MIGRATE=check.
select format('create role %I login', name) from (values ('lockstep_owner'), ('lockstep_node')) as wanted (name)
 where not exists (select from pg_roles where rolname = name) \gexec
alter role lockstep_owner with nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'owner_password';
alter role lockstep_node with nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'node_password';

-- A pooler drops what a session asks for at its start: these are found without.
alter role lockstep_owner set search_path = lockstep;
alter role lockstep_node set search_path = lockstep;

create schema if not exists lockstep authorization lockstep_owner;
revoke create on schema public from public;
-- Without this, every role of the server may connect, and make temporary tables. Other users of the same database need a grant of their own.
revoke connect, temporary on database :"DBNAME" from public;
revoke all on schema lockstep from public;
grant connect on database :"DBNAME" to lockstep_owner, lockstep_node;
grant usage on schema lockstep to lockstep_node;

-- What is there already, and what later migrations bring.
grant select, insert, update, delete on all tables in schema lockstep to lockstep_node;
grant usage, select, update on all sequences in schema lockstep to lockstep_node;
alter default privileges for role lockstep_owner in schema lockstep grant select, insert, update, delete on tables to lockstep_node;
alter default privileges for role lockstep_owner in schema lockstep grant usage, select, update on sequences to lockstep_node;
