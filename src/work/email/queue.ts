import type { Config } from '../../platform/config/config.ts'
import type { Core } from '../../platform/core.ts'
import { sha256 } from '../../platform/lib/crypto.ts'
import type { AttemptOutcome } from '../../platform/lib/metrics.ts'
import { translateNetworkError } from '../../platform/outbound/messages.ts'
import { endJob, recordJobFailure } from '../../platform/queue/claims.ts'
import { endAutomaticQueuePause, pauseQueueAutomatically } from '../../platform/queue/pauses.ts'
import { JobFailedError, JobNotReadyError, type Job, type JobClaim, type Queue } from '../../platform/queue/queue.ts'
import { composeEmail } from './compose.ts'
import { countEmailNotifications, isPossiblySent, loadClaimedEmail, setPossiblySent } from './jobs.ts'
import { emailMessages } from './messages.ts'
import { sendEmail, SmtpError } from './smtp.ts'
import { isEmailOn } from './values.ts'

interface EmailOutcome {
  status: 'SENT' | 'CANCELLED'
  /** When the e-mail was read from the database. */
  readAt: Date
}

/** With pauses that double from a minute, the last attempt is about two hours after the first. */
const MAX_ATTEMPTS = 8

/**
 * The queue of e-mails about notifications. The service never sends an e-mail again that the mail server can have. If a response
 * is lost or the worker dies after the text began, the job fails as possibly sent.
 */
export const notificationsQueue: Queue<EmailOutcome> = {
  name: 'notifications',
  table: 'notification_emails',
  order: 'next_attempt_at, id',
  // One at a time, so that two jobs of a person that are due together share one e-mail.
  concurrency: () => 1,
  attempts: () => MAX_ATTEMPTS,
  firstPauseSeconds: () => 60,
  leaseSeconds: 60,
  messages: { workerDied: emailMessages.workerDied(), broken: emailMessages.broken() },
  pauseCause: hashMailConfiguration,
  isReady: async ({ config }) => isEmailOn(config),
  run: sendNotificationEmail,
  store: completeEmail,
  fail: failEmail,
  retryable: 'NOT j.possibly_sent',
}

/** Hashes the variables that decide whether the mail server accepts e-mails. */
function hashMailConfiguration({ SMTP_URL, SMTP_FROM }: Config): string {
  return sha256(`${SMTP_URL} ${SMTP_FROM}`).toString('hex')
}

async function sendNotificationEmail(core: Core, job: Job): Promise<EmailOutcome> {
  const { address, language, possiblySent, readAt } = await loadClaimedEmail(core, job)
  if (possiblySent) throw new JobFailedError(emailMessages.possiblySent(), true)
  const counts = await countEmailNotifications(core.pool, job.id)
  if (counts.length === 0) return { status: 'CANCELLED', readAt }
  const email = composeEmail(core.config, { id: job.id, address, language: language ?? 'en', counts })
  try {
    await sendEmail(core.config.SMTP_URL!, email, job.signal, () => setPossiblySent(core.pool, job, true))
  } catch (error) {
    throw error instanceof SmtpError ? await toJobError(core, job, error) : error
  }
  return { status: 'SENT', readAt }
}

async function toJobError(core: Core, job: Job, { failure, status }: SmtpError): Promise<Error> {
  if (failure === 'lost') {
    const code = translateNetworkError(status === 'EABORT' ? 'ETIMEDOUT' : status)
    return new JobFailedError(emailMessages.lost({ code }))
  }
  await setPossiblySent(core.pool, job, false)
  if (failure !== 'refused') return new JobFailedError(emailMessages.rejected({ code: status }), failure === 'rejected')
  const reason = emailMessages.refused({ code: status })
  await pauseQueueAutomatically(core.pool, pauseOf(core.config), reason, status)
  return new JobNotReadyError(reason, 30, 0)
}

const pauseOf = (config: Config) => ({ name: notificationsQueue.name, cause: hashMailConfiguration(config) })

async function completeEmail(core: Core, claim: JobClaim, { status, readAt }: EmailOutcome): Promise<AttemptOutcome> {
  if (status === 'SENT') await endAutomaticQueuePause(core.pool, pauseOf(core.config), readAt)
  return (await endJob(core.pool, claim, status, { possibly_sent: false })) ? 'done' : 'lost'
}

/** Records a failed attempt. If the mail server can have the e-mail, there is no further attempt. */
async function failEmail({ pool, config }: Core, claim: JobClaim, failure: JobFailedError): Promise<AttemptOutcome> {
  const isLost = await isPossiblySent(pool, claim.id)
  return recordJobFailure(
    pool,
    config,
    claim,
    isLost ? new JobFailedError(emailMessages.possiblySent(), true) : failure,
  )
}
