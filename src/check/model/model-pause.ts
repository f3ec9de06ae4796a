import type { Config } from '../../platform/config/config.ts'
import type { Core } from '../../platform/core.ts'
import { sha256 } from '../../platform/lib/crypto.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { formatReason, toStoredReason, type StoredReason } from '../../platform/lib/stored-reason.ts'
import {
  endAutomaticQueuePause,
  pauseQueueAutomatically,
  type AutomaticQueuePause,
} from '../../platform/queue/pauses.ts'
import { JobNotReadyError } from '../../platform/queue/queue.ts'

/** The row of `settings` with the last warning about the model. */
const SETTINGS_NAME = 'model-state'

/** The model cannot get requests now, for the reason in the error. The job stays queued without counting the attempt. */
export class ModelUnavailableError extends JobNotReadyError {}

/** Hashes the configuration that decides whether the model responds. A pause or warning with another hash is obsolete. */
export function hashModelConfig(config: Config): string {
  const {
    ANALYSIS_PROVIDER,
    ANALYSIS_BASE_URL,
    ANALYSIS_MODEL,
    ANALYSIS_API_KEY = '',
    ALLOW_PRIVATE_NETWORK_DOWNLOADS,
  } = config
  const key = sha256(ANALYSIS_API_KEY).toString('hex')
  const parts = [ANALYSIS_PROVIDER, ANALYSIS_BASE_URL, ANALYSIS_MODEL, ALLOW_PRIVATE_NETWORK_DOWNLOADS, key]
  return sha256(JSON.stringify(parts)).toString('hex')
}

const pauseOf = (config: Config): AutomaticQueuePause => ({ name: 'analysis', cause: hashModelConfig(config) })

/**
 * Pauses the queue of checks because the model rejects all requests.
 * @param reason shown to people
 * @returns the error to throw, which puts the check back into the queue
 */
export async function pauseModelQueue(core: Core, reason: Message): Promise<ModelUnavailableError> {
  await pauseQueueAutomatically(core.pool, pauseOf(core.config), reason)
  core.log.error({ queue: 'analysis', reason: reason.text }, 'the queue was paused')
  return new ModelUnavailableError(reason, 10)
}

/** Ends an automatic pause that began before `sentAt`, the time of a request that the model answered. */
export const liftModelPause = ({ pool, config }: Core, sentAt: Date): Promise<void> =>
  endAutomaticQueuePause(pool, pauseOf(config), sentAt)

/** Stores a warning that people see until the configuration of the model changes. */
export async function storeModelWarning({ pool, config, log }: Core, reason: Message): Promise<void> {
  log.warn({ queue: 'analysis', reason: reason.text }, 'the model does not work as configured')
  await pool.query({
    text: `INSERT INTO settings AS s (name, value) VALUES ($1, $2)
           ON CONFLICT (name) DO UPDATE SET value = s.value || excluded.value, changed_at = now()`,
    values: [
      SETTINGS_NAME,
      JSON.stringify({ warning: reason.text, message: toStoredReason(reason), cause: hashModelConfig(config) }),
    ],
  })
}

/** Loads the last warning about the current configuration; null if there is none. */
export async function loadModelWarning({ pool, config }: Core): Promise<string | null> {
  const { rows } = await pool.query<{ warning: string | null; message: StoredReason | null }>({
    text: `SELECT value ->> 'warning' AS warning, value -> 'message' AS message FROM settings WHERE name = $1 AND value ->> 'cause' = $2`,
    values: [SETTINGS_NAME, hashModelConfig(config)],
  })
  return rows[0] ? formatReason(rows[0].warning, rows[0].message) : null
}
