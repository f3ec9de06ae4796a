import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { rotateLarge } from './logs.ts'

describe('the logs of start', () => {
  it('stay bounded while their writers have them open, the newest three pieces kept', () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-logs-'))
    const file = join(folder, 'api.log')
    const writer = openSync(file, 'a')
    try {
      for (let round = 1; round <= 5; round++) {
        writeSync(writer, `${round}`.repeat(101))
        rotateLarge(folder, 100)
      }
      writeSync(writer, 'after')
      rotateLarge(folder, 100)
      expect(readdirSync(folder).sort()).to.deep.equal(['api.log', 'api.log.1', 'api.log.2', 'api.log.3'])
      expect(readFileSync(file, 'utf8')).to.equal('after')
      expect([1, 2, 3].map((n) => readFileSync(`${file}.${n}`, 'utf8')[0])).to.deep.equal(['5', '4', '3'])
    } finally {
      closeSync(writer)
      rmSync(folder, { recursive: true })
    }
  })
})
