import type { Rule } from '../../check/rules/types.ts'
import type { RuleSetVersionJson } from '../../check/rule-sets/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { renderPage, redirect, type PageContext, type PanelRoute } from '../frame/context.ts'
import { PageError } from '../frame/errors.ts'
import { buildRuleChanges } from './rule-changes.ts'
import { renderRulePhrases } from './rule-phrases.ts'
import { buildRuleLine } from './sentence.ts'
import { formatRuleSetApiPath, buildRuleSetHead, fetchEditableRuleSet, fetchRuleSet } from './rule-set.ts'
import { buildRuleSetVersionRow } from './view.ts'

export const ruleSetVersionRoutes: PanelRoute[] = [
  { method: 'get', path: '/rule-sets/:id/versions/:version', handle: showVersion },
  { method: 'get', path: '/rule-sets/:id/versions/:version/phrases/:rule', handle: showVersionPhrases },
  { method: 'post', path: '/rule-sets/:id/versions/:version/restore', handle: restoreVersion },
]

type Version = Omit<RuleSetVersionJson, 'rules'> & { rules: Rule[] }

const formatVersionApiPath = (context: PageContext): string =>
  `${formatRuleSetApiPath(context)}/versions/${encodeURIComponent(String(context.ctx.params.version))}`

/** Fetches the newest published version below a number, among the last 100 versions; null if there is none. */
async function fetchVersionBefore(context: PageContext, version: number): Promise<Version | null> {
  const { items } = await context.api.fetch<{ items: { version: number; state: string }[] }>(
    `${formatRuleSetApiPath(context)}/versions?pageSize=100`,
  )
  const previousVersion = items.find((one) => one.version < version && one.state !== 'draft')
  return previousVersion
    ? context.api.fetch<Version>(`${formatRuleSetApiPath(context)}/versions/${previousVersion.version}`)
    : null
}

async function showVersion(context: PageContext): Promise<void> {
  const [set, version] = await Promise.all([
    fetchRuleSet(context),
    context.api.fetch<Version>(formatVersionApiPath(context)),
  ])
  const previousVersion = await fetchVersionBefore(context, version.version)
  const { language } = context
  const { words, format } = language
  const t = words.ruleSets
  await renderPage(context, 'rule-sets/version', {
    title: `${t.versionTitle(format.number(version.version))}, ${set.name[language.code]}`,
    heading: t.versionTitle(format.number(version.version)),
    head: buildRuleSetHead(set, language),
    version: buildRuleSetVersionRow(version, set.id, language),
    against: previousVersion ? t.againstBefore(format.number(previousVersion.version)) : null,
    changes: previousVersion ? buildRuleChanges(previousVersion.rules, version.rules, language) : [],
    phrases: `/rule-sets/${set.id}/versions/${version.version}/phrases`,
    lines: version.rules.map((rule) => buildRuleLine(rule, version.rules, language)),
    mayRestore: set.mayEdit && !set.archivedAt && !context.seeAs && version.state === 'retired',
    restore: `/rule-sets/${set.id}/versions/${version.version}/restore`,
    hasDraft: set.draft !== null,
  })
}

async function showVersionPhrases(context: PageContext): Promise<void> {
  const [set, version] = await Promise.all([
    fetchRuleSet(context),
    context.api.fetch<Version>(formatVersionApiPath(context)),
  ])
  await renderRulePhrases(context, set, version.rules)
}

async function restoreVersion(context: PageContext): Promise<void> {
  const set = await fetchEditableRuleSet(context)
  const t = context.language.words.ruleSets
  try {
    await context.api.send('POST', `${formatVersionApiPath(context)}/restore`)
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) throw new PageError(409, t.hasDraftAlready)
    throw error
  }
  redirect(context.ctx, `/rule-sets/${set.id}/draft`, t.restored)
}
