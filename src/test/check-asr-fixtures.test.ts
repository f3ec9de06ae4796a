import { spawnSync } from 'node:child_process'
import { expect } from 'chai'
import { RECOGNIZER_FIXTURES_FOLDER } from './asr-fixtures.ts'

describe('scripts/check-asr-fixtures.mjs', () => {
  it('the script finds no differences from the reference answers in the repository', () => {
    const args = ['scripts/check-asr-fixtures.mjs', RECOGNIZER_FIXTURES_FOLDER]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect(status, stdout + stderr).to.equal(0)
    expect(stdout).to.match(/^[1-9]\d{4} comparisons, 0 differences$/m)
  })
})
