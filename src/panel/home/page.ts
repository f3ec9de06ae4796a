import type { HomeJson } from '../../reports/home/schema.ts'
import { renderPage, type PageContext } from '../frame/context.ts'
import type { Page } from '../frame/page.ts'
import { buildHeadView } from './head.ts'
import { buildManagerView } from './manager.ts'
import { fetchOwnerState, buildOwnerView } from './owner.ts'
import { homeWords } from './words.ts'

export const homePage: Page<'home', typeof homeWords> = {
  name: 'home',
  words: homeWords,
  routes: [{ method: 'get', path: '/', handle: showHome }],
  menu: { href: '/', title: homeWords.title, group: 'work' },
  styles: ['home'],
  scripts: ['home'],
}

async function showHome(context: PageContext): Promise<void> {
  const { api, language, person } = context
  const [home, ownerState] = await Promise.all([
    api.fetch<HomeJson>('/v1/home'),
    person.role === 'owner' ? fetchOwnerState(context) : undefined,
  ])
  await renderPage(context, `home/${person.role}`, {
    title: language.words.home.title,
    today: language.format.weekday(language.format.dayOf(new Date().toISOString())),
    scripts: ['home.js'],
    isFailed: (name: HomeJson['failed'][number]) => home.failed.includes(name),
    view: ownerState
      ? buildOwnerView(home, ownerState, language)
      : person.role === 'head'
        ? buildHeadView(home, context)
        : buildManagerView(home, context),
  })
}
