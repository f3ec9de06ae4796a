import { isHtmxRequest, renderPage, renderPageParts, type PageContext } from '../frame/context.ts'
import type { Page } from '../frame/page.ts'
import { searchPaletteDestinations } from './palette.ts'
import { keyboardWords } from './words.ts'

/**
 * The command palette (Ctrl K) and the list of keys (?). Scripts open both in a dialog on every page. The layout contains an empty
 * palette, so that no typed letter is lost while the entries load.
 */
export const keyboardPage: Page<'keyboard', typeof keyboardWords> = {
  name: 'keyboard',
  words: keyboardWords,
  routes: [
    { method: 'get', path: '/palette', handle: showPalette },
    { method: 'get', path: '/keys-help', handle: showKeys },
  ],
  styles: ['keyboard'],
}

const MAX_QUERY_CHARS = 100

async function showPalette(context: PageContext): Promise<void> {
  const { ctx, language } = context
  const text = String(ctx.query.q ?? '')
    .trim()
    .slice(0, MAX_QUERY_CHARS)
  const data = { query: text, groups: await searchPaletteDestinations(context, text) }
  if (isHtmxRequest(ctx)) return renderPageParts(context, ['keyboard/_destinations'], data)
  await renderPage(context, 'keyboard/palette', { title: language.words.keyboard.palette.title, ...data })
}

type KeyWords = (typeof keyboardWords)['list']

/** Keys with the id of their description, by group. `Space` is translated when shown. */
const KEYS: Record<keyof KeyWords['groups'], [keys: string[], does: keyof KeyWords['does']][]> = {
  everywhere: [
    [['Ctrl K'], 'goTo'],
    [['/'], 'search'],
    [['Esc'], 'leave'],
    [['?'], 'list'],
  ],
  home: [
    [['p'], 'playMoments'],
    [['n'], 'nextMoment'],
    [['r'], 'openReviews'],
    [['a'], 'assign'],
    [['h'], 'markHeard'],
  ],
  calls: [
    [['Enter'], 'firstResult'],
    [['j', 'k'], 'nextCall'],
    [['Enter'], 'openCall'],
    [['x'], 'select'],
  ],
  call: [
    [['Space'], 'play'],
    [['←', '→'], 'seek'],
    [['[', ']'], 'chapters'],
    [['n', 'p'], 'matches'],
    [['e'], 'edit'],
    [['a'], 'assign'],
    [['h'], 'markHeard'],
    [['m'], 'commentHere'],
    [['@'], 'mention'],
    [['Ctrl Enter'], 'saveComment'],
  ],
  playlists: [
    [['p'], 'playList'],
    [['n'], 'nextInList'],
    [['Alt ↑', 'Alt ↓'], 'moveInList'],
  ],
  reviews: [
    [['y', 'n'], 'decide'],
    [['s'], 'skip'],
    [['u'], 'undo'],
    [['c'], 'comment'],
    [['o'], 'openCall'],
    [['Space'], 'play'],
    [['←', '→'], 'seek'],
  ],
}

/** The pages of the groups. The list starts with the keys of the page that opened it. */
const GROUP_PATHS: Partial<Record<keyof typeof KEYS, RegExp>> = {
  home: /^\/(assignments)?$/,
  calls: /^\/recordings$/,
  call: /^\/recordings\/./,
  playlists: /^\/playlists\/./,
  reviews: /^\/reviews$/,
}

async function showKeys(context: PageContext): Promise<void> {
  const { ctx, language } = context
  const t = language.words.keyboard.list
  const page = String(ctx.query.page ?? '')
  const isForPage = ([name]: [string, unknown]) => Number(GROUP_PATHS[name as keyof typeof KEYS]?.test(page) ?? false)
  const sorted = Object.entries(KEYS).toSorted((a, b) => isForPage(b) - isForPage(a))
  const groups = sorted.map(([name, rows]) => ({
    title: t.groups[name as keyof typeof KEYS],
    rows: rows.map(([keys, does]) => ({
      keys: keys.map((key) => (key === 'Space' ? t.space : key)),
      does: t.does[does],
    })),
  }))
  if (isHtmxRequest(ctx)) return renderPageParts(context, ['keyboard/_keys'], { groups })
  await renderPage(context, 'keyboard/keys', { title: t.title, groups })
}
