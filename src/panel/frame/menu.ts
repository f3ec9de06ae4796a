import type { Language } from './i18n.ts'
import type { Counts, Person } from './context.ts'

/** A place that the menu leads to. */
interface Place {
  href: string
  word: keyof Language['words']['frame']['places']
  /** Where it stands: what people work with above, settings below, the person's own at the foot. */
  group: 'work' | 'settings' | 'own'
  /** Who sees it; everybody where it says nothing. */
  for?: (person: Person) => boolean
  /** The number beside it. */
  count?: keyof Counts
}

const isOwner = ({ role }: Person): boolean => role === 'owner'
const isOwnerOrHead = ({ role }: Person): boolean => role !== 'manager'

/** Every place of the menu, in its order. Whoever adds a page adds its place here. */
const PLACES: Place[] = [
  { href: '/recordings', word: 'recordings', group: 'work', count: 'recordings' },
  { href: '/upload', word: 'upload', group: 'work', for: ({ rights }) => rights.manageRecordings === true },
  { href: '/queues', word: 'queues', group: 'work', for: isOwner, count: 'queues' },
  { href: '/statistics', word: 'statistics', group: 'work', for: ({ rights }) => rights.analytics === true },
  { href: '/people', word: 'people', group: 'settings', for: isOwnerOrHead },
  { href: '/departments', word: 'departments', group: 'settings', for: isOwnerOrHead },
  { href: '/system', word: 'system', group: 'settings', for: isOwner },
  { href: '/audit', word: 'audit', group: 'settings', for: isOwner },
  { href: '/account', word: 'account', group: 'own' },
]

/** The menu of this person on the page at `path`. */
export function menuOf(person: Person, path: string, language: Language, counts: Counts) {
  const shown = PLACES.filter((place) => place.for?.(person) ?? true).map(({ href, word, group, count }) => ({
    href,
    group,
    text: language.words.frame.places[word],
    current: path === href ? 'page' : path.startsWith(`${href}/`) ? 'true' : null,
    failed: count === 'queues' && {
      id: 'count-failed',
      text: counts.failed
        ? language.words.queues.failedCount(counts.failed, language.format.number(counts.failed))
        : '',
    },
    count: count && {
      id: `count-${count}`,
      text: shownCount(counts[count], language),
      known: counts[count] !== undefined,
    },
  }))
  const of = (group: Place['group']) => shown.filter((place) => place.group === group)
  return { work: of('work'), settings: of('settings'), own: of('own') }
}

/** A number that is not known, or says that nothing waits, is not shown. */
function shownCount(count: number | undefined, { format }: Language): string {
  return count ? format.number(count) : ''
}
