import type { RecordingFacetsJson } from '../../calls/list/overview-schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { RuleSetJson, RuleSetSummaryJson } from '../../check/rule-sets/schema.ts'
import { analyticsPage } from '../analytics/page.ts'
import { quoteManagerName, foldManagerName } from '../frame/manager-names.ts'
import { REPORT_TABS } from '../analytics/tabs.ts'
import type { PageContext } from '../frame/context.ts'
import { formatPathWithQuery } from '../frame/fields.ts'
import { buildMenu } from '../frame/menu.ts'
import { fetchViews, formatViewHref } from '../frame/menu-views.ts'
import { fetchUncountedPlaylists } from '../playlists/of-call.ts'

/** An entry of the palette. `note` distinguishes entries with the same text. */
interface Destination {
  text: string
  href: string
  note?: string
}

interface DestinationGroup {
  title: string
  items: Destination[]
}

const MAX_ITEMS = 6
/** Fewer digits would match nearly every phone number. */
const MIN_PHONE_DIGITS = 4
const MAX_SEARCHED_SETS = 20

/**
 * Searches pages, views, playlists, managers and rules by a part of their names, and phone numbers by digits. Omits groups
 * that fail. An empty text lists pages, views and playlists.
 */
export async function searchPaletteDestinations(context: PageContext, text: string): Promise<DestinationGroup[]> {
  const { groups: titles } = context.language.words.keyboard.palette
  const pages = { title: titles.pages, items: findPages(context, text) }
  const searches: Partial<Record<keyof typeof titles, Promise<Destination[]>>> = {
    views: findViews(context, text),
    playlists: findPlaylists(context, text),
    ...(text !== '' && {
      managers: findManagers(context, text),
      phones: findPhones(context, text),
      rules: findRules(context, text),
    }),
  }
  const found = await Promise.all(
    Object.entries(searches).map(async ([name, items]) => ({
      title: titles[name as keyof typeof titles],
      items: (await items.catch(() => [])).slice(0, MAX_ITEMS),
    })),
  )
  return [pages, ...found].filter(({ items }) => items.length > 0)
}

const matches = (name: string, text: string): boolean => foldManagerName(name).includes(foldManagerName(text))

function findPages({ panel, person, ctx, language }: PageContext, text: string): Destination[] {
  const { work, views, check, settings, own } = buildMenu(panel.pages, person, ctx.path, language, {})
  const canSeeReports = work.some(({ href }) => href === analyticsPage.menu!.href)
  const reports = canSeeReports
    ? REPORT_TABS.map(({ name, path }) => ({ text: language.words.analytics.reports[name], href: path }))
    : []
  const items = [...work, ...reports, ...views, ...check, ...settings, ...own].map(({ text, href }) => ({ text, href }))
  const distinct = items.filter(({ href }, index) => items.findIndex((one) => one.href === href) === index)
  return distinct.filter((page) => matches(page.text, text))
}

async function findViews({ api }: PageContext, text: string): Promise<Destination[]> {
  const views = await fetchViews(api)
  return views
    .filter(({ name }) => matches(name, text))
    .map(({ id, name }) => ({ text: name, href: formatViewHref(id) }))
}

async function findPlaylists(context: PageContext, text: string): Promise<Destination[]> {
  const playlists = await fetchUncountedPlaylists(context)
  return playlists
    .filter(({ name }) => matches(name, text))
    .map(({ id, name }) => ({ text: name, href: `/playlists/${id}` }))
}

/** Finds managers of visible calls and links to the list of their calls. */
async function findManagers({ api }: PageContext, text: string): Promise<Destination[]> {
  const { managers } = await api.fetch<RecordingFacetsJson>(
    formatPathWithQuery('/v1/recordings/facets', { manager: text.replaceAll('|', ' ') }),
  )
  return managers.map(({ name }) => ({
    text: name,
    href: formatPathWithQuery('/recordings', { manager: quoteManagerName(name) }),
  }))
}

/** Finds phone numbers of visible calls and links to the list of their calls. */
async function findPhones({ api, language }: PageContext, text: string): Promise<Destination[]> {
  const digits = text.replace(/\D/g, '')
  if (digits.length < MIN_PHONE_DIGITS || /\p{L}/u.test(text)) return []
  const address = formatPathWithQuery('/v1/recordings', { phone: digits, pageSize: '25' })
  const { items } = await api.fetch<{ items: RecordingJson[] }>(address)
  const phones = [...new Set(items.flatMap(({ phoneNumber }) => phoneNumber ?? []))]
  return phones.map((phone) => ({
    text: language.format.phone(phone)!,
    href: formatPathWithQuery('/recordings', { phone }),
  }))
}

/** Finds rule sets and rules by their names in the person's language. */
async function findRules({ api, language: { code } }: PageContext, text: string): Promise<Destination[]> {
  const { items } = await api.fetch<{ items: RuleSetSummaryJson[] }>(
    formatPathWithQuery('/v1/rule-sets', { pageSize: String(MAX_SEARCHED_SETS) }),
  )
  const sets = await Promise.all(items.map(({ id }) => api.fetch<RuleSetJson>(`/v1/rule-sets/${id}`)))
  return sets.flatMap(({ id, name, rules }) => {
    const page = `/rule-sets/${id}`
    const set = { text: name[code], href: page }
    const inSet = (rules ?? []).map((rule) => ({
      text: rule.name[code],
      href: `${page}#rule-${rule.key}`,
      note: name[code],
    }))
    return [set, ...inSet].filter((one) => matches(one.text, text))
  })
}
