import { once } from 'node:events'
import { createServer } from 'node:net'
import { platform } from 'node:process'

/**
 * Ports that the system gives to nobody by itself: from 32,768 on (on macOS and Windows 49,152) it takes them for connections to
 * other servers, and may take one between the moment it was found free and the moment somebody listens on it.
 */
const [FIRST, COUNT] = [16_000, 16_000]
/** Processes that begin together look from so many ports apart. */
const APART = 61
const ATTEMPTS = 10
let tried = process.pid * APART

/**
 * A port of 127.0.0.1 that nobody uses at this moment; neither this process nor another of ours is told of the same one again
 * while this one lives. A stranger may still take it: use `onFreePort` where that can be seen.
 */
export async function freePort(): Promise<number> {
  for (let left = COUNT; left > 0; left--) {
    const port = FIRST + (tried++ % COUNT)
    if ((await reserve(port)) && (await isFree(port))) return port
  }
  throw new Error(`every port of 127.0.0.1 from ${FIRST} to ${FIRST + COUNT - 1} is in use`)
}

/** Starts something on a free port, and on another one where somebody took it before it listened. */
export const onFreePort = <T>(start: (port: number) => Promise<T>): Promise<T> =>
  retryOnTakenPort(async () => start(await freePort()))

/** Starts something again while it fails because a port is taken; `start` chooses its ports anew each time. */
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

/** Claims a port among the processes of ours: the kernel frees the name of an abstract socket with its process. */
async function reserve(port: number): Promise<boolean> {
  if (platform !== 'linux') return true
  return listens({ path: `\0svc-port-${port}`, exclusive: true }, true)
}

const isFree = (port: number): Promise<boolean> => listens({ port, host: '127.0.0.1', exclusive: true }, false)

/** Whether the address could be listened on; `stay` goes on with it, without keeping the process alive. */
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
