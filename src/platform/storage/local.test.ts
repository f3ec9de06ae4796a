import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { chooseRepeatCount } from '../../test/repeat-count.ts'
import { waitUntil } from '../../test/wait.ts'
import { StorageObjectMissingError, StorageUnavailableError, type ListedStorageObject } from './storage.ts'
import { LocalAudioStorage } from './local.ts'

const MB = 1024 * 1024

describe('local storage', () => {
  let folder: string
  let root: string
  let storage: LocalAudioStorage
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-local-'))
    root = join(folder, 'audio')
    storage = await LocalAudioStorage.open(root)
    await mkdir(join(root, 'in'))
    await mkdir(join(folder, 'outside'))
    await writeFile(join(folder, 'outside', 'call.wav'), 'secret')
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  const isMissing = async (work: Promise<unknown>) =>
    work.then(
      () => false,
      (error: unknown) => error instanceof StorageObjectMissingError,
    )

  it('a pipe, folder, link or device is not an object', async () => {
    execFileSync('mkfifo', [join(root, 'in', 'pipe.wav')])
    await mkdir(join(root, 'in', 'folder.wav'))
    await symlink(join(folder, 'outside', 'call.wav'), join(root, 'in', 'link.wav'))
    await symlink('/dev/zero', join(root, 'in', 'device.wav'))
    await symlink(join(folder, 'outside'), join(root, 'linked'))
    for (const key of ['in/pipe.wav', 'in/folder.wav', 'in/link.wav', 'in/device.wav', 'linked/call.wav', 'in/none.wav']) {
      expect(await isMissing(storage.stat(key)), `stat ${key}`).to.equal(true)
      expect(await isMissing(storage.read(key)), `read ${key}`).to.equal(true)
    }
  }) // prettier-ignore

  /** Exchanges the names of a folder in a tight loop of a worker thread until the returned function is called. */
  async function exchange(script: string): Promise<() => Promise<void>> {
    const worker = new Worker(
      `const fs = require('node:fs'), { parentPort, workerData: { root, folder } } = require('node:worker_threads')
       let going = true
       parentPort.on('message', () => (going = false))
       const turn = () => { for (let n = 0; n < 20; n++) { ${script} } going ? setImmediate(turn) : parentPort.close() }
       parentPort.postMessage('begun')
       turn()`,
      { eval: true, workerData: { root, folder } },
    )
    await new Promise((resolve) => worker.once('message', resolve))
    return async () => {
      const ended = new Promise((resolve) => worker.once('exit', resolve))
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
      worker.postMessage('stop')
      await ended
    }
  }

  it('the storage reads nothing outside while files and folders are replaced by links', async () => {
    await writeFile(join(root, 'in', 'call.wav'), 'sound')
    for (const script of [
      `fs.symlinkSync(folder + '/outside/call.wav', root + '/l'); fs.renameSync(root + '/l', root + '/in/call.wav')
       fs.writeFileSync(root + '/f', 'sound'); fs.renameSync(root + '/f', root + '/in/call.wav')`,
      `fs.renameSync(root + '/in', root + '/away'); fs.symlinkSync(folder + '/outside', root + '/in')
       fs.unlinkSync(root + '/in'); fs.renameSync(root + '/away', root + '/in')`,
    ]) {
      const stop = await exchange(script)
      const seen = new Set<string>()
      try {
        // The thread can pause for several hundred reads, so continue until both states occurred.
        for (let n = 0; n < 1000 || (!seen.has('sound') && n < 200_000); n++) {
          const content = await storage.read('in/call.wav').then(text, (error: unknown) => {
            if (error instanceof StorageObjectMissingError) return 'missing'
            throw error
          })
          seen.add(content)
        }
      } finally {
        await stop()
      }
      expect([...seen], script)
        .to.include('sound')
        .and.to.not.include('secret')
    }
  })

  it('the storage removes nothing outside while a folder is replaced by a link', async () => {
    const stop = await exchange(
      `fs.renameSync(root + '/in', root + '/away'); fs.symlinkSync(folder + '/outside', root + '/in')
       fs.unlinkSync(root + '/in'); fs.renameSync(root + '/away', root + '/in')`,
    )
    try {
      for (let n = 0; n < 500; n++) await storage.remove('in/call.wav')
    } finally {
      await stop()
    }
    expect(await readFile(join(folder, 'outside', 'call.wav'), 'utf8')).to.equal('secret')
  })

  it('the storage writes nothing outside while a new folder is replaced by a link', async () => {
    if (process.getuid?.() === 0) await chown(root, 65_534, 65_534)
    const before = await stat(join(folder, 'outside'))
    await mkdir(join(root, 'away'))
    const stop = await exchange(
      `try { fs.renameSync(root + '/new', root + '/away/' + Math.random()); fs.symlinkSync(folder + '/outside', root + '/new') } catch {}
       try { fs.unlinkSync(root + '/new') } catch {}`,
    )
    try {
      for (let n = 0; n < chooseRepeatCount(150, 500); n++)
        await storage.write(`new/day/${n}`, soundOf(1)).catch(() => undefined)
    } finally {
      await stop()
    }
    expect(await readdir(join(folder, 'outside'))).to.deep.equal(['call.wav'])
    const { uid, gid } = await stat(join(folder, 'outside'))
    expect([uid, gid]).to.deep.equal([before.uid, before.gid])
    expect(await storage.write('new/day/last', soundOf(1))).to.equal(1)
  })

  it('the storage does not change the owner of a linked file outside', async function () {
    if (process.getuid?.() !== 0) this.skip()
    await chown(root, 65_534, 65_534)
    const unfinished = join(root, 'uploads', 'x.part')
    const sender = new PassThrough()
    const written = storage.write('uploads/x', sender)
    await waitUntil('it has begun', () => existsSync(unfinished))
    await rm(unfinished)
    await symlink(join(folder, 'outside', 'call.wav'), unfinished)
    sender.end('sound')
    await written
    expect((await stat(join(folder, 'outside', 'call.wav'))).uid).to.equal(0)
    expect(await isMissing(storage.read('uploads/x'))).to.equal(true)
  })

  it('an upload fails if its folder is moved away meanwhile', async () => {
    const sender = new PassThrough()
    const written = storage.write('uploads/x', sender).catch((error: unknown) => error)
    await waitUntil('it has begun', () => existsSync(join(root, 'uploads', 'x.part')))
    await rename(join(root, 'uploads'), join(root, 'moved'))
    sender.end('sound')
    expect(await written).to.be.instanceOf(StorageUnavailableError)
  })

  const listed = async (name: string) => {
    const objects: ListedStorageObject[] = []
    for await (const object of storage.list(name)) objects.push(object)
    return objects
  }

  it('the storage lists nothing outside while folders are replaced by links', async () => {
    await writeFile(join(folder, 'outside', 'private.wav'), 'secret')
    await mkdir(join(root, 'in', 'deep'))
    for (const name of ['in', 'in/deep']) await writeFile(join(root, name, 'call.wav'), 'sound')
    for (const name of ['in', 'in/deep']) {
      const stop = await exchange(
        `fs.renameSync(root + '/${name}', root + '/away'); fs.symlinkSync(folder + '/outside', root + '/${name}')
         fs.unlinkSync(root + '/${name}'); fs.renameSync(root + '/away', root + '/${name}')`,
      )
      const seen = new Set<string>()
      try {
        // The thread can pause for several hundred listings, so continue until both states occurred.
        for (let n = 0; n < 1000 || (seen.size < 2 && n < 200_000); n++) {
          for (const { key, size } of await listed('in')) seen.add(`${key} ${size}`)
        }
      } finally {
        await stop()
      }
      expect([...seen], name).to.have.members(['in/call.wav 5', 'in/deep/call.wav 5'])
    }
  })

  it('a listing skips linked folders, hidden files and invalid keys', async () => {
    await symlink(join(folder, 'outside'), join(root, 'linked'))
    await symlink(join(folder, 'outside'), join(root, 'in', 'linked'))
    for (const name of ['call.wav', '.hidden', 'a\\b']) await writeFile(join(root, 'in', name), 'sound')
    expect(await listed('linked')).to.deep.equal([])
    expect(await listed('nothing')).to.deep.equal([])
    expect((await listed('in')).map(({ key }) => key)).to.deep.equal(['in/call.wav'])
  })

  it('remove() ignores keys that are not objects', async () => {
    await mkdir(join(root, 'in', 'folder.wav'))
    await symlink(join(folder, 'outside'), join(root, 'linked'))
    for (const key of ['in/folder.wav', 'linked/call.wav', 'in/none.wav', 'gone/none.wav', '../x', 'in/folder.wav/x']) {
      await storage.remove(key)
    }
    expect(await readdir(join(folder, 'outside'))).to.deep.equal(['call.wav'])
    expect(await readdir(join(root, 'in'))).to.deep.equal(['folder.wav'])
  })

  it('a range beyond the end of a file is a missing object', async () => {
    await writeFile(join(root, 'in', 'call.wav'), 'sound')
    expect(await text(await storage.read('in/call.wav', { start: 1, end: 4 }))).to.equal('ound')
    expect(await isMissing(storage.read('in/call.wav', { start: 1, end: 5 }))).to.equal(true)
  })

  it('the storage accepts a hundred slow uploads at once with little memory', async () => {
    const size = 256 * 1024
    const bytesBefore = process.memoryUsage().arrayBuffers
    const senders = Array.from({ length: 100 }, () => new PassThrough())
    const written = Promise.all(senders.map((sender, n) => storage.write(`uploads/${n}`, sender)))
    const piece = Buffer.alloc(size, 'x')
    try {
      for (const sender of senders) sender.write(piece)
      await waitUntil('all of it is taken', () => senders.every((one) => one.readableLength + one.writableLength === 0))
      expect((process.memoryUsage().arrayBuffers - bytesBefore) / MB).to.be.below(60)
    } finally {
      for (const sender of senders) sender.end()
    }
    expect(new Set(await written)).to.deep.equal(new Set([size]))
  })

  it('files and folders that root creates belong to the owner of the storage', async function () {
    if (process.getuid?.() !== 0) this.skip()
    await chown(root, 65_534, 65_534)
    await storage.write('uploads/2026-01-01/x', soundOf(1))
    for (const name of ['uploads', 'uploads/2026-01-01', 'uploads/2026-01-01/x']) {
      const { uid, gid } = await stat(join(root, name))
      expect([uid, gid], name).to.deep.equal([65_534, 65_534])
    }
  })

  it('a full disk fails a write with ENOSPC and leaves no file', async function () {
    const [image, small] = [join(folder, 'image'), join(folder, 'small')]
    await mkdir(small)
    try {
      execFileSync('truncate', ['-s', '24M', image])
      execFileSync('mkfs.ext4', ['-q', '-m', '0', image], { stdio: 'ignore' })
      execFileSync('mount', ['-o', 'loop', image, small], { stdio: 'ignore' })
    } catch {
      this.skip() // only root can mount
    }
    try {
      const disk = await LocalAudioStorage.open(join(small, 'audio'))
      const room = await disk.freeBytes()
      for (const size of [room + 1, room + 3 * MB, 2 * room]) {
        const error = await disk.write('uploads/large', soundOf(size)).catch((error: unknown) => error)
        expect(error, `${size} bytes`).to.have.property('code', 'ENOSPC')
        expect(await readdir(join(small, 'audio', 'uploads'))).to.deep.equal([])
      }
      // Another writer takes space, so this write fails in the middle instead of at the beginning.
      execFileSync('fallocate', ['-l', String(Math.floor(room / 2)), join(small, 'other')])
      expect(await disk.write('uploads/large', soundOf(room)).catch(({ code }) => code)).to.equal('ENOSPC')
      await rm(join(small, 'other'))
      expect(await disk.write('uploads/next', soundOf(room / 2))).to.equal(room / 2)
      const content = await buffer(await disk.read('uploads/next'))
      expect(content.equals(await buffer(soundOf(room / 2)))).to.equal(true)
    } finally {
      execFileSync('umount', [small])
    }
  })

  /** Streams this many bytes in chunks that are not aligned to disk blocks. */
  const soundOf = (size: number) =>
    Readable.from(
      (function* () {
        for (let sent = 0; sent < size; sent += 65_537) yield Buffer.alloc(Math.min(65_537, size - sent), sent % 251)
      })(),
      { objectMode: false },
    )
})
