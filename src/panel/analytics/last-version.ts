import type { CorrelationJson } from '../../reports/correlation/schema.ts'
import type { PageContext } from '../frame/context.ts'
import type { Language } from '../frame/i18n.ts'

type RuleVersion = NonNullable<CorrelationJson['ruleVersion']>

/** The version as in the address. */
export const valueOf = ({ set, version }: RuleVersion): string => `${set}/${version}`

/** Formats a version with the name of its set, or with its key if the set scores none of the deals. */
export function versionName({ set, version }: RuleVersion, { versions }: CorrelationJson, language: Language): string {
  const named = versions.find((one) => one.set.key === set)
  return language.words.analytics.version(named?.set.name[language.code] ?? set, language.format.number(version))
}

const COOKIE = {
  path: '/analytics/correlation',
  httpOnly: true,
  sameSite: 'lax',
  overwrite: true,
  signed: false,
  maxAge: 365 * 86_400_000,
} as const

/** Stores the compared version in a cookie. @returns a note if this browser last saw another version */
export function rememberVersion({ ctx, language }: PageContext, report: CorrelationJson): string[] {
  const { ruleVersion } = report
  if (!ruleVersion) return []
  const last = new URLSearchParams(ctx.cookies.get('scored_by', { signed: false }))
  const query = { set: ruleVersion.set, version: String(ruleVersion.version) }
  ctx.cookies.set('scored_by', new URLSearchParams(query).toString(), COOKIE)
  const before = { set: last.get('set') ?? '', version: Number(last.get('version')) }
  if (!(before.version > 0) || valueOf(before) === valueOf(ruleVersion)) return []
  const [now, then] = [ruleVersion, before].map((one) => versionName(one, report, language))
  return [language.words.analytics.otherScores(now!, then!)]
}
