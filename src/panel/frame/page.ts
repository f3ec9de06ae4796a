import type { Eta } from 'eta'
import type { Context } from 'koa'
import type { PersonJson } from '../../people/people/schema.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Logger } from '../../platform/lib/log.ts'
import type { RequestApi, ApiClient } from './api-client.ts'
import type { StaticAssets } from './assets.ts'
import type { Language } from './i18n.ts'
import type { MenuView } from './menu-views.ts'
import type { Translation, TranslationDictionary } from './words/translation.ts'

/** Objects that all requests of the panel share, created once at the start. */
export interface PanelServices {
  config: Config
  log: Logger
  client: ApiClient
  assets: StaticAssets
  views: Eta
  languages: Language[]
  pages: readonly Page[]
}

/** The logged-in person with permissions, as returned by GET /v1/auth/me. */
export interface LoggedInPerson extends Omit<PersonJson, 'rights'> {
  rights: Record<string, boolean>
}

/** The state of one request, before or after the login. */
export interface RequestContext {
  ctx: Context
  panel: PanelServices
  api: RequestApi
  /** Language of the person; before the login, the language of the browser. */
  language: Language
  person?: LoggedInPerson
  badges: MenuBadges
  banners: Banner[]
  /** The saved views in the menu. */
  menuViews: MenuView[]
  /** Id of the person as whom an owner views the panel; see see-as/page.ts. */
  seeAs: string | undefined
  /** Id that all API calls of the page and its parts share, so that the audit log groups them. */
  actionId: string
}

/** The request of a logged-in person, passed to the handlers of pages. */
export interface PageContext extends RequestContext {
  person: LoggedInPerson
}

/** A route of the panel: a page, a part of a page or a form. */
export interface PanelRoute {
  method: 'get' | 'post'
  path: string
  handle: (context: PageContext) => Promise<void> | void
  /** True if visitors who are not logged in can open it. The handler then gets a context without a person. */
  isPublic?: true
}

/** A feature of the panel with its texts, routes, menu item and files. pages.ts lists all pages. */
export interface Page<Name extends string = string, W extends TranslationDictionary = TranslationDictionary> {
  /** Key of the texts in the dictionary and of the count in the menu. */
  name: Name
  words: W
  routes: PanelRoute[]
  menu?: MenuItem
  /** Names of the page's files in public/css, without extension. */
  styles?: readonly string[]
  /** Names of the page's files in public, without extension. renderPage() loads those in its `scripts`. */
  scripts?: readonly string[]
  /** Fetches warnings for the top of every page, not only of this one. */
  banners?: (context: PageContext) => Promise<Banner[]>
}

/** A menu item and the count beside it. */
export interface MenuItem {
  href: string
  /** Path prefixes of further pages that highlight this item; by default the paths below `href`. */
  within?: readonly string[]
  title: Translation<string>
  /** Pages of the group `check` share one item of the settings and become its tabs. */
  group: 'work' | 'views' | 'settings' | 'check' | 'own'
  /** Returns whether a person sees the item; by default everyone does. */
  for?: (person: LoggedInPerson) => boolean
  badge?: {
    /** Fetches the count. It runs on every page, so it must be cheap; a failure only hides the count. */
    read: (context: PageContext) => Promise<MenuBadge>
    /** Text of a second count, for failures; by default there is none. */
    failed?: Translation<(count: number, shown: string) => string>
    /** True if the count is work for the person, which the menu highlights. */
    isForMe?: true
  }
}

/** Counts beside a menu item. */
export interface MenuBadge {
  count: number
  failed?: number
}

/** Counts by page name. Unknown counts are missing and not shown. */
export type MenuBadges = Partial<Record<string, MenuBadge>>

/** A warning at the top of every page, with a link to the page that solves it. */
export interface Banner {
  text: string
  href: string
  link: string
  /** True for information that needs no action. */
  isCalm?: boolean
}

/** Returns true if the person can see the page in the menu. Pages without `for` are visible to everyone. */
export const canSeePage = ({ menu }: Pick<Page, 'menu'>, person: LoggedInPerson): boolean => menu?.for?.(person) ?? true

/** Returns true if the person is an owner. */
export const isOwner = ({ role }: LoggedInPerson): boolean => role === 'owner'
/** Returns true if the person is an owner or a department head. */
export const isOwnerOrHead = ({ role }: LoggedInPerson): boolean => role !== 'manager'

/** Selects the text of a translation in a person's language. */
export const translate = <T>(text: Translation<T>, { code }: Pick<Language, 'code'>): T => text[code]
