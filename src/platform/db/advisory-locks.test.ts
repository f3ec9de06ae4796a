import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { ADVISORY_LOCK_KEYS } from './advisory-locks.ts'
import { insertCalls } from '../../test/calls.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

describe('advisory locks', () => {
  it('each database function uses the advisory lock of its purpose', () => {
    const schema = JSON.parse(readFileSync('migrations/schema.json', 'utf8')) as Record<string, string>
    const locks = Object.entries(schema).flatMap(([name, text]) => {
      const key = /pg_(?:try_)?advisory_xact_lock\((\d+)\)/.exec(text)?.[1]
      return key === undefined ? [] : [[name.replace(/^function (\w+).*/, '$1'), Number(key)]]
    })
    expect(Object.fromEntries(locks)).to.deep.equal({
      transcripts_ready: ADVISORY_LOCK_KEYS.numberTexts,
      add_up_deal_calls: ADVISORY_LOCK_KEYS.addUpDealCalls,
      add_up_recording_counts: ADVISORY_LOCK_KEYS.addUpRecordingCounts,
      add_up_rule_counts: ADVISORY_LOCK_KEYS.addUpRuleCounts,
    })
  })

  it('no two purposes share an advisory lock', () => {
    expect(new Set(Object.values(ADVISORY_LOCK_KEYS))).to.have.property('size', Object.keys(ADVISORY_LOCK_KEYS).length)
  })

  describe('locks of texts', () => {
    let app: TestApp
    before(async () => {
      app = await startTestApp({ API_RUN_MODE: 'api' })
    })
    after(() => app.stop())

    for (const [doing, statement] of [
      ['rule counts are added up', 'SELECT add_up_rule_counts()'],
      ['people change', `SELECT pg_advisory_xact_lock(${ADVISORY_LOCK_KEYS.people})`],
    ] as const) {
      it(`a transaction can commit a text while ${doing}`, async () => {
        const [other, worker] = [await app.db.connect(), await app.db.connect()]
        try {
          await other.query(`BEGIN; ${statement}`)
          await worker.query("SET lock_timeout = '2s'")
          const [id] = await insertCalls({ db: worker as unknown as typeof app.db }, [{ at: '2026-03-01T10:00:00Z' }])
          const { rowCount } = await app.db.query('SELECT FROM transcripts WHERE recording_id = $1', [id])
          expect(rowCount).to.equal(1)
        } finally {
          await other.query('ROLLBACK')
          other.release()
          worker.release(true)
        }
      })
    }
  })
})
