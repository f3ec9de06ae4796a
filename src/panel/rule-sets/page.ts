import type { DepartmentJson } from '../../people/departments/schema.ts'
import type { RuleSetSummaryJson, VersionSummaryJson } from '../../check/rule-sets/schema.ts'
import { renderPage, redirect, type PageContext } from '../frame/context.ts'
import { PageError } from '../frame/errors.ts'
import { ApiError } from '../frame/api-client.ts'
import { pageOf, pagingOf } from '../frame/paging.ts'
import { draftRoutes } from './draft.ts'
import { editorRoutes } from './editor.ts'
import { formRoutes } from './forms.ts'
import { publishRoutes } from './publish.ts'
import { ruleLine } from './sentence.ts'
import { departmentsOf } from '../frame/read-all.ts'
import { apiPath, loadEditable, refuseManagers, loadSet, type RuleSet } from './set.ts'
import { versionRoutes } from './versions.ts'
import { appliesInWords, setRow, versionRow } from './view.ts'
import { isOwnerOrHead, type Page } from '../frame/page.ts'
import { ruleSets } from './words.ts'

export const ruleSetsPage: Page<'ruleSets', typeof ruleSets> = {
  name: 'ruleSets',
  words: ruleSets,
  routes: [
    { method: 'get', path: '/rule-sets', handle: showList },
    ...formRoutes,
    ...draftRoutes,
    ...editorRoutes,
    { method: 'get', path: '/rule-sets/:id', handle: showSet },
    { method: 'post', path: '/rule-sets/:id/archive', handle: archive },
    ...publishRoutes,
    ...versionRoutes,
  ],
  menu: { href: '/rule-sets', title: ruleSets.title, group: 'check', for: isOwnerOrHead },
  styles: ['rule-sets'],
  scripts: ['rule-sets'],
}

const PAGE_SIZE = 50

async function showList(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const archived = ctx.query.archived === 'true'
  const page = pageOf(ctx.query.page)
  const query = `page=${page}&pageSize=${PAGE_SIZE}${archived ? '&archived=true' : ''}`
  refuseManagers(context)
  const [departments, { items, total }] = await Promise.all([
    departmentsOf(context),
    api.read<{ items: RuleSetSummaryJson[]; total: number }>(`/v1/rule-sets?${query}`),
  ])
  const { words } = context.language
  const t = words.ruleSets
  const href = (page: number) => `/rule-sets?${archived ? 'archived=true&' : ''}page=${page}`
  await renderPage(context, 'rule-sets/index', {
    title: archived ? t.archived : t.title,
    archived,
    mayAdd: mayAdd(context),
    rows: items.map((set) => setRow(set, departments, context.language)),
    total,
    paging: pagingOf(page, PAGE_SIZE, total, href),
  })
}

/** Whether the person creates sets: an owner, and a head with the right and a department. */
const mayAdd = ({ person, seeAs }: PageContext): boolean =>
  !seeAs && (person.role === 'owner' || Boolean(person.rights.editRules && person.departments.length > 0))

const SHOWN_VERSIONS = 20

async function showSet(context: PageContext): Promise<void> {
  const [set, departments, versions] = await Promise.all([
    loadSet(context),
    departmentsOf(context),
    context.api.read<{ items: VersionSummaryJson[] }>(`${apiPath(context)}/versions?pageSize=${SHOWN_VERSIONS}`),
  ])
  await renderSet(context, set, departments, versions.items)
}

async function renderSet(
  context: PageContext,
  set: RuleSet,
  departments: DepartmentJson[],
  versions: VersionSummaryJson[],
): Promise<void> {
  const { language } = context
  const { format } = language
  const rules = set.rules ?? []
  await renderPage(context, 'rule-sets/show', {
    title: set.name[language.code],
    set: setRow(set, departments, language),
    applies: appliesInWords(set.applies, departments, language),
    total: format.number(rules.length),
    lines: rules.map((rule) => ruleLine(rule, rules, language)),
    versions: versions.map((version) => versionRow(version, set.id, language)),
    isArchived: set.archivedAt !== null,
    mayEdit: set.mayEdit && set.archivedAt === null && !context.seeAs,
    // People who can change only their own sets get a hint to copy this one.
    mayCopy: mayAdd(context) && set.rules !== null,
  })
}

async function archive(context: PageContext): Promise<void> {
  const set = await loadEditable(context)
  const { words, code } = context.language
  try {
    await context.api.send('DELETE', apiPath(context))
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) throw new PageError(409, words.ruleSets.errors.archived)
    throw error
  }
  redirect(context.ctx, '/rule-sets', words.ruleSets.archivedNotice(set.name[code]))
}
