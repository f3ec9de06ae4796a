import type { HomePageJson } from '../../reports/home/schema.ts'
import { buildHomeAssignments, fetchHomeAssignments } from '../assignments/home.ts'
import { renderPage, type PageContext } from '../frame/context.ts'
import { formatPathWithQuery } from '../frame/fields.ts'
import type { Page } from '../frame/page.ts'
import { buildHeadHomeView } from './head.ts'
import { buildManagerHomeView } from './manager.ts'
import { fetchOwnerHomeState, buildOwnerHomeView, ignoreFailure } from './owner.ts'
import { homeWords } from './words.ts'

export const homePage: Page<'home', typeof homeWords> = {
  name: 'home',
  words: homeWords,
  routes: [{ method: 'get', path: '/', handle: showHome }],
  menu: { href: '/', title: homeWords.title, group: 'work' },
  styles: ['home'],
  scripts: ['tracks'],
}

async function showHome(context: PageContext): Promise<void> {
  const { api, ctx, language, person } = context
  const department = typeof ctx.query.department === 'string' ? ctx.query.department : ''
  const [home, ownerState, assignments] = await Promise.all([
    api.fetch<HomePageJson>(formatPathWithQuery('/v1/home', department === '' ? {} : { department })),
    person.role === 'owner' ? fetchOwnerHomeState(context) : undefined,
    fetchHomeAssignments(context).catch(ignoreFailure),
  ])
  await renderPage(context, `home/${person.role}`, {
    title: language.words.home.title,
    today: language.format.weekday(language.format.dayOf(new Date().toISOString())),
    scripts: ['tracks.js', 'assignments.js'],
    isFailed: (name: HomePageJson['failed'][number]) => home.failed.includes(name),
    assigned: assignments && buildHomeAssignments(assignments, context),
    view: ownerState
      ? buildOwnerHomeView(home, ownerState, language)
      : person.role === 'head'
        ? buildHeadHomeView(home, department, assignments, context)
        : buildManagerHomeView(home, context),
  })
}
