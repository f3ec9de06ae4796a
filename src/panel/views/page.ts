import { redirect, renderPage, renderPageParts, type PageContext } from '../frame/context.ts'
import { fetchViews } from '../frame/menu-views.ts'
import type { Page } from '../frame/page.ts'
import { buildPaging, parsePageNumber } from '../frame/paging.ts'
import { formatCallListHref } from '../recordings/filters.ts'
import {
  changeSubscription,
  changeView,
  createView,
  deleteView,
  saveViewFilters,
  showEditView,
  showNewView,
} from './changes.ts'
import { fetchViewCounts, fetchCountedViews } from './counts.ts'
import { buildViewListState } from './filters.ts'
import { buildViewRow, fetchFilterNames, findView, VIEWS_PAGE_SIZE } from './view.ts'
import { viewWords } from './words.ts'

export const viewsPage: Page<'views', typeof viewWords> = {
  name: 'views',
  words: viewWords,
  menu: { href: '/views', title: viewWords.all, group: 'views' },
  styles: ['views'],
  routes: [
    { method: 'get', path: '/views', handle: showViews },
    { method: 'get', path: '/views/counts', handle: showCounts },
    { method: 'get', path: '/views/new', handle: showNewView },
    { method: 'post', path: '/views/new', handle: createView },
    { method: 'get', path: '/views/:id', handle: openView },
    { method: 'get', path: '/views/:id/edit', handle: showEditView },
    { method: 'post', path: '/views/:id/edit', handle: changeView },
    { method: 'post', path: '/views/:id/filters', handle: saveViewFilters },
    { method: 'post', path: '/views/:id/subscription', handle: changeSubscription },
    { method: 'post', path: '/views/:id/delete', handle: deleteView },
  ],
}

async function showViews(context: PageContext): Promise<void> {
  const [views, names] = await Promise.all([fetchViews(context.api), fetchFilterNames(context)])
  const page = parsePageNumber(context.ctx.query.page)
  const shown = views.slice((page - 1) * VIEWS_PAGE_SIZE, page * VIEWS_PAGE_SIZE)
  await renderPage(context, 'views/index', {
    title: context.language.words.views.title,
    rows: shown.map((view) => buildViewRow(view, names, context)),
    paging: buildPaging(page, VIEWS_PAGE_SIZE, views.length, (number) => `/views?page=${number}`),
  })
}

/** Renders the counts of the menu, or of a page of the list of views. htmx puts them into their places. */
async function showCounts(context: PageContext): Promise<void> {
  const { page } = context.ctx.query
  const views = await fetchCountedViews(context, page === undefined ? undefined : parsePageNumber(page))
  const { format } = context.language
  const counts = (await fetchViewCounts(context, views)).map(({ id, count }) => ({ id, text: format.number(count) }))
  await renderPageParts(context, ['views/_counts'], {
    counts,
    prefix: page === undefined ? 'count-view-' : 'calls-view-',
  })
}

/** Redirects to the list of calls with the filters of the view. */
async function openView(context: PageContext): Promise<void> {
  const view = await findView(context)
  redirect(context.ctx, formatCallListHref(buildViewListState(view)))
}
