#!/bin/sh
# Runs once, when PostgreSQL finds an empty data folder: makes the two roles of deploy/database/roles.sql.
set -eu
psql -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d "$POSTGRES_DB" \
  -v owner_password="$(cat /run/secrets/owner-password)" -v node_password="$(cat /run/secrets/node-password)" \
  -f /lockstep/roles.sql
