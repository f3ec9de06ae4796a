import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Ports that the system gives to nobody by itself: from 32,768 on (on macOS and Windows 49,152) it takes them for connections to
 * other servers, and may take one between the moment it was found free and the moment somebody listens on it.
 */
const [FIRST, COUNT] = [16_000, 16_000]
/** Processes that begin together look from so many ports apart. */
const APART = 61
let tried = process.pid * APART

/** A port of 127.0.0.1 that nobody uses at this moment; a process is not told of the same one again. */
export async function freePort(): Promise<number> {
  for (let left = COUNT; left > 0; left--) {
    const port = FIRST + (tried++ % COUNT)
    if (await isFree(port)) return port
  }
  throw new Error(`every port of 127.0.0.1 from ${FIRST} to ${FIRST + COUNT - 1} is in use`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    await once(server.close(), 'close')
    return true
  } catch {
    return false
  }
}
