import type { ViewJson } from '../../work/views/schema.ts'
import type { RequestApi } from './api-client.ts'

/** A saved view in the menu. Its count loads after the page. */
export interface MenuView {
  id: string
  name: string
  href: string
  isOpen: boolean
}

/** The menu shows at most this many views, so that its counts stay cheap. The page of views has all. */
const MAX_MENU_VIEWS = 8

/** Fetches all views that the person sees. */
export const fetchViews = async (api: RequestApi): Promise<ViewJson[]> =>
  (await api.fetch<{ items: ViewJson[] }>('/v1/views')).items

/** Fetches the views of the menu: those of the person first, then shared ones. */
export const fetchShownMenuViews = async (api: RequestApi): Promise<ViewJson[]> =>
  (await api.fetch<{ items: ViewJson[] }>(`/v1/views?limit=${MAX_MENU_VIEWS}`)).items

/** Fetches the views for the menu. @param openId id of the open view. Without views if the request fails */
export async function fetchMenuViews(api: RequestApi, openId: string | undefined): Promise<MenuView[]> {
  const views = await fetchShownMenuViews(api).catch(() => [])
  return views.map(({ id, name }) => ({ id, name, href: formatViewHref(id), isOpen: id === openId }))
}

/** Formats the address that opens a view. It redirects to the list with the view's filters. */
export const formatViewHref = (id: string): string => `/views/${id}`
