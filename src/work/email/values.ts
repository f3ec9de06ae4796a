import type { Config } from '../../platform/config/config.ts'

/** How often a person gets e-mails about their notifications. */
export const EMAIL_FREQUENCIES = ['none', 'immediate', 'daily'] as const
export type EmailFrequency = (typeof EMAIL_FREQUENCIES)[number]

/** Immediate e-mails wait for this time, so that events in quick succession share one e-mail. */
export const EMAIL_DELAY_SQL = `interval '60 seconds'`

/** Daily e-mails are planned at this local hour (APP_TIMEZONE). */
export const DAILY_EMAIL_HOUR = 8

/** Returns whether the configuration has a mail server. Without one, the service sends no e-mails. */
export const isEmailOn = ({ SMTP_URL }: Config): boolean => SMTP_URL !== undefined
