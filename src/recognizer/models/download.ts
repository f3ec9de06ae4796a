import { basename } from 'node:path'
import type { Logger } from '../../platform/lib/log.ts'
import { DiskError } from './disk.ts'
import { broken, HubError, type Facts, type Hub, type Opened } from './hub.ts'
import { Part, type Origin } from './part.ts'
import { persist, type Patience } from './patience.ts'
import { Progress } from './progress.ts'

class DamagedError extends Error {}

export interface Order {
  /** The target path; its name is the name at the hub. */
  target: string
  /** The facts from the hub so far. */
  facts: Facts
  /** @throws if the file at `path` is not of the right kind */
  check: (path: string) => Promise<void>
}

/** Fetches a file, or the rest of it, and checks it. A partial file stays for the next start. */
export async function download(hub: Hub, order: Order, patience: Patience, log: Logger): Promise<void> {
  const name = basename(order.target)
  const part = await Part.of(order.target)
  try {
    const { sha256 } = await fetchSound(hub, order, part, patience, log)
    // A right checksum proves the file's kind: fetching it again cannot help then.
    if (sha256 === undefined) await checkKind(part, order)
    await part.finish()
  } catch (error) {
    throw isDiskError(error) ? new DiskError(order.target, part.size, error) : error
  } finally {
    await part.close()
  }
  log.info({ file: name, bytes: part.size }, `${name} is in its place`)
}

/** Fetches until size and checksum are right, at most twice. Returns the hub's facts about the file. */
async function fetchSound(hub: Hub, order: Order, part: Part, patience: Patience, log: Logger): Promise<Facts> {
  const name = basename(order.target)
  const progress = new Progress(name, patience.progressMs, log)
  for (let damaged = 0; ; damaged++) {
    const attempt = () => fetchRest(hub, name, part, order.facts, progress)
    const facts = await persist(patience, log, attempt, () => part.size)
    try {
      await verify(part, name, hub.host, facts)
      return facts
    } catch (error) {
      if (!(error instanceof DamagedError)) throw error
      await part.drop()
      if (damaged === 1) throw new HubError(`${error.message} It was fetched twice.`)
      log.warn(`${error.message} Fetching it once more.`)
    }
  }
}

/** Requests the missing bytes and appends them. Returns the hub's facts about the whole file. */
async function fetchRest(hub: Hub, name: string, part: Part, known: Facts, progress: Progress): Promise<Facts> {
  const { origin, size: from } = part
  const resuming = from > 0 && mayResume(origin, known)
  if (resuming && from === (known.size ?? origin.size)) return merge(known, origin)
  const certain = known.sha256 !== undefined && known.sha256 === origin.sha256
  // Equal checksums are the best proof of equal content; ETags differ between servers of one content network.
  const opened = await hub.open(name, resuming ? { from, etag: certain ? undefined : origin.etag } : undefined)
  try {
    const facts = merge(known, opened.facts)
    if (resuming && opened.from !== 0 && !(opened.from === from && continues(origin, opened))) {
      await part.drop()
      return await fetchRest(hub, name, part, facts, progress)
    }
    if (opened.from !== 0 && !resuming)
      throw new HubError(`${hub.host} sends a part of ${name} that was not asked for.`)
    if (opened.from === 0) await part.restart({ ...facts, ...(opened.etag ? { etag: opened.etag } : {}) })
    await take(opened, hub.host, name, part, facts, progress)
    return facts
  } finally {
    opened.body.destroy()
  }
}

/** Whether the hub can have the same content as the partial file. */
function mayResume(origin: Origin, known: Facts): boolean {
  if (!agree(origin.size, known.size)) return false
  if (origin.sha256 !== undefined) return agree(origin.sha256, known.sha256)
  return origin.etag !== undefined
}

/** Whether the response has the same content as the partial file. */
function continues(origin: Origin, { facts, etag }: Opened): boolean {
  if (!agree(origin.size, facts.size) || !agree(origin.sha256, facts.sha256)) return false
  return (origin.sha256 !== undefined && facts.sha256 !== undefined) || agree(origin.etag, etag)
}

/** Earlier facts win: a length that a proxy adds later must not replace the one of the file. */
const merge = (first: Facts, then: Facts): Facts => ({
  size: first.size ?? then.size,
  sha256: first.sha256 ?? then.sha256,
})

const agree = <T>(a: T | undefined, b: T | undefined) => a === undefined || b === undefined || a === b

async function take(
  { body }: Opened,
  host: string,
  name: string,
  part: Part,
  { size }: Facts,
  progress: Progress,
): Promise<void> {
  progress.begin(part.size, size)
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  for (;;) {
    const chunk = await chunks.next().catch((error) => {
      throw broken(host, name, error)
    })
    if (chunk.done) break
    await part.append(chunk.value)
    progress.reached(part.size)
  }
  if (size !== undefined && part.size < size) throw broken(host, name, new Error('it ended before the end of the file'))
}

async function verify(part: Part, name: string, host: string, { size, sha256 }: Facts): Promise<void> {
  if (size !== undefined && part.size !== size) {
    throw new DamagedError(`${name} from ${host} has ${part.size} bytes; it should have ${size}.`)
  }
  if (sha256 === undefined) return
  const found = await part.sha256()
  if (found !== sha256) {
    throw new DamagedError(`${name} from ${host} is damaged: its SHA-256 is ${found}; it should be ${sha256}.`)
  }
}

/** A wrong file must not replace the right one, because every later start would use it. */
async function checkKind(part: Part, { check }: Order): Promise<void> {
  try {
    await check(part.path)
  } catch (error) {
    await part.drop()
    throw error
  }
}

function isDiskError(error: unknown): error is NodeJS.ErrnoException {
  return ['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EACCES', 'EPERM', 'EIO'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  )
}
