import { once } from 'node:events'
import { createServer } from 'node:net'
import { platform } from 'node:process'

/**
 * Stays below the ephemeral range, which begins at 32,768 (on macOS and Windows at 49,152). The system can assign an ephemeral
 * port to another connection between our check and listen().
 */
const [FIRST_PORT, PORT_COUNT] = [16_000, 16_000]
/** Keeps apart the first ports of processes that start together. */
const PORT_DISTANCE = 61
const MAX_ATTEMPTS = 10
let nextPortOffset = process.pid * PORT_DISTANCE

/**
 * Returns a currently free port of 127.0.0.1. On Linux, no other process of ours gets the same port while this process lives.
 * Other programs can still take it; use startOnFreePort() to retry then.
 */
export async function findFreePort(): Promise<number> {
  for (let remaining = PORT_COUNT; remaining > 0; remaining--) {
    const port = FIRST_PORT + (nextPortOffset++ % PORT_COUNT)
    if ((await reservePort(port)) && (await isPortFree(port))) return port
  }
  throw new Error(`every port of 127.0.0.1 from ${FIRST_PORT} to ${FIRST_PORT + PORT_COUNT - 1} is in use`)
}

/** Calls `start` with a free port, up to ten times while the port was taken meanwhile. */
export const startOnFreePort = <T>(start: (port: number) => Promise<T>): Promise<T> =>
  retryOnTakenPort(async () => start(await findFreePort()))

/** Calls `start` up to ten times while its error says that a port is taken. `start` must choose new ports each time. */
export async function retryOnTakenPort<T>(start: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start()
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isPortTaken(error as NodeJS.ErrnoException)) throw error
    }
  }
}

function isPortTaken({ code, message }: NodeJS.ErrnoException): boolean {
  return (
    code === 'EADDRINUSE' || /EADDRINUSE|address already in use|port \d+\b.* (is taken|cannot be opened)/i.test(message)
  )
}

/** Reserves a port among our processes with an abstract socket. The kernel frees the socket when the process ends. */
async function reservePort(port: number): Promise<boolean> {
  if (platform !== 'linux') return true
  return canListen({ path: `\0svc-port-${port}`, exclusive: true }, true)
}

const isPortFree = (port: number): Promise<boolean> => canListen({ port, host: '127.0.0.1', exclusive: true }, false)

/** Returns true if the address is free. With `stay`, keeps listening without keeping the process alive. */
async function canListen(
  address: { path: string; exclusive: true } | { port: number; host: string; exclusive: true },
  stay: boolean,
) {
  const server = createServer((socket) => socket.destroy())
  try {
    await once(server.listen(address), 'listening')
    if (stay) server.unref()
    else await once(server.close(), 'close')
    return true
  } catch {
    return false
  }
}
