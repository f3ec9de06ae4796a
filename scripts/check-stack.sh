#!/bin/bash
# Checks compose.yml on a Docker engine. Builds the image, and runs the stack with a Postgres and a Redis from two small images
# of Debian packages. Prints one line for each check, and exits with 1 if one of them failed. Takes about five minutes.
# Changes only its own project and images, and removes them at the end (KEEP=1 leaves them running).
#
#   scripts/check-stack.sh [AUDIO]     AUDIO: a call with English speech; samples/call.wav by default
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
audio=${1:-samples/call.wav}
project=svc-check-$$
image=$project-image
network=${project}_default
work=$(mktemp -d)
passed=0 failed=0

# Keep the variables of the shell from the stack; /dev/null below replaces the .env file.
for name in $(grep -o '\${[A-Z0-9_]*' compose.yml | tr -d '${' | sort -u); do unset "$name"; done
printf 'services:\n' >"$work/image.yml"
for service in svc-asr svc-migrate svc-api svc-dashboard; do
  printf '  %s: { image: %s }\n' "$service" "$image" >>"$work/image.yml"
done
compose() { docker compose -p "$project" --env-file /dev/null -f compose.yml -f "$work/image.yml" --progress quiet "$@"; }
container() { printf '%s-%s-1' "$project" "$1"; }
inspect() { docker inspect -f "$2" "$(container "$1")"; }

cleanup() {
  trap '' INT TERM
  [ -n "${KEEP:-}" ] && { echo "left running: docker compose -p $project"; return; }
  echo 'cleaning up'
  {
    docker rm -fv "$project-db" "$project-kv"
    compose down -v --remove-orphans --timeout 5
    docker network rm "$project-databases"
    docker rmi -f "$image" "$project-db" "$project-kv"
    rm -rf "$work"
  } >/dev/null 2>&1
}
trap cleanup EXIT
trap 'exit 130' INT TERM

. scripts/check-lib.sh

declare -A required=(
  [DATABASE_URL]=postgres://svc:a-password-to-hide@db:5432/svc
  [REDIS_URL]=redis://kv:6379
  [ASR_API_KEY]=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
  [SESSION_SECRET]=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
)
for name in "${!required[@]}"; do export "$name=${required[$name]}"; done

# ---- the image, and the servers beside the stack ----------------------------------------------------------------

[ -s "$audio" ] || { echo "no such file: $audio" && exit 1; }
echo 'building'
must compose build
build_servers "$project"
echo "image: $(($(docker image inspect -f '{{.Size}}' "$image") / 1000000)) MB"

# ---- required variables -----------------------------------------------------------------------------------------

refuses_without() {
  local output
  output=$(export "$1=" && compose up --no-start 2>&1) && echo 'it did not refuse' && return 1
  grep "$1" <<<"$output" && equal "$(compose ps -aq)" ''
}
for name in DATABASE_URL REDIS_URL ASR_API_KEY SESSION_SECRET; do
  check "refuses to start with an empty $name" refuses_without "$name"
done

# ---- a migration that fails -------------------------------------------------------------------------------------

# This model is in the image, so nothing is downloaded.
export ASR_MODEL=moonshine-base-en BOOTSTRAP_ADMIN_EMAIL=olga@example.com BOOTSTRAP_ADMIN_PASSWORD=correct-horse
must compose up --no-start
must docker run -d --init --name "$project-db" --network "$network" --network-alias db "$project-db"
must docker run -d --init --name "$project-kv" --network "$network" --network-alias kv "$project-kv"

up() { compose up -d --wait svc-asr svc-api svc-dashboard; }
echo 'a database name that does not exist: svc-migrate tries for 60 seconds'
fails() { (export DATABASE_URL=${required[DATABASE_URL]}-absent && ! up); }
check 'up fails when the migration fails' fails
check 'svc-migrate has ended with 1' equal "$(inspect svc-migrate '{{.State.Status}} {{.State.ExitCode}}')" 'exited 1'
check 'svc-migrate names host, port, database, user and reason' grep -E \
  '"host":"db","port":5432,"database":"svc-absent","user":"svc","code":"3D000","reason":".+"' <(compose logs svc-migrate)
check 'svc-api has never started' equal "$(inspect svc-api '{{.State.Status}} {{.State.StartedAt}}')" \
  'created 0001-01-01T00:00:00Z'
check 'nor has svc-dashboard' equal "$(inspect svc-dashboard '{{.State.Status}}')" created

# ---- start in order ---------------------------------------------------------------------------------------------

must compose rm -fs
began=$(date +%s)
check 'up --wait: everything is healthy' up
docker events --since "$began" --until "$(($(date +%s) + 1))" --filter "label=com.docker.compose.project=$project" \
  --filter event=start --filter event=die --filter event=health_status \
  --format '{{.TimeNano}} {{index .Actor.Attributes "com.docker.compose.service"}} {{.Action}}{{with .Actor.Attributes.exitCode}} {{.}}{{end}}' |
  sort -n | awk 'NR == 1 { first = $1 } { at = $1; $1 = ""; printf "%6.2f s %s\n", (at - first) / 1e9, $0 }' >"$work/events"
sed 's/^/      /' "$work/events"
line() { grep -n -m 1 -E "$1" "$work/events" | cut -d: -f1; }
before() { [ "$(line "$1")" -lt "$(line "$2")" ]; }
check 'svc-api started after svc-migrate had ended with 0' before 'svc-migrate die 0' 'svc-api start'
check 'svc-api started after svc-asr was healthy' before 'svc-asr health_status: healthy' 'svc-api start'
check 'svc-dashboard started after svc-api was healthy' before 'svc-api health_status: healthy' 'svc-dashboard start'

# ---- how the containers run -------------------------------------------------------------------------------------

for service in svc-asr svc-api svc-dashboard; do
  inside() { compose exec -T "$service" sh -c "$1"; }
  check "$service runs as user 10001" equal "$(inside 'id -u')" 10001
  check "$service has no capabilities and gains none" equal \
    "$(inside 'grep -E "^(CapPrm|CapEff|CapBnd|NoNewPrivs)" /proc/self/status' | tr -s '\t\n' ' ')" \
    'CapPrm: 0000000000000000 CapEff: 0000000000000000 CapBnd: 0000000000000000 NoNewPrivs: 1 '
  check "$service cannot change its program" inside '! touch /app/x 2>/dev/null && ! touch /app/dist/svc.js 2>/dev/null'
done
check 'svc-migrate runs as the same user' equal "$(inspect svc-migrate '{{.Config.User}}')" svc
bindings='{{range .NetworkSettings.Ports}}{{.}}{{end}}{{.HostConfig.PortBindings}}'
for service in svc-asr svc-migrate svc-api svc-dashboard; do
  check "$service publishes no port" equal "$(inspect $service "$bindings" | sed 's/\[\]//g')" 'map'
  check "$service keeps at most 50 MB of log" equal "$(inspect $service '{{.HostConfig.LogConfig}}')" \
    '{json-file map[max-file:5 max-size:10m]}'
done
check 'svc-asr may use 3 GB' equal "$(inspect svc-asr '{{.HostConfig.Memory}}')" $((3 * 1024 * 1024 * 1024))
check 'svc-api has 60 seconds to stop' equal "$(inspect svc-api '{{.Config.StopTimeout}}')" 60
check 'the database keeps its secret: no password in the logs' bash -c "! grep a-password-to-hide" < <(compose logs)

# ---- a call -----------------------------------------------------------------------------------------------------

# client ACTION [ARGUMENT]... <FILE: runs a client in the network of the stack, like a reverse proxy.
client() {
  docker run --rm -i --network "$network" --entrypoint node "$image" --input-type=module -e "$CLIENT" "$@"
}
CLIENT=$(
  cat <<'J'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
const [action, key, argument] = process.argv.slice(1)
const api = 'http://svc-api:3001'
const headers = { 'X-API-Key': key }
async function ask(path, init, status = 200) {
  const response = await fetch(api + path, init)
  const text = await response.text()
  if (response.status !== status) throw new Error(`${path}: ${response.status} ${text}`)
  return { response, body: text && JSON.parse(text) }
}
const json = (body, more) => ({ method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...more } })
const actions = {
  async readyz() {
    return (await ask('/readyz')).body.status
  },
  async panel() {
    return (await fetch('http://svc-dashboard:3000/login')).status
  },
  async key() {
    const login = { email: 'olga@example.com', password: 'correct-horse' }
    const { response } = await ask('/v1/auth/login', json(login))
    const cookie = response.headers.getSetCookie().map((line) => line.split(';')[0]).join('; ')
    return (await ask('/v1/api-keys', json({ name: 'check' }, { cookie }), 201)).body.key
  },
  async upload() {
    let file = readFileSync('/dev/stdin')
    if (argument) {
      writeFileSync('/tmp/in', file)
      const args = ['-v', 'error', '-stream_loop', '-1', '-i', '/tmp/in', '-t', argument, '-ac', '1', '-ar', '8000', '/tmp/out.wav']
      spawnSync('ffmpeg', args, { stdio: 'inherit' })
      file = readFileSync('/tmp/out.wav')
    }
    const body = new FormData()
    body.set('file', new Blob([file]), 'call.wav')
    return (await ask('/v1/recordings', { method: 'POST', body, headers }, 201)).body.id
  },
  async until() {
    const [id, ...wanted] = argument.split(' ')
    for (let second = 0; second < 900; second++) {
      const { body } = await ask(`/v1/recordings/${id}`, { headers })
      if (wanted.includes(body.status) && (body.status !== 'PROCESSING' || body.progress.percent > 0)) {
        return `${body.status}\n${body.progress.percent} %\n${body.transcript?.text ?? ''}`
      }
      await new Promise((resolve) => setTimeout(resolve, 1000))
    }
    throw new Error('not in time')
  },
  async audio() {
    const response = await fetch(`${api}/v1/recordings/${argument}/audio`, { headers })
    return (await response.arrayBuffer()).byteLength
  },
}
console.log(String(await actions[action]()))
J
)
check '/readyz is ready' equal "$(client readyz)" ready
check 'the panel serves its login page' equal "$(client panel)" 200
key=$(client key)
check 'the first owner logs in and makes a key' grep -E '^svc_' <<<"$key"
id=$(client upload "$key" <"$audio")
check 'a call is taken' grep -E '^[0-9a-f-]{36}$' <<<"$id"
answer=$(client until "$key" "$id DONE FAILED")
check 'and transcribed' equal "$(head -n 1 <<<"$answer")" DONE
check 'into words' grep -E '[A-Za-z]+ [A-Za-z]+' <(tail -n +3 <<<"$answer")
tail -n +3 <<<"$answer" | sed 's/^/      /'

# ---- stop while a transcription runs, and a redeploy ------------------------------------------------------------

echo 'a call of 10 minutes, stopped in the middle'
long=$(client upload "$key" 600 <"$audio")
running=$(client until "$key" "$long PROCESSING DONE FAILED")
check 'it is being transcribed' equal "$(head -n 1 <<<"$running")" PROCESSING
echo "      at $(sed -n 2p <<<"$running")"
state() {
  docker exec "$project-db" psql -d svc -Atc "SELECT status, attempts, attempt_token IS NULL FROM recordings WHERE id = '$long'"
}
began=$(date +%s%N)
check 'stop' compose stop
took=$((($(date +%s%N) - began) / 1000000))
check "stop took $((took / 1000)).$(printf %03d $((took % 1000))) s of the 60" [ "$took" -lt 60000 ]
for service in svc-dashboard svc-api svc-asr; do
  check "$service ended by itself, with 0" equal "$(inspect $service '{{.State.ExitCode}} {{.State.OOMKilled}}')" '0 false'
done
check 'the recording is queued again, its attempt not counted' equal "$(state)" 'QUEUED|0|t'
check 'a redeploy: new containers, everything healthy' compose up -d --wait --force-recreate svc-asr svc-api svc-dashboard
check 'the interrupted transcription starts over and ends' equal \
  "$(client until "$key" "$long DONE FAILED" | head -n 1)" DONE
check 'in its first attempt' equal "$(state)" 'DONE|1|t'
check 'the first call kept its sound' equal "$(client audio "$key" "$id")" "$(wc -c <"$audio" | tr -d ' ')"
check 'svc-asr keeps nothing of the calls' equal "$(compose exec -T svc-asr find /tmp /models -type f)" ''

# ---- the examples of deploy --------------------------------------------------------------------------------

printf '  svc-worker: { image: %s }\n' "$image" >>"$work/image.yml"
with() { # with EXAMPLE COMMAND...
  local example=$1
  shift
  docker compose -p "$project" --env-file /dev/null -f compose.yml -f "deploy/compose.$example.yml" \
    -f "$work/image.yml" --progress quiet "$@"
}
check 'compose.workers.yml: an API that only answers, and two workers' \
  with workers up -d --wait --scale svc-worker=2 svc-asr svc-api svc-dashboard svc-worker
mode() { docker inspect -f '{{range .Config.Env}}{{println .}}{{end}}' "$1" | grep API_RUN_MODE; }
check 'svc-api answers alone' equal "$(mode "$(container svc-api)")" API_RUN_MODE=api
check 'both workers run' equal "$(docker ps -q --filter "name=$project-svc-worker" | wc -l | tr -d ' ')" 2
id=$(client upload "$key" <"$audio")
check 'a call that it takes is transcribed by them' equal "$(client until "$key" "$id DONE FAILED" | head -n 1)" DONE
with workers rm -fs svc-worker >/dev/null 2>&1

export DATABASES_NETWORK=$project-databases
docker network create "$DATABASES_NETWORK" >/dev/null
sed -i '/svc-worker/d' "$work/image.yml"
check 'compose.network.yml: healthy in the network of the databases too' with network up -d --wait svc-asr svc-api svc-dashboard
check 'svc-api has joined it' grep "$DATABASES_NETWORK" <(inspect svc-api '{{json .NetworkSettings.Networks}}')

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
