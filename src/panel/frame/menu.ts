import type { Language } from './i18n.ts'
import {
  canSeePage,
  translate,
  type MenuBadge,
  type MenuBadges,
  type MenuItem,
  type Page,
  type PageContext,
  type LoggedInPerson,
} from './page.ts'

/** Fetches the counts beside the menu items that the person sees, into `context.badges`. Failed counts are omitted. */
export async function fetchMenuBadges(context: PageContext): Promise<void> {
  await Promise.all(
    context.panel.pages.map(async (page) => {
      const { badge } = page.menu ?? {}
      if (!badge || !canSeePage(page, context.person)) return
      try {
        context.badges[page.name] = await badge.read(context)
      } catch {
        // Pages work without a number that fails.
      }
    }),
  )
}

/** Builds the menu that the person can see, in groups. @param path the current page, which the menu highlights */
export function buildMenu(
  pages: readonly Page[],
  person: LoggedInPerson,
  path: string,
  language: Language,
  badges: MenuBadges,
) {
  const visibleItems = pages.flatMap((page) => {
    const { name, menu } = page
    return menu && canSeePage(page, person) ? [buildMenuItem(name, menu, path, language, badges[name])] : []
  })
  const filterByGroup = (group: MenuItem['group']) => visibleItems.filter((item) => item.group === group)
  const check = filterByGroup('check')
  const settings = visibleItems.flatMap((item) => {
    if (item === check[0]) return [buildCheckItem(check, language)]
    return item.group === 'settings' ? [item] : []
  })
  return { work: filterByGroup('work'), views: filterByGroup('views'), check, settings, own: filterByGroup('own') }
}

/** Merges the pages of the call check into one menu item, which links to the first of them. */
function buildCheckItem(tabs: ReturnType<typeof buildMenuItem>[], { words }: Language) {
  const first = tabs[0]!
  const current = first.current ?? (tabs.some((tab) => tab.current !== null) ? 'true' : null)
  return { ...first, text: words.frame.check, current }
}

function buildMenuItem(
  name: string,
  item: MenuItem,
  path: string,
  language: Language,
  loadedBadge: MenuBadge | undefined,
) {
  const { href, within = [`${href}/`], group, title, badge } = item
  return {
    href,
    group,
    text: translate(title, language),
    current: path === href ? 'page' : within.some((way) => path.startsWith(way)) ? 'true' : null,
    failed: badge?.failed && {
      id: `count-${name}-failed`,
      text: formatCount(loadedBadge?.failed, language),
      said: loadedBadge?.failed
        ? translate(badge.failed, language)(loadedBadge.failed, language.format.number(loadedBadge.failed))
        : '',
    },
    count: badge && {
      id: `count-${name}`,
      text: formatCount(loadedBadge?.count, language),
      known: loadedBadge !== undefined,
      kind: badge.isForMe ? 'count due' : 'count',
    },
  }
}

/** Returns an empty text for an unknown count and for 0. */
function formatCount(count: number | undefined, { format }: Language): string {
  return count ? format.number(count) : ''
}
