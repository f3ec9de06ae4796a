import type { CorrelationJson } from '../../reports/correlation/schema.ts'
import type { PageContext } from '../frame/context.ts'
import { versionName } from './correlation.ts'

const COOKIE = {
  path: '/analytics/correlation',
  httpOnly: true,
  sameSite: 'lax',
  overwrite: true,
  signed: false,
  maxAge: 365 * 86_400_000,
} as const

/** Stores the compared version in a cookie. @returns a note if this browser last saw another version */
export function rememberVersion({ ctx, language }: PageContext, report: CorrelationJson): string | undefined {
  const { ruleVersion } = report
  if (!ruleVersion) return undefined
  const last = /^([^/]{1,240})\/(\d{1,9})$/.exec(ctx.cookies.get('scored_by', { signed: false }) ?? '')
  ctx.cookies.set('scored_by', `${encodeURIComponent(ruleVersion.set)}/${ruleVersion.version}`, COOKIE)
  const before = last && { set: decodeSafely(last[1]!), version: Number(last[2]) }
  if (!before || (before.set === ruleVersion.set && before.version === ruleVersion.version)) return undefined
  const [now, then] = [ruleVersion, before].map((one) => versionName(one, report, language))
  return language.words.analytics.otherScores(now!, then!)
}

function decodeSafely(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
