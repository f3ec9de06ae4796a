import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { createServer } from 'node:net'
import { platform } from 'node:process'
import type { Config } from '../../platform/config/config.ts'

/**
 * Locks the folder with an abstract socket, which the kernel frees when this process ends.
 * @throws Error if another process has locked it
 */
export async function lockInstallationFolder(folder: string): Promise<void> {
  // Abstract sockets exist only on Linux. Elsewhere, the ports prevent a second start.
  if (platform !== 'linux') return
  const name = createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 32)
  if (!(await canListen({ path: `\0svc-start-${name}` }, true))) {
    throw new Error(`It is already running with the data in ${folder}. Stop it there first (Ctrl-C).`)
  }
}

/**
 * Checks that the ports of panel, API and recognizer are free.
 * @throws Error with every port in use
 */
export async function requireFreePorts({ host, panelPort, apiPort, asrPort }: Config): Promise<void> {
  const requiredPorts = [
    [panelPort, 'the panel'],
    [apiPort, 'the API'],
    [asrPort, 'the recognizer'],
  ] as const
  const problems: string[] = []
  for (const [port, who] of requiredPorts) {
    if (!(await canListen({ host, port }, false))) problems.push(`Port ${port} is taken; ${who} needs it.`)
  }
  if (problems.length > 0) throw new Error(`${problems.join('\n')}\nStop what uses it, then start again.`)
}

/** Returns whether the address is free. With `keepsListening`, the socket stays open without keeping the process alive. */
function canListen(
  address: { path: string } | { host: string; port: number },
  keepsListening: boolean,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false)
      else reject(error)
    })
    server.listen({ ...address, exclusive: true }, () => {
      if (!keepsListening) return server.close(() => resolve(true))
      server.unref()
      return resolve(true)
    })
  })
}
