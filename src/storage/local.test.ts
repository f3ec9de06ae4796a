import { chownSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import { LocalStorage } from './local.ts'

describe('the local storage', () => {
  it("gives folders and files that root makes to the folder's owner, whose uploads go there the same day", async function () {
    if (process.getuid?.() !== 0) this.skip()
    const root = mkdtempSync(join(tmpdir(), 'svc-owner-'))
    try {
      chownSync(root, 12_345, 12_346)
      const storage = await LocalStorage.open(root)
      await storage.write('uploads/2026/11/21/a', Readable.from([Buffer.from('sound')]))
      for (let at = join(root, 'uploads/2026/11/21/a'); at !== root; at = dirname(at)) {
        const { uid, gid } = statSync(at)
        expect([uid, gid], at).to.deep.equal([12_345, 12_346])
      }
    } finally {
      rmSync(root, { recursive: true })
    }
  })
})
