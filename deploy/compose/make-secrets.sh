#!/bin/sh
# Makes every password of the compose file, each once, into ./secrets beside it. What is there already is kept.
# The folder is for you alone; the files in it can be read by whichever user a container runs as.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
random() { head -c 32 /dev/urandom | od -An -vtx1 | tr -d ' \n'; }
keep() { # name, content
  [ -s "secrets/$1" ] || printf '%s' "$2" > "secrets/$1"
  chmod 0444 "secrets/$1"
}
keep postgres-password "$(random)"
keep owner-password "$(random)"
keep node-password "$(random)"
keep redis-password "$(random)"
keep rabbitmq-password "$(random)"
keep grafana-password "$(random)"
keep lockstep-secret "$(random)"
keep secret-keys "$(random)"
keep first-key "$(random)"
value() { cat "secrets/$1"; }
keep owner-url "postgres://lockstep_owner:$(value owner-password)@postgres:5432/lockstep"
keep node-url "postgres://lockstep_node:$(value node-password)@postgres:5432/lockstep"
keep redis-url "redis://:$(value redis-password)@redis:6379"
keep rabbitmq-url "amqp://lockstep:$(value rabbitmq-password)@rabbitmq:5672"
keep redis.conf "appendonly yes
appendfsync everysec
maxmemory 512mb
maxmemory-policy noeviction
requirepass $(value redis-password)
"
keep rabbitmq.conf "default_user = lockstep
default_pass = $(value rabbitmq-password)
"
echo "secrets/ is complete. The first key, an admin, is in secrets/first-key; the password of Grafana's admin in secrets/grafana-password."
