import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { freePort } from '../../platform/lib/free-port.ts'
import { keptPassword } from './password.ts'
import type { EmbeddedServer, ServerOptions } from './postgres.ts'
import { findProgram, lastLines, launch, leftoverEnded, until, type Daemon } from './process.ts'

const READY_LIMIT = 60_000
const ATTEMPTS = 5

/** Starts the system's redis-server on a free port of 127.0.0.1, append-only and without eviction, its data in `folder`. */
export async function startRedis(options: ServerOptions): Promise<EmbeddedServer> {
  const program = findProgram('redis-server')
  if (!program) throw new Error('redis-server is missing: install it, or set REDIS_URL to a Redis of your own.')
  const folder = resolve(options.folder)
  const logFile = options.logFile ?? join(folder, 'redis.log')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const password = keptPassword(join(folder, 'password'))
  await leftoverEnded(join(folder, 'redis.pid'), folder, options.signal)

  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort())
    const settings = join(folder, 'redis.conf')
    writeFileSync(settings, settingsText(folder, port, password), { mode: 0o600 })
    const server = launch({ program, args: [settings], deathSignal: 'SIGTERM', logFile })
    try {
      await ready(server, port, password, options.signal)
      return {
        url: `redis://:${password}@127.0.0.1:${port}`,
        pid: server.pid!,
        logFile,
        exited: server.exited,
        stop: () => server.stop(['SIGTERM', 20_000]),
        kill: () => server.stop(),
      }
    } catch (error) {
      await server.stop()
      const log = lastLines(logFile)
      if (attempt < ATTEMPTS && /Address already in use/.test(log) && !options.signal?.aborted) continue
      throw new Error(`Redis ${(error as Error).message}. The end of ${logFile}:\n${log}`, { cause: error })
    }
  }
}

/** A file and not arguments: arguments show in the list of processes, and one of these is the password. */
function settingsText(folder: string, port: number, password: string): string {
  const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
  return `bind 127.0.0.1
port ${port}
requirepass ${password}
dir ${quoted(folder)}
pidfile ${quoted(join(folder, 'redis.pid'))}
# The name keeps the folder, by which the next start recognizes a server that is still ending.
set-proc-title no
appendonly yes
# The append-only file alone holds the data.
save ""
maxmemory-policy noeviction
`
}

async function ready(server: Daemon, port: number, password: string, signal?: AbortSignal): Promise<void> {
  let ended: string | undefined
  void server.exited.then((how) => (ended = how))
  await until('does not answer', READY_LIMIT, signal, async () => {
    if (ended) throw new Error(ended)
    return answers(port, password)
  })
}

/** Whether it answers PING: while it still reads its data, the answer is -LOADING. */
function answers(port: number, password: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port }, () => socket.write(`AUTH ${password}\r\nPING\r\n`))
    let text = ''
    const finish = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(2000, () => finish(false))
    socket.on('error', () => finish(false))
    socket.on('close', () => finish(false))
    socket.on('data', (data) => {
      text += data.toString()
      if (text.includes('+PONG')) finish(true)
      else if (text.includes('-', 1)) finish(false)
    })
  })
}
