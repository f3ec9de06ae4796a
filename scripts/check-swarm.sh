#!/bin/bash
# Checks several containers on a Docker engine: a Swarm of one node with deploy/swarm.yml (3 recognizers, 2 api, 2 workers on
# one Postgres, Redis and S3-compatible server), then the same with `docker compose --scale`. Each part transcribes 200 calls.
# Meanwhile it kills a recognizer, adds one, kills a worker, and deploys a new version. Each call must be done exactly once.
# Prints one line for each check, and exits with 1 if one of them failed. Needs node_modules for the S3 server.
# Makes the engine a Swarm during the check, and removes everything that it made.
#
#   scripts/check-swarm.sh [AUDIO]     AUDIO: a short call; samples/call.wav by default
#   IMAGE=NAME                         an existing image of the service; built by default
#   CALLS=200  PARTS='swarm compose'
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
audio=${1:-samples/call.wav}
calls=${CALLS:-200}
parts=${PARTS:-swarm compose}
project=svc-swarm-$$
image=${IMAGE:-$project-image}
work=$(mktemp -d)
passed=0 failed=0
. scripts/check-lib.sh

for name in $(grep -ho '\${[A-Z0-9_]*' compose.yml deploy/*.yml | tr -d '${' | sort -u); do unset "$name"; done
[ -s "$audio" ] || { echo "no such file: $audio" && exit 1; }

cleanup() {
  trap '' INT TERM
  echo 'cleaning up'
  {
    docker stack rm "$project"
    docker rm -fv "$project-db" "$project-kv" "$project-s3"
    compose down -v --remove-orphans --timeout 5
    sleep 5
    docker secret rm $secrets
    docker swarm leave --force
    docker rmi -f "$project:1" "$project:2" "$project-db" "$project-kv"
    [ -n "${IMAGE:-}" ] || docker rmi -f "$image"
    rm -rf "$work"
  } >/dev/null 2>&1
}
secrets='database_url redis_url asr_api_key session_secret s3_access_key_id s3_secret_access_key'
trap cleanup EXIT
trap 'exit 130' INT TERM

# ---- the image, and the servers beside it -------------------------------------------------------------------------------

if [ -z "${IMAGE:-}" ]; then
  echo 'building'
  must docker build -t "$image" .
fi
must docker tag "$image" "$project:1"
# The new version is another build of the same sources with another commit.
next=the-new-version-$$
must docker build -t "$project:2" --build-arg "SVC_COMMIT=$next" .
image_id() { docker image inspect -f '{{.Id}}' "$1"; }
check 'the new version is another image' [ "$(image_id "$project:1")" != "$(image_id "$project:2")" ]
build_servers "$project"

declare -A values=(
  [database_url]=postgres://svc:a-password-to-hide@db:5432/svc
  [redis_url]=redis://kv:6379
  [asr_api_key]=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
  [session_secret]=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
  [s3_access_key_id]=S3RVER
  [s3_secret_access_key]=S3RVER
)
export DATABASE_URL=secret REDIS_URL=secret ASR_API_KEY=secret SESSION_SECRET=secret
export ASR_MODEL=moonshine-tiny-en DECODER=greedy BOOTSTRAP_ADMIN_EMAIL=olga@example.com
export BOOTSTRAP_ADMIN_PASSWORD=correct-horse S3_BUCKET=calls S3_ENDPOINT_URL=http://s3:4568

# servers NETWORK: starts an empty Postgres, Redis and S3-compatible server in a network.
servers() {
  docker rm -fv "$project-db" "$project-kv" "$project-s3" >/dev/null 2>&1
  must docker run -d --init --name "$project-db" --network "$1" --network-alias db "$project-db"
  must docker run -d --init --name "$project-kv" --network "$1" --network-alias kv "$project-kv"
  must docker run -d --init --name "$project-s3" --network "$1" --network-alias s3 -v "$PWD/node_modules:/m/node_modules:ro" \
    --entrypoint node "$image" --openssl-legacy-provider /m/node_modules/s3rver/bin/s3rver.js \
    -s -a 0.0.0.0 -p 4568 -d /tmp/s3 --configure-bucket calls --no-vhost-buckets
}
sql() { docker exec "$project-db" psql -d svc -Atc "$1"; }

# client ACTION [ARGUMENT]... <FILE: runs a client in the network of the stack.
client() {
  docker run --rm -i --network "$network" --entrypoint node "$image" --input-type=module -e "$CLIENT" "$@"
}
CLIENT=$(
  cat <<'J'
import { lookup } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
const [action, key, argument] = process.argv.slice(1)
const api = 'http://svc-api:3001'
const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds))
// A replaced container does not respond for a moment, so retry like an integration.
async function ask(path, init, status = 200) {
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await fetch(new URL(path, api), { ...init, headers: { ...(key && { 'X-API-Key': key }), ...init?.headers } })
      const text = await response.text()
      if (response.status === 409) return { response }
      if (response.status !== status) throw new Error(`${path}: ${response.status} ${text}`)
      return { response, body: text && JSON.parse(text) }
    } catch (error) {
      if (attempt === 60) throw error
      await pause(1)
    }
  }
}
const json = (body, more) => ({ method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...more } })
const actions = {
  async key() {
    const login = { email: 'olga@example.com', password: 'correct-horse' }
    const { response } = await ask('/v1/auth/login', json(login))
    const cookie = response.headers.getSetCookie().map((line) => line.split(';')[0]).join('; ')
    return (await ask('/v1/api-keys', json({ name: 'check' }, { cookie }), 201)).body.key
  },
  async recognizers() {
    const { recognizers } = (await ask('/v1/system')).body.asr
    return recognizers.filter(({ status }) => status === 'ready').length
  },
  // Returns the number of api containers and their commits.
  async commits() {
    const addresses = new Set((await lookup('svc-api', { all: true, family: 4 })).map(({ address }) => address))
    const systems = [...addresses].map((address) => ask(`http://${address}:3001/v1/system`))
    const commits = (await Promise.all(systems)).map(({ body }) => body.commit)
    return `${addresses.size} ${[...new Set(commits)].join()}`
  },
  async upload() {
    const file = readFileSync('/dev/stdin')
    for (let n = 0; n < Number(argument); n++) {
      const body = new FormData()
      body.set('externalCallId', `call-${n}`)
      body.set('file', new Blob([file]), 'call.wav')
      await ask('/v1/recordings', { method: 'POST', body }, 201)
    }
    return argument
  },
}
console.log(String(await actions[action]()))
J
)
# until_true SECONDS NAME COMMAND...: repeats the command until it succeeds, at most for SECONDS.
until_true() {
  local left=$1 what=$2
  shift 2
  while ! "$@" >/dev/null 2>&1; do
    left=$((left - 2))
    [ "$left" -gt 0 ] || { echo "waited in vain for: $what" && return 1; }
    sleep 2
  done
}
done_calls() { sql "SELECT count(*) FROM recordings WHERE status = 'DONE'"; }
at_least() { [ "$(done_calls)" -ge "$1" ]; }
# containers SERVICE: prints the ids of the running containers of a service.
containers() { docker ps -q --filter "name=$project.svc-$1" --filter status=running; }

# are_new NUMBER: succeeds if this many api respond, all of the new version.
are_new() { [ "$(client commits "$key")" = "$1 $next" ]; }
are_old() { local told && told=$(client commits "$key") && [ "${told%% *}" = "$1" ] && ! grep -q "$next" <<<"$told"; }
images() { docker ps --format '{{.Image}}' --filter "name=$project.svc" | sort -u; }

# judge NAME: checks the calls after a part.
judge() {
  local where=$1
  check "$where: all $calls calls are done" equal "$(done_calls)" "$calls"
  check "$where: each has one text" equal "$(sql 'SELECT count(*) FROM transcripts')" "$calls"
  check "$where: each was done once" equal \
    "$(sql "SELECT count(*) || ' ' || count(DISTINCT recording_id) FROM transcription_history WHERE kind = 'done'")" "$calls $calls"
  check "$where: none has failed" equal "$(sql "SELECT count(*) FROM transcription_history WHERE kind = 'failed'")" 0
  check "$where: no attempt was counted but for the killed worker" equal \
    "$(sql "SELECT count(*) FROM transcription_history WHERE kind = 'failed_attempt' AND message NOT LIKE 'The worker stopped%'")" 0
  echo "      attempts: $(sql 'SELECT attempts, count(*) FROM recordings GROUP BY 1 ORDER BY 1' | tr '\n' ' ')"
  echo "      recognizers that died under a call: $(sql 'SELECT coalesce(sum(recognizer_deaths), 0) FROM recordings')"
}

# ---- a Swarm ----------------------------------------------------------------------------------------------------------

swarm() {
  network=${project}_default
  must docker swarm init --advertise-addr 127.0.0.1
  for name in $secrets; do
    printf %s "${values[$name]}" >"$work/secret"
    must docker secret create "$name" "$work/secret"
  done
  # One node has no virtual addresses of services, so names resolve to the containers.
  {
    echo 'services:'
    for service in svc-api svc-worker svc-dashboard; do echo "  $service: { deploy: { endpoint_mode: dnsrr } }"; done
  } >"$work/node.yml"
  deploy() {
    SVC_IMAGE=$project:$1 docker compose -p "$project" --env-file /dev/null -f compose.yml -f deploy/swarm.yml -f "$work/node.yml" config |
      sed '/^name:/d' | docker stack deploy --resolve-image never --detach=true -c - "$project"
  }
  replicas() { docker service ls --filter "name=${project}_svc-$1" --format '{{.Replicas}}' | cut -d' ' -f1; }
  runs() { [ "$(replicas "$1")" = "$2/$2" ]; }
  check 'Swarm: the stack is taken' deploy 1
  until_true 60 'the network' docker network inspect "$network"
  servers "$network"
  for pair in asr:3 api:2 worker:2 dashboard:2; do
    check "Swarm: ${pair#*:} × svc-${pair%:*} run" until_true 300 "${pair%:*}" runs "${pair%:*}" "${pair#*:}"
  done
  check 'Swarm: svc-migrate has run' until_true 60 migrate grep -q 'completed' <(docker service ls --filter "name=${project}_svc-migrate" --format '{{.Replicas}}')
  key=$(client key)
  check 'Swarm: the first owner logs in and makes a key' grep -E '^svc_' <<<"$key"
  check 'Swarm: the API knows three recognizers' equal "$(client recognizers "$key")" 3
  check 'Swarm: two api answer, of the old version' are_old 2
  client upload "$key" "$calls" <"$audio" >"$work/uploaded" 2>&1 &
  local uploading=$!
  until_true 300 'the first calls' at_least $((calls / 10))
  check 'Swarm: a recognizer is killed' docker kill "$(containers asr | head -n 1)"
  check 'Swarm: one is added' docker service scale --detach=true "${project}_svc-asr=4"
  until_true 300 'a third' at_least $((calls / 3))
  check 'Swarm: a worker is killed' docker kill "$(containers worker | head -n 1)"
  until_true 300 'half' at_least $((calls / 2))
  check 'Swarm: a new version is deployed in the middle' deploy 2
  wait "$uploading"
  check "Swarm: $calls calls were taken" equal "$(cat "$work/uploaded")" "$calls"
  until_true 900 'all' at_least "$calls"
  judge Swarm
  updated() { [ "$(docker service inspect -f '{{.UpdateStatus.State}}' "${project}_svc-$1")" = completed ]; }
  for service in asr api worker dashboard; do
    check "Swarm: the new version of svc-$service is there" until_true 400 "$service" updated "$service"
  done
  check 'Swarm: both api answer as the new version' until_true 120 'the new api' are_new 2
  check 'Swarm: nothing else runs' equal "$(images)" "$project:2"
  check 'Swarm: no secret is a variable' bash -c "! docker ps -q --filter name=$project.svc | xargs docker inspect | grep -E '${values[asr_api_key]}|a-password-to-hide'"
  check 'Swarm: check finds nothing that differs' docker exec "$(containers api | head -n 1)" node dist/svc.js check
  backed_up
  # The stack cannot remove its network while these containers use it.
  docker rm -fv "$project-db" "$project-kv" "$project-s3" >/dev/null 2>&1
  docker stack rm "$project" >/dev/null 2>&1
  until_true 120 'the end of the stack' bash -c "! docker network inspect $network"
  docker swarm leave --force >/dev/null 2>&1
}

# Makes a backup as described in deploy/README.md.
backed_up() {
  local folder=$work/backups
  mkdir -m 777 "$folder" && chmod 777 "$folder"
  ask_for() {
    SVC_IMAGE=$project:2 BACKUP_COMMAND=$1 BACKUP_NODE=$(docker info -f '{{.Name}}') BACKUP_FOLDER=$folder \
      docker compose -p "$project" --env-file /dev/null -f compose.yml -f deploy/swarm.yml --profile backup config svc-backup |
      sed -e '/^name:/d' -e '/profiles:/,+1d' | docker stack deploy --resolve-image never --detach=true -c - "$project"
  }
  in_folder() { docker run --rm --user 0 -v "$folder:/b" --entrypoint sh "$image" -c "$1"; }
  is_made() { in_folder 'test -s /b/first/backup.json'; }
  check 'Swarm: a backup is asked for' ask_for 'backup /backups/first'
  check 'Swarm: it is made on this node' until_true 120 'the backup' is_made
  check 'Swarm: with the sound of every call' equal "$(in_folder 'find /b/first/audio -type f | wc -l')" "$calls"
  in_folder 'rm -rf /b/first' >/dev/null 2>&1
}

# ---- docker compose --scale ---------------------------------------------------------------------------------------------

compose() {
  docker compose -p "$project" --env-file /dev/null -f compose.yml -f deploy/compose.workers.yml -f "$work/image.yml" \
    --progress quiet "$@"
}
composed() {
  network=${project}_default
  version() {
    echo 'services:'
    for service in svc-asr svc-migrate svc-api svc-worker svc-dashboard; do echo "  $service: { image: '$project:$1' }"; done
  }
  # started RECOGNIZERS: starts everything and waits until it is healthy.
  started() {
    compose up -d --wait --scale "svc-asr=$1" --scale svc-api=2 --scale svc-worker=2 svc-asr svc-api svc-worker svc-dashboard
  }
  version 1 >"$work/image.yml"
  export DATABASE_URL=${values[database_url]} REDIS_URL=${values[redis_url]} STORAGE_KIND=s3
  export ASR_API_KEY=${values[asr_api_key]} SESSION_SECRET=${values[session_secret]}
  export S3_ACCESS_KEY_ID=S3RVER S3_SECRET_ACCESS_KEY=S3RVER
  must compose up --no-start
  servers "$network"
  check 'compose: 3 recognizers, 2 api and 2 workers are healthy' started 3
  key=$(client key)
  check 'compose: the API knows three recognizers' equal "$(client recognizers "$key")" 3
  check 'compose: two api answer, of the old version' are_old 2
  client upload "$key" "$calls" <"$audio" >"$work/uploaded" 2>&1 &
  local uploading=$!
  until_true 300 'the first calls' at_least $((calls / 10))
  check 'compose: a recognizer is killed' docker kill "$(containers asr | head -n 1)"
  check 'compose: one is added' compose up -d --no-recreate --no-deps --scale svc-asr=4 svc-asr
  until_true 300 'a third' at_least $((calls / 3))
  check 'compose: a worker is killed' docker kill "$(containers worker | head -n 1)"
  until_true 300 'half' at_least $((calls / 2))
  version 2 >"$work/image.yml"
  local before && before=$(done_calls)
  check 'compose: a new version is started in the middle' started 4
  check 'compose: while calls waited' [ "$before" -lt "$calls" ]
  wait "$uploading"
  check "compose: $calls calls were taken" equal "$(cat "$work/uploaded")" "$calls"
  until_true 900 'all' at_least "$calls"
  judge compose
  check 'compose: both api answer as the new version' until_true 60 'the new api' are_new 2
  check 'compose: nothing else runs' equal "$(images)" "$project:2"
}

for part in $parts; do
  case $part in
    swarm) swarm ;;
    compose) composed ;;
    *) echo "no such part: $part" && exit 2 ;;
  esac
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
