import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { waitUntil } from '../../test/wait.ts'
import { SmallDisk } from '../../test/small-disk.ts'
import { rotateAllLogs, startLogRotation, rotateLargeLogs } from './log-rotation.ts'

describe('logs of npm start', () => {
  it('large logs are rotated while open, and the newest three pieces are kept', () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-logs-'))
    const file = join(folder, 'api.log')
    const writer = openSync(file, 'a')
    try {
      for (let round = 1; round <= 5; round++) {
        writeSync(writer, `${round}`.repeat(101))
        rotateLargeLogs(folder, 100)
      }
      writeSync(writer, 'after')
      rotateLargeLogs(folder, 100)
      expect(readdirSync(folder).sort()).to.deep.equal(['api.log', 'api.log.1', 'api.log.2', 'api.log.3'])
      expect(readFileSync(file, 'utf8')).to.equal('after')
      expect([1, 2, 3].map((n) => readFileSync(`${file}.${n}`, 'utf8')[0])).to.deep.equal(['5', '4', '3'])
    } finally {
      closeSync(writer)
      rmSync(folder, { recursive: true })
    }
  })

  it('the logs of the last three runs are kept', () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-logs-'))
    try {
      for (const run of [1, 2, 3, 4, 5]) {
        rotateAllLogs(folder)
        writeFileSync(join(folder, 'api.log'), `run ${run}`)
      }
      const kept = readdirSync(folder)
        .sort()
        .map((name) => readFileSync(join(folder, name), 'utf8'))
      expect(kept).to.deep.equal(['run 5', 'run 4', 'run 3', 'run 2'])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('older logs stay if a full disk prevents the copy of a log', function () {
    const folder = mkdtempSync(join(tmpdir(), 'svc-logs-'))
    const disk = SmallDisk.mount(folder, 1)
    if (!disk) this.skip()
    try {
      const file = join(folder, 'api.log')
      writeFileSync(file, 'x'.repeat(300_000))
      writeFileSync(`${file}.1`, 'older')
      disk.fill()
      rotateLargeLogs(folder, 100)
      disk.free()
      expect(readdirSync(folder).sort()).to.deep.equal(['api.log', 'api.log.1'])
      expect([readFileSync(file, 'utf8'), readFileSync(`${file}.1`, 'utf8')]).to.deep.equal(['', 'older'])
    } finally {
      disk.unmount()
      rmSync(folder, { recursive: true })
    }
  })

  it('log rotation repeats until it is stopped', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-logs-'))
    const file = join(folder, 'api.log')
    writeFileSync(file, '')
    const end = startLogRotation(folder, 20)
    try {
      for (const n of [1, 2]) {
        truncateSync(file, 10 * 1024 * 1024 + 1)
        await waitUntil(`piece ${n}`, () => existsSync(`${file}.${n}`))
      }
    } finally {
      end()
      rmSync(folder, { recursive: true })
    }
  })

  it('npm start begins log rotation before the parts and stops it at the end', () => {
    // The test parses the source instead of running it, because the first rotation happens after 30 seconds.
    const source = readFileSync('src/app/commands/start.ts', 'utf8')
    const [begins, first, ends] = [
      `= startLogRotation(join(plan.folder, 'logs'))`,
      '= startParts(',
      'stopLogRotation?.()',
    ]
    expect(source).to.include(begins).and.include(ends)
    expect(source.indexOf(begins)).to.be.lessThan(source.indexOf(first))
  })
})
