/** Reads by people that the audit log tells of; an Operation names its own in `audit`. */
export const READS = [
  'recordings.list',
  'recordings.catalog',
  'recordings.facets',
  'recording.read',
  'audio.read',
  'transcript.read',
  'transcripts.excerpts',
  'transcripts.list',
  'transcripts.export',
  'audit.export',
  'queue.jobs',
  'stats.overview',
  'analysis.read',
  'reviews.list',
] as const
export type ReadAction = (typeof READS)[number]

/** What services note by recordChange(), and logins. */
export const CHANGES = [
  'login',
  'login.failed',
  'login.throttled',
  'logout',
  'session.end',
  'password.change',
  'password.failed',
  'person.create',
  'person.change',
  'person.deactivate',
  'department.create',
  'department.change',
  'department.delete',
  'key.create',
  'key.revoke',
  'recording.create',
  'recording.correct',
  'recording.retry',
  'recording.cancel',
  'recording.delete',
  'recordings.retry-failed',
  'recording.speakers',
  'recording.callback',
  'settings.change',
  'analysis.rerun',
  'analysis.review',
  'analysis.dispute',
  'analysis.run',
  'analysis.run-confirm',
  'analysis.run-cancel',
  'backtest.start',
  'backtest.cancel',
  'rules.create',
  'rules.change',
  'rules.archive',
  'rules.draft',
  'rules.draft-delete',
  'rules.publish',
  'rules.restore',
  'queue.pause',
  'queue.resume',
  'queue.retry-failed',
] as const
export type ChangeAction = (typeof CHANGES)[number]

/** Everything that the audit log tells of. */
export const ACTIONS = [...READS, ...CHANGES]
export type Action = ReadAction | ChangeAction
