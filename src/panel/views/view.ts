import type { RecordingFacetsJson } from '../../calls/list/overview-schema.ts'
import type { ViewJson } from '../../work/views/schema.ts'
import type { PageContext } from '../frame/context.ts'
import { PageError } from '../frame/errors.ts'
import { fetchViews, formatViewHref } from '../frame/menu-views.ts'
import { buildCallFilterChips, type CallListState } from '../recordings/filters.ts'
import { buildViewListState, isViewChanged } from './filters.ts'

export const VIEWS_PAGE_SIZE = 50

/** Finds the view in the address. @throws PageError 404 */
export async function findView({ api, ctx }: PageContext): Promise<ViewJson> {
  const view = (await fetchViews(api)).find(({ id }) => id === ctx.params.id)
  if (!view) throw new PageError(404)
  return view
}

/** Fetches the departments that filters can name. The menu reads the same counts, so this costs nothing. */
export const fetchFilterNames = async ({ api }: PageContext): Promise<{ id: string; name: string }[]> =>
  (await api.fetch<RecordingFacetsJson>('/v1/recordings/facets')).departments

/** Formats the filters of a list as one text. */
export function formatListFilters(
  state: CallListState,
  departments: { id: string; name: string }[],
  { language: { code, format, words }, panel }: PageContext,
): string {
  const chips = buildCallFilterChips(state, {
    code,
    format,
    departments,
    period: null,
    bands: panel.config.SCORE_BANDS,
  }).map(({ text }) => text)
  const { q } = state.filters
  return [...(q ? [`“${q}”`] : []), ...chips].join(' · ') || words.views.noFilters
}

/** Builds a row of the list of views. */
export function buildViewRow(view: ViewJson, departments: { id: string; name: string }[], context: PageContext) {
  const { words } = context.language
  const { id, name, department, person, canChange } = view
  return {
    id,
    name,
    href: formatViewHref(id),
    filters: formatListFilters(buildViewListState(view), departments, context),
    share: department ?? words.views.private,
    author: person.name,
    edit: canChange ? `${formatViewHref(id)}/edit` : null,
    notify: buildNotifySwitch(view, '/views', context),
  }
}

/** Builds the switch for notifications about a view. @param back path of the page that shows it */
const buildNotifySwitch = ({ id, name, isSubscribed }: ViewJson, back: string, { language }: PageContext) => ({
  id: `notify-${id}`,
  action: `${formatViewHref(id)}/subscription`,
  isOn: isSubscribed,
  label: language.words.views.notifyNamed(name),
  back,
})

/** Builds what the list of calls shows about the view that is open; null without an open view. */
export async function buildOpenView(context: PageContext, state: CallListState, self: string) {
  if (!state.view) return null
  const view = (await fetchViews(context.api).catch(() => [])).find(({ id }) => id === state.view)
  if (!view) return null
  const href = formatViewHref(view.id)
  return {
    name: view.name,
    href,
    isChanged: isViewChanged(view, state),
    saveTo: view.canChange ? `${href}/filters` : null,
    edit: view.canChange ? `${href}/edit` : null,
    notify: buildNotifySwitch(view, self, context),
  }
}
