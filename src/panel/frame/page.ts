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

/** A person as GET /v1/auth/me shows them. */
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
  /** The id of the person whose view an owner looks at, on this page: see see-as/page.ts. */
  seeAs: string | undefined
}

/** The request of somebody who is logged in, as a page's handler sees it. */
export interface PageContext extends RequestContext {
  person: Person
}

/** One page or form of the panel. */
export interface Route {
  method: 'get' | 'post'
  path: string
  handle: (context: PageContext) => Promise<void> | void
  /** Also for somebody who is not logged in: the handler knows no person. */
  isPublic?: true
}

/** One feature of the panel, and all that its frame must know of it; pages.ts lists them. */
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

/** Where the menu leads to a feature. */
export interface MenuItem {
  href: string
  /** Where its other pages lie, if not below `href`. */
  within?: readonly string[]
  title: Translation<string>
  /** Work stands above, settings below, the person's own last. Pages of the `check` are tabs of one setting. */
  group: 'work' | 'settings' | 'check' | 'own'
  /** The people who see it; by default everybody. */
  for?: (person: Person) => boolean
  badge?: {
    /** Asked for with every page, so it must cost little. No page fails for the want of it. */
    read: (context: PageContext) => Promise<Badge>
    /** How the number of what has failed is said; without it none is shown. */
    failed?: Translation<(count: number, shown: string) => string>
  }
}

/** The numbers beside an item of the menu. */
export interface Badge {
  count: number
  failed?: number
}

/** The numbers of the menu by the names of their pages; one that is not known is not shown. */
export type Badges = Partial<Record<string, Badge>>

/** Something that somebody should mend, and the page that helps. */
export interface Banner {
  text: string
  href: string
  link: string
  /** Nothing is wrong: it is only said. */
  isCalm?: boolean
}

export const isFor = ({ menu }: Pick<Page, 'menu'>, person: Person): boolean => menu?.for?.(person) ?? true

export const isOwner = ({ role }: Person): boolean => role === 'owner'
export const isOwnerOrHead = ({ role }: Person): boolean => role !== 'manager'

/** A text in a person's language. */
export const translate = <T>(text: Translation<T>, { code }: Pick<Language, 'code'>): T => text[code]
