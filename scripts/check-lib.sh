# Functions of check-stack.sh and check-swarm.sh. Both set $work first.

# check NAME COMMAND...: prints one line. If the command fails, also prints the end of its output.
check() {
  local what=$1
  shift
  if "$@" >"$work/out" 2>&1; then
    passed=$((passed + 1)) && printf 'ok    %s\n' "$what"
  else
    failed=$((failed + 1)) && printf 'FAIL  %s\n' "$what" && tail -n 20 "$work/out" | sed 's/^/      /'
  fi
}
# equal ACTUAL EXPECTED: fails and prints both if they differ.
equal() { [ "$1" = "$2" ] || { printf 'got:      %s\nexpected: %s\n' "$1" "$2" && false; }; }
# must COMMAND...: ends the script if the command fails.
must() {
  "$@" >"$work/out" 2>&1 && return
  printf 'FAIL  %s\n' "$*" && tail -n 40 "$work/out"
  exit 1
}

# build_servers NAME: builds two images of Debian packages for the check: Postgres as NAME-db and Redis as NAME-kv.
build_servers() {
  must docker build -t "$1-db" - <<'D'
FROM node:24-bookworm-slim
ENV LANG=C.UTF-8
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends postgresql
USER postgres
RUN cd /tmp && echo 'host all all all scram-sha-256' >>/etc/postgresql/15/main/pg_hba.conf \
 && echo 'max_connections = 300' >>/etc/postgresql/15/main/postgresql.conf \
 && pg_ctlcluster 15 main start \
 && psql -c "CREATE ROLE svc LOGIN PASSWORD 'a-password-to-hide'" -c 'CREATE DATABASE svc OWNER svc' \
 && pg_ctlcluster 15 main stop
CMD ["/usr/lib/postgresql/15/bin/postgres", "-D", "/var/lib/postgresql/15/main", "-c", "config_file=/etc/postgresql/15/main/postgresql.conf", "-c", "listen_addresses=*"]
D
  must docker build -t "$1-kv" - <<'D'
FROM node:24-bookworm-slim
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends redis-server
USER redis
WORKDIR /var/lib/redis
CMD ["redis-server", "--protected-mode", "no", "--appendonly", "yes", "--maxmemory-policy", "noeviction"]
D
}
