import type { DepartmentJson } from '../../people/departments/schema.ts'
import type { RuleSetSummaryJson, RuleSetVersionSummaryJson } from '../../check/rule-sets/schema.ts'
import { renderPage, redirect, type PageContext } from '../frame/context.ts'
import { PageError } from '../frame/errors.ts'
import { ApiError } from '../frame/api-client.ts'
import { parsePageNumber, buildPaging } from '../frame/paging.ts'
import { ruleDraftRoutes } from './draft.ts'
import { ruleEditorRoutes } from './editor.ts'
import { ruleSetSettingsRoutes } from './settings-form.ts'
import { rulePublishRoutes } from './publish.ts'
import { renderRulePhrases } from './rule-phrases.ts'
import { buildRuleLine } from './sentence.ts'
import { fetchAllItems, fetchVisibleDepartments } from '../frame/fetch-all.ts'
import { buildRuleSetGroups, ruleSetOrderRoutes } from './order.ts'
import {
  formatRuleSetApiPath,
  fetchEditableRuleSet,
  rejectManagerRole,
  fetchRuleSet,
  type RuleSetWithRules,
} from './rule-set.ts'
import { ruleSetVersionRoutes } from './versions.ts'
import { formatRuleSetScope, buildRuleSetRow, buildRuleSetVersionRow } from './view.ts'
import { isOwnerOrHead, type Page } from '../frame/page.ts'
import { ruleSetWords } from './words.ts'

export const ruleSetsPage: Page<'ruleSets', typeof ruleSetWords> = {
  name: 'ruleSets',
  words: ruleSetWords,
  routes: [
    { method: 'get', path: '/rule-sets', handle: showList },
    ...ruleSetSettingsRoutes,
    ...ruleDraftRoutes,
    ...ruleEditorRoutes,
    { method: 'get', path: '/rule-sets/:id', handle: showSet },
    { method: 'get', path: '/rule-sets/:id/phrases/:rule', handle: showSetPhrases },
    { method: 'post', path: '/rule-sets/:id/archive', handle: archiveRuleSet },
    ...ruleSetOrderRoutes,
    ...rulePublishRoutes,
    ...ruleSetVersionRoutes,
  ],
  menu: { href: '/rule-sets', title: ruleSetWords.title, group: 'check', for: isOwnerOrHead },
  styles: ['rule-sets'],
  scripts: ['rule-sets', 'rule-set-list', 'move-rows'],
}

const PAGE_SIZE = 50

async function showList(context: PageContext): Promise<void> {
  rejectManagerRole(context)
  if (context.ctx.query.archived === 'true') return showArchivedList(context)
  const { api, language } = context
  const [departments, sets] = await Promise.all([
    fetchVisibleDepartments(context),
    fetchAllItems<RuleSetSummaryJson>(api, '/v1/rule-sets'),
  ])
  await renderPage(context, 'rule-sets/index', {
    title: language.words.ruleSets.title,
    scripts: ['rule-set-list.js', 'move-rows.js'],
    mayAdd: canCreateRuleSets(context),
    groups: buildRuleSetGroups(sets, departments, !context.seeAs, language),
  })
}

async function showArchivedList(context: PageContext): Promise<void> {
  const page = parsePageNumber(context.ctx.query.page)
  const query = `page=${page}&pageSize=${PAGE_SIZE}&archived=true`
  const [departments, { items, total }] = await Promise.all([
    fetchVisibleDepartments(context),
    context.api.fetch<{ items: RuleSetSummaryJson[]; total: number }>(`/v1/rule-sets?${query}`),
  ])
  const { language } = context
  await renderPage(context, 'rule-sets/archived', {
    title: language.words.ruleSets.archived,
    rows: items.map((set) => buildRuleSetRow(set, departments, language)),
    total,
    paging: buildPaging(page, PAGE_SIZE, total, (page) => `/rule-sets?archived=true&page=${page}`),
  })
}

/** Returns true for owners, and for people with a department and the permission to edit rules. False while seeing as somebody. */
const canCreateRuleSets = ({ person, seeAs }: PageContext): boolean =>
  !seeAs && (person.role === 'owner' || Boolean(person.rights.editRules && person.departments.length > 0))

async function showSetPhrases(context: PageContext): Promise<void> {
  const set = await fetchRuleSet(context)
  await renderRulePhrases(context, set, set.rules ?? [])
}

const SHOWN_VERSIONS = 20

async function showSet(context: PageContext): Promise<void> {
  const [set, departments, versions] = await Promise.all([
    fetchRuleSet(context),
    fetchVisibleDepartments(context),
    context.api.fetch<{ items: RuleSetVersionSummaryJson[] }>(
      `${formatRuleSetApiPath(context)}/versions?pageSize=${SHOWN_VERSIONS}`,
    ),
  ])
  await renderSet(context, set, departments, versions.items)
}

async function renderSet(
  context: PageContext,
  set: RuleSetWithRules,
  departments: DepartmentJson[],
  versions: RuleSetVersionSummaryJson[],
): Promise<void> {
  const { language } = context
  const { format } = language
  const rules = set.rules ?? []
  await renderPage(context, 'rule-sets/show', {
    title: set.name[language.code],
    set: buildRuleSetRow(set, departments, language),
    applies: formatRuleSetScope(set.applies, departments, language),
    total: format.number(rules.length),
    phrases: `/rule-sets/${set.id}/phrases`,
    lines: rules.map((rule) => buildRuleLine(rule, rules, language)),
    versions: versions.map((version) => buildRuleSetVersionRow(version, set.id, language)),
    isArchived: set.archivedAt !== null,
    mayEdit: set.mayEdit && set.archivedAt === null && !context.seeAs,
    // People can also copy a rule set that they cannot change.
    mayCopy: canCreateRuleSets(context) && set.rules !== null,
  })
}

async function archiveRuleSet(context: PageContext): Promise<void> {
  const set = await fetchEditableRuleSet(context)
  const { words, code } = context.language
  try {
    await context.api.send('DELETE', formatRuleSetApiPath(context))
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) throw new PageError(409, words.ruleSets.errors.archived)
    throw error
  }
  redirect(context.ctx, '/rule-sets', words.ruleSets.archivedNotice(set.name[code]))
}
