import { once } from 'node:events'
import { createServer } from 'node:net'
import { platform } from 'node:process'

/**
 * Ports below the ephemeral range, which begins at 32,768 (on macOS and Windows at 49,152). The system can assign an ephemeral
 * port to a connection between our check and listen().
 */
const [FIRST, COUNT] = [16_000, 16_000]
/** The distance between the first ports of processes that start together. */
const APART = 61
const ATTEMPTS = 10
let tried = process.pid * APART

/**
 * Returns a currently free port of 127.0.0.1. While this process lives, neither it nor another of our processes gets the same
 * port again. Other programs can still take it: use `onFreePort` if `start` reports that.
 */
export async function freePort(): Promise<number> {
  for (let left = COUNT; left > 0; left--) {
    const port = FIRST + (tried++ % COUNT)
    if ((await reserve(port)) && (await isFree(port))) return port
  }
  throw new Error(`every port of 127.0.0.1 from ${FIRST} to ${FIRST + COUNT - 1} is in use`)
}

/** Calls `start` with a free port, and again with another one if the port was taken before it listened. */
export const onFreePort = <T>(start: (port: number) => Promise<T>): Promise<T> =>
  retryOnTakenPort(async () => start(await freePort()))

/** Retries `start` while it fails because a port is taken; `start` chooses new ports each time. */
export async function retryOnTakenPort<T>(start: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start()
    } catch (error) {
      if (attempt === ATTEMPTS || !isPortTaken(error as NodeJS.ErrnoException)) throw error
    }
  }
}

function isPortTaken({ code, message }: NodeJS.ErrnoException): boolean {
  return (
    code === 'EADDRINUSE' || /EADDRINUSE|address already in use|port \d+\b.* (is taken|cannot be opened)/i.test(message)
  )
}

/** Claims a port among our processes with an abstract socket, whose name the kernel frees when the process ends. */
async function reserve(port: number): Promise<boolean> {
  if (platform !== 'linux') return true
  return listens({ path: `\0svc-port-${port}`, exclusive: true }, true)
}

const isFree = (port: number): Promise<boolean> => listens({ port, host: '127.0.0.1', exclusive: true }, false)

/** Whether the address is free; `stay` keeps listening without keeping the process alive. */
async function listens(
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
