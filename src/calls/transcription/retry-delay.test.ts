import { expect } from 'chai'
import { CallbackReceiver } from '../../test/callback-receiver.ts'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

describe('retry delays', () => {
  const recognizer = new ScriptedRecognizer()
  const receiver = new CallbackReceiver()
  let app: TestApp
  before(async () => {
    await Promise.all([recognizer.start(), receiver.start()])
    recognizer.answer = (recognition) => recognition.fail('INTERNAL', 'again')
    receiver.answer = (_, response) => response.writeHead(503).end()
    app = await startTestApp({
      asrUrl: recognizer.url,
      TRANSCRIPTION_RETRY_DELAY_SECONDS: 7,
      TRANSCRIPTION_ATTEMPTS: 4,
      CALLBACK_RETRY_DELAY_SECONDS: 11,
      ALLOW_PRIVATE_NETWORK_DOWNLOADS: true,
    })
  })
  after(async () => {
    await app.stop()
    await Promise.all([recognizer.stop(), receiver.stop()])
  })

  /**
   * Records the pause after each failed attempt of a row. A pause lasts from the stored failure to the time of the next attempt.
   * Both times come from the database, so the speed of this machine does not matter.
   */
  async function recordPauses(table: 'recordings' | 'deliveries'): Promise<void> {
    await app.db.query(`CREATE TABLE IF NOT EXISTS ${table}_pauses (attempts int, pause float)`)
    await app.db.query(`
      CREATE OR REPLACE FUNCTION note_${table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.next_attempt_at > now() AND NEW.next_attempt_at IS DISTINCT FROM OLD.next_attempt_at THEN
          INSERT INTO ${table}_pauses VALUES (NEW.attempts, extract(epoch FROM NEW.next_attempt_at - now()));
        END IF;
        RETURN NEW; END $$;
      DROP TRIGGER IF EXISTS note ON ${table};
      CREATE TRIGGER note AFTER UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION note_${table}()`)
  }
  /** Returns the recorded pauses when there are `count` of them, without waiting for the last pause to end. */
  const pauses = (table: 'recordings' | 'deliveries', count: number): Promise<number[]> =>
    waitUntil(`${count} pauses`, async () => {
      await app.db.query(`UPDATE ${table} SET next_attempt_at = now() WHERE next_attempt_at > now()`)
      const { rows } = await app.db.query(`SELECT pause FROM ${table}_pauses ORDER BY attempts`)
      return rows.length >= count && rows.map(({ pause }) => pause as number)
    })

  it('transcription pauses for TRANSCRIPTION_RETRY_DELAY_SECONDS, doubled after each failed attempt', async () => {
    await recordPauses('recordings')
    await app.ida.upload('x')
    const found = await pauses('recordings', 3)
    expect(found.map(Math.round)).to.deep.equal([7, 14, 28])
  })

  it('callbacks pause for CALLBACK_RETRY_DELAY_SECONDS, doubled after each failed attempt', async () => {
    await recordPauses('deliveries')
    recognizer.answer = (recognition) => recognition.finish('done')
    await app.ida.upload('y', { callbackUrl: `${receiver.url}/hook` })
    const found = await pauses('deliveries', 5)
    expect(found.map(Math.round)).to.deep.equal([11, 22, 44, 88, 176])
  })
})
