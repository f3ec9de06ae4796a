import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { findExecutablePath } from '../../platform/lib/find-program.ts'
import { launchProcess, waitForStaleProcessEnd } from './process.ts'
import {
  startEmbeddedServer,
  loadOrCreateServerPassword,
  type EmbeddedServer,
  type EmbeddedServerOptions,
} from './server.ts'

/**
 * Starts the installed redis-server with an append-only file.
 * @throws Error if redis-server is not installed
 */
export async function startRedis(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const program = findExecutablePath('redis-server')
  if (!program) throw new Error('redis-server is missing: install it, or set REDIS_URL to a Redis of your own.')
  const folder = resolve(options.folder)
  const logFile = options.logFile ?? join(folder, 'redis.log')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const password = loadOrCreateServerPassword(join(folder, 'password'))
  await waitForStaleProcessEnd(join(folder, 'redis.pid'), folder, options.signal)
  const settings = join(folder, 'redis.conf')
  return startEmbeddedServer(
    {
      name: 'Redis',
      logFile,
      launch(port) {
        writeFileSync(settings, formatSettings(folder, port, password), { mode: 0o600 })
        return launchProcess({ program, args: [settings], deathSignal: 'SIGTERM', logFile })
      },
      url: (port) => `redis://:${password}@127.0.0.1:${port}`,
      answers: respondsToPing,
      stop: [['SIGTERM', 20_000]],
      kill: [],
      transientErrors: /Address already in use/,
    },
    options,
  )
}

/** Formats a configuration file. Arguments would show the password in the list of processes. */
function formatSettings(folder: string, port: number, password: string): string {
  const quote = (text: string) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
  return `bind 127.0.0.1
port ${port}
requirepass ${password}
dir ${quote(folder)}
pidfile ${quote(join(folder, 'redis.pid'))}
# Keeps the folder in the title, by which the next start recognizes a server that is still ending.
set-proc-title no
appendonly yes
# The append-only file alone holds the data.
save ""
maxmemory-policy noeviction
`
}

/** Returns whether Redis responds to PING. While it loads its data, it responds with -LOADING. */
function respondsToPing(url: string): Promise<boolean> {
  const { port, password } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: Number(port) }, () =>
      socket.write(`AUTH ${password}\r\nPING\r\n`),
    )
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
