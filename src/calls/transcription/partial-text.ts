import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import type { JobClaim } from '../../platform/queue/queue.ts'
import { loadVisibleRecording } from '../recordings/service.ts'
import type { TranscriptSegment } from '../transcripts/entity.ts'

/**
 * Stores the text of a call during its transcription. Rows of a released attempt stay until a later attempt ends. Their outdated
 * token hides these rows.
 */
export class PartialTextWriter {
  private count = 0
  private unwritten: TranscriptSegment[] = []
  private isWriting = false

  constructor(
    private readonly core: Core,
    private readonly claim: Pick<JobClaim, 'id' | 'token'>,
  ) {}

  /** Writes segments in the background. Only logs failures, because the transcript will contain all segments. */
  add(segments: TranscriptSegment[]): void {
    this.unwritten.push(...segments)
    if (this.isWriting || this.unwritten.length === 0) return
    this.isWriting = true
    this.write(this.unwritten.splice(0))
      .catch(({ message: reason }: Error) =>
        this.core.log.warn({ recordingId: this.claim.id, reason }, 'a partial text could not be stored'),
      )
      .finally(() => {
        this.isWriting = false
        this.add([])
      })
  }

  /** Writes nothing if the claim is lost. FOR SHARE waits for a transaction that is ending the claim. */
  private async write(segments: TranscriptSegment[]): Promise<void> {
    await this.core.pool.query({
      text: `INSERT INTO partial_texts (recording_id, attempt_token, number, segments)
             SELECT id, attempt_token, $3, $4 FROM recordings
              WHERE id = $1 AND attempt_token = $2 AND status = 'PROCESSING' FOR SHARE`,
      values: [this.claim.id, this.claim.token, ++this.count, JSON.stringify(segments)],
    })
  }
}

/** Deletes the partial text of a call. Run this in the transaction that ends the attempt. */
export async function deletePartialText(sql: Sql, recordingId: string): Promise<void> {
  await sql.query({
    text: 'DELETE FROM partial_texts WHERE recording_id = $1',
    values: [recordingId],
  })
}

/**
 * Loads the last segments of the running attempt, ordered by time. Returns none if no attempt is running.
 * @param last the maximum number of segments
 * @throws HttpError 404 if the actor cannot see the call
 */
export async function loadPartialText(
  core: Core,
  actor: Actor,
  id: string,
  last: number,
): Promise<TranscriptSegment[]> {
  await loadVisibleRecording(core, actor, id)
  const { rows } = await core.pool.query<TranscriptSegment>({
    text: `SELECT * FROM (
             SELECT s.* FROM partial_texts p JOIN recordings r ON r.id = p.recording_id AND r.attempt_token = p.attempt_token,
                    jsonb_to_recordset(p.segments)
                      AS s (start float8, "end" float8, channel int, text text, confidence float8)
              WHERE p.recording_id = $1 AND r.status = 'PROCESSING'
              ORDER BY s.start DESC, s.channel DESC LIMIT $2) AS latest
            ORDER BY start, channel`,
    values: [id, last],
  })
  return rows
}
