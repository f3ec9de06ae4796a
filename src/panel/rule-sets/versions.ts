import type { Rule } from '../../check/rules/types.ts'
import type { VersionJson } from '../../check/rule-sets/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { renderPage, redirect, type PageContext, type Route } from '../frame/context.ts'
import { PageError } from '../frame/errors.ts'
import { differenceOf } from './difference.ts'
import { ruleLine } from './sentence.ts'
import { apiPath, headOf, loadEditable, loadSet } from './set.ts'
import { versionRow } from './view.ts'

export const versionRoutes: Route[] = [
  { method: 'get', path: '/rule-sets/:id/versions/:version', handle: showVersion },
  { method: 'post', path: '/rule-sets/:id/versions/:version/restore', handle: restore },
]

type Version = Omit<VersionJson, 'rules'> & { rules: Rule[] }

const versionPath = (context: PageContext): string =>
  `${apiPath(context)}/versions/${encodeURIComponent(String(context.ctx.params.version))}`

/** The version before this one: only deleted drafts leave gaps in the numbers. */
async function versionBefore(context: PageContext, version: number): Promise<Version | null> {
  const { items } = await context.api.read<{ items: { version: number; state: string }[] }>(
    `${apiPath(context)}/versions?pageSize=100`,
  )
  const before = items.find((one) => one.version < version && one.state !== 'draft')
  return before ? context.api.read<Version>(`${apiPath(context)}/versions/${before.version}`) : null
}

async function showVersion(context: PageContext): Promise<void> {
  const [set, version] = await Promise.all([loadSet(context), context.api.read<Version>(versionPath(context))])
  const before = await versionBefore(context, version.version)
  const { language } = context
  const { words, format } = language
  const t = words.ruleSets
  await renderPage(context, 'rule-sets/version', {
    title: `${t.versionTitle(format.number(version.version))}, ${set.name[language.code]}`,
    heading: t.versionTitle(format.number(version.version)),
    head: headOf(set, language),
    version: versionRow(version, set.id, language),
    against: before ? t.againstBefore(format.number(before.version)) : null,
    changes: before ? differenceOf(before.rules, version.rules, language) : [],
    lines: version.rules.map((rule) => ruleLine(rule, version.rules, language)),
    mayRestore: set.mayEdit && !set.archivedAt && !context.seeAs && version.state === 'retired',
    restore: `/rule-sets/${set.id}/versions/${version.version}/restore`,
    hasDraft: set.draft !== null,
  })
}

async function restore(context: PageContext): Promise<void> {
  const set = await loadEditable(context)
  const t = context.language.words.ruleSets
  try {
    await context.api.send('POST', `${versionPath(context)}/restore`)
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) throw new PageError(409, t.hasDraftAlready)
    throw error
  }
  redirect(context.ctx, `/rule-sets/${set.id}/draft`, t.restored)
}
