/** Locks .svc like a running `start`, for the set-up before it. Two set-ups must not build into one folder. */
import { createHash } from 'node:crypto'
import { mkdirSync, realpathSync } from 'node:fs'
import { createServer } from 'node:net'
import { SetupError } from './setup.mjs'

/**
 * Takes the lock under the same name as src/app/start/lock.ts. The kernel frees it with the process. Does nothing except on
 * Linux.
 * @returns a function that releases it for `start` in this process
 */
export async function acquireStartLock(folder) {
  if (process.platform !== 'linux') return async () => undefined
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const name = createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 32)
  const server = createServer((socket) => socket.destroy())
  await new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new SetupError(`It is already running with the data in ${folder}. Stop it there first (Ctrl-C).`)
          : error,
      ),
    )
    server.listen({ path: `\0svc-start-${name}` }, resolve)
  })
  return () => new Promise((resolve) => server.close(resolve))
}
