import type { Eta } from 'eta'
import type { Context } from 'koa'
import type { PersonJson } from '../../people/people/schema.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Logger } from '../../platform/lib/log.ts'
import type { Api, ApiClient } from './api-client.ts'
import type { Assets } from './assets.ts'
import type { Language } from './i18n.ts'
import type { Translation, Dictionary } from './words/translation.ts'

/** The parts of the panel; created once. */
export interface Panel {
  config: Config
  log: Logger
  client: ApiClient
  assets: Assets
  views: Eta
  languages: Language[]
  pages: readonly Page[]
}

/** A person in the format of GET /v1/auth/me. */
export interface Person extends Omit<PersonJson, 'rights'> {
  rights: Record<string, boolean>
}

export interface RequestContext {
  ctx: Context
  panel: Panel
  api: Api
  /** The language of the person, else of the browser. */
  language: Language
  person?: Person
  badges: Badges
  /** Warnings on top of every page until somebody solves them. */
  banners: Banner[]
  /** The id of the person whose view an owner sees on this page: see see-as/page.ts. */
  seeAs: string | undefined
  /** Sent with all API requests of the page and its parts: the audit log joins their entries. */
  actionId: string
}

/** The request of a logged-in person, for the handler of a page. */
export interface PageContext extends RequestContext {
  person: Person
}

/** One page or form of the panel. */
export interface Route {
  method: 'get' | 'post'
  path: string
  handle: (context: PageContext) => Promise<void> | void
  /** Also for visitors who are not logged in: the handler gets no person. */
  isPublic?: true
}

/** One feature of the panel, with everything its frame needs; pages.ts lists them. */
export interface Page<Name extends string = string, W extends Dictionary = Dictionary> {
  /** The name of its words, of its folder in views/, and of its number in the menu. */
  name: Name
  words: W
  routes: Route[]
  menu?: MenuItem
  /** Its style sheets: files of public/css/, without their ending. */
  styles?: readonly string[]
  /** Its scripts: files of public/, without their ending; a page asks for them in `scripts` of renderPage(). */
  scripts?: readonly string[]
  /** The warnings on top of every page; loaded with each of them. */
  banners?: (context: PageContext) => Promise<Banner[]>
}

/** The item of a feature in the menu. */
export interface MenuItem {
  href: string
  /** The paths of its other pages, if not below `href`. */
  within?: readonly string[]
  title: Translation<string>
  /** Work comes first, settings below, the person's own pages last. Pages of `check` are tabs of one setting. */
  group: 'work' | 'settings' | 'check' | 'own'
  /** The people who see it; by default everybody. */
  for?: (person: Person) => boolean
  badge?: {
    /** Loaded with every page, so it must be cheap. Pages work without it. */
    read: (context: PageContext) => Promise<Badge>
    /** The text for the number of failures; without it none is shown. */
    failed?: Translation<(count: number, shown: string) => string>
    /** It counts what waits for the person: shown filled. */
    isForMe?: true
  }
}

/** The numbers beside an item of the menu. */
export interface Badge {
  count: number
  failed?: number
}

/** The numbers of the menu by the names of their pages; unknown ones are not shown. */
export type Badges = Partial<Record<string, Badge>>

/** A problem for somebody to solve, and the page that helps. */
export interface Banner {
  text: string
  href: string
  link: string
  /** For information only. */
  isCalm?: boolean
}

export const canSeePage = ({ menu }: Pick<Page, 'menu'>, person: Person): boolean => menu?.for?.(person) ?? true

export const isOwner = ({ role }: Person): boolean => role === 'owner'
export const isOwnerOrHead = ({ role }: Person): boolean => role !== 'manager'

/** A text in a person's language. */
export const translate = <T>(text: Translation<T>, { code }: Pick<Language, 'code'>): T => text[code]
