import type { Language } from './i18n.ts'
import {
  isFor,
  translate,
  type Badge,
  type Badges,
  type MenuItem,
  type Page,
  type PageContext,
  type Person,
} from './page.ts'

/** Loads the numbers of the menu that this person sees. */
export async function readBadges(context: PageContext): Promise<void> {
  await Promise.all(
    context.panel.pages.map(async (page) => {
      const { badge } = page.menu ?? {}
      if (!badge || !isFor(page, context.person)) return
      try {
        context.badges[page.name] = await badge.read(context)
      } catch {
        // Pages work without a number that fails.
      }
    }),
  )
}

/** The menu of this person on the page at `path`. */
export function menuOf(pages: readonly Page[], person: Person, path: string, language: Language, badges: Badges) {
  const shown = pages.flatMap((page) => {
    const { name, menu } = page
    return menu && isFor(page, person) ? [itemOf(name, menu, path, language, badges[name])] : []
  })
  const of = (group: MenuItem['group']) => shown.filter((item) => item.group === group)
  const check = of('check')
  const settings = shown.flatMap((item) => {
    if (item === check[0]) return [checkOf(check, language)]
    return item.group === 'settings' ? [item] : []
  })
  return { work: of('work'), check, settings, own: of('own') }
}

/** The single item of the call check: it links to the first of its tabs. */
function checkOf(tabs: ReturnType<typeof itemOf>[], { words }: Language) {
  const first = tabs[0]!
  const current = first.current ?? (tabs.some((tab) => tab.current !== null) ? 'true' : null)
  return { ...first, text: words.frame.check, current }
}

function itemOf(name: string, item: MenuItem, path: string, language: Language, known: Badge | undefined) {
  const { href, within = [`${href}/`], group, title, badge } = item
  return {
    href,
    group,
    text: translate(title, language),
    current: path === href ? 'page' : within.some((way) => path.startsWith(way)) ? 'true' : null,
    failed: badge?.failed && {
      id: `count-${name}-failed`,
      text: shownCount(known?.failed, language),
      said: known?.failed ? translate(badge.failed, language)(known.failed, language.format.number(known.failed)) : '',
    },
    count: badge && { id: `count-${name}`, text: shownCount(known?.count, language), known: known !== undefined },
  }
}

/** Unknown numbers and zeros are not shown. */
function shownCount(count: number | undefined, { format }: Language): string {
  return count ? format.number(count) : ''
}
