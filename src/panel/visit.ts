import { join } from 'node:path'
import { Eta } from 'eta'
import type { Context } from 'koa'
import type { Config } from '../config.ts'
import type { Logger } from '../lib/log.ts'
import type { Api, ApiClient } from './api-client.ts'
import type { Assets } from './assets.ts'
import type { Language } from './i18n.ts'

/** What the panel is made of; made once. */
export interface Panel {
  config: Config
  log: Logger
  client: ApiClient
  assets: Assets
  views: Eta
  languages: Language[]
}

/** A person as GET /v1/auth/me shows them. */
export interface Person {
  name: string
  role: string
  rights: Record<string, boolean>
}

/** One request of one browser, as a page's handler sees it. */
export interface Visit {
  ctx: Context
  panel: Panel
  api: Api
  language: Language
  /** Known once the page has asked for them: the frame shows them. */
  person?: Person
  recordingsTotal?: number
}

/** One page or form of the panel. */
export interface Route {
  method: 'get' | 'post'
  path: string
  handle: (visit: Visit) => Promise<void>
}

/** The templates. What they put out is escaped unless they say otherwise, which only layouts and partials do. */
export function createViews(root: string): Eta {
  return new Eta({ views: join(root, 'views'), cache: true, autoEscape: true })
}

/** Whether the browser asks for the live part of the page it already shows. */
export const isRefresh = (ctx: Context): boolean => ctx.get('HX-Request') === 'true'

/** Asks who is logged in, for the frame and for what they may do. @throws ApiError 401, ApiDown */
export async function loadPerson(visit: Visit): Promise<Person> {
  const { person } = await visit.api.read<{ person: Person }>('/v1/auth/me')
  visit.person = person
  return person
}

/** Answers with a whole page in the frame. */
export function renderPage(visit: Visit, view: string, data: { title: string } & Record<string, unknown>): void {
  answerHtml(visit, visit.panel.views.render(view, { ...frame(visit), ...data }))
}

/** Answers with live parts alone: the same partials that the whole page is made of. */
export function renderParts(visit: Visit, parts: string[], data: Record<string, unknown>): void {
  const { views } = visit.panel
  answerHtml(visit, parts.map((part) => views.render(part, { ...frame(visit), ...data })).join(''))
}

/** What every template may use. */
function frame({ ctx, panel, language, person, recordingsTotal }: Visit) {
  return {
    lang: language.code,
    words: language.words,
    format: language.format,
    asset: panel.assets.address,
    here: ctx.path + ctx.search,
    path: ctx.path,
    person,
    recordingsTotal,
  }
}

function answerHtml({ ctx, language }: Visit, html: string): void {
  ctx.type = 'text/html; charset=utf-8'
  ctx.set('Content-Language', language.code)
  ctx.vary('Accept-Language')
  ctx.vary('HX-Request')
  ctx.body = html
}
