/** The kinds of notifications. People choose which ones they get. */
export const NOTIFICATION_KINDS = [
  'dispute',
  'decision',
  'comment',
  'mention',
  'assignment',
  'criticalMiss',
  'weeklyReport',
  'view',
] as const
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number]
