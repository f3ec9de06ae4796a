import { expect } from 'chai'
import { Translation, type Dictionary } from './translation.ts'
import { panelDictionary } from '../../words.ts'

/** A text of the panel in both languages, and its path in the dictionary. */
interface TextPair {
  path: string
  en: string
  ru: string
}

/** Every text of a dictionary; functions are called with 2. */
function collectTexts(words: Dictionary, path = ''): TextPair[] {
  return Object.entries(words).flatMap(([name, entry]) => {
    const at = path ? `${path}.${name}` : name
    return entry instanceof Translation ? collectPairs(entry.en, entry.ru, at) : collectTexts(entry, at)
  })
}

function collectPairs(en: unknown, ru: unknown, path: string): TextPair[] {
  if (typeof en === 'function') return collectPairs(callText(en as TextFunction), callText(ru as TextFunction), path)
  if (typeof en === 'object' && en !== null)
    return Object.entries(en).flatMap(([name, one]) =>
      collectPairs(one, (ru as Record<string, unknown>)[name], `${path}.${name}`),
    )
  return [{ path, en: String(en), ru: String(ru) }]
}

type TextFunction = (...given: unknown[]) => unknown

/** Numbers come first, then other arguments; a text alone is fine too. */
const callText = (text: TextFunction): unknown => {
  try {
    return text(2, '2', '2')
  } catch {
    return text('2', '2', '2')
  }
}

/** Forbidden words and their replacements: the glossary of CONTRIBUTING.md. */
const FORBIDDEN_WORDS: [language: 'en' | 'ru', pattern: RegExp, instead: string][] = [
  ['ru', /расшифров|транскри/i, 'текст'],
  ['ru', /неудач|провал|с ошибкой/i, 'не удалось, не удались'],
  ['ru', /аудиозапис|разговор/i, 'звонок, запись'],
  ['ru', /ошиб(?:ок|ки|ка) (?:сегодня|за|по)|^ошибка$/i, 'не удалось, не удались'],
  ['ru', /^ждут|^ждёт$|в ожидании/i, 'в очереди'],
  ['en', /\b(?:pending|errored|failures?|in error|conversations?)\b/i, 'queued, failed, call'],
  ['en', /^waiting\b/i, 'queued'],
]

/** Matches of these patterns with another meaning. */
const ALLOWED_MATCHES: Record<string, string> = {
  'system.states.failed': 'a part of the service, not a call',
  'recording.detail.error': 'what went wrong, beside the state',
  'upload.states.waiting': 'a file in the browser that is in no queue yet',
}

describe('panel: one glossary in both languages', () => {
  const allTexts = collectTexts(panelDictionary)
  const findText = (path: string) => allTexts.find((one) => one.path === path)!

  it('finds the words that it judges', () => {
    expect(allTexts.length).to.be.greaterThan(500)
    expect(findText('recordings.title')).to.deep.equal({ path: 'recordings.title', en: 'Recordings', ru: 'Записи' })
    expect(findText('queues.failedCount').ru).to.equal('не удалось: 2')
    expect(findText('errors.pages.404.1').ru).to.contain('доступа')
  })

  it('says no word that has another in the glossary', () => {
    const violations = allTexts.flatMap(({ path, ...texts }) =>
      FORBIDDEN_WORDS.filter(([language, pattern]) => pattern.test(texts[language]) && !(path in ALLOWED_MATCHES)).map(
        ([language, , instead]) => `${path}: ${texts[language]} (${instead})`,
      ),
    )
    expect(violations).to.deep.equal([])
  })

  it('calls what waits queued and what came to nothing failed, wherever a state is named', () => {
    const queued = ['recordings.status.QUEUED', 'recordings.filters.status.values.QUEUED', 'queues.states.waiting', 'queues.cards.waiting'] // prettier-ignore
    const failed = ['recordings.status.FAILED', 'recordings.filters.status.values.FAILED', 'queues.states.failed', 'queues.failedCount', 'statistics.failed', 'queues.cards.failedToday'] // prettier-ignore
    for (const path of queued) {
      expect(findText(path).en, path).to.match(/queued/i)
      expect(findText(path).ru, path).to.match(/^в очереди/i)
    }
    for (const path of failed) {
      expect(findText(path).en, path).to.match(/failed/i)
      expect(findText(path).ru, path).to.match(/не удал(?:ось|ись)/i)
    }
  })

  it('begins a span of dates with «с», and one of lengths with «от»', () => {
    expect(findText('recordings.range.since').ru).to.equal('с')
    for (const path of ['recordings.filters.dateFrom.label', 'statistics.from', 'audit.filters.from'])
      expect(findText(path).ru, path).to.match(/(?:^|\s)с$/i)
    expect([findText('recordings.range.least').ru, findText('recordings.filters.lengthFrom.label').ru]).to.deep.equal([
      'от',
      'Длина от',
    ])
  })

  it('says recording in neither language of what is a call in the other', () => {
    const calls = ({ en, ru }: TextPair) => [/\bcalls?\b/i.test(en), /звон/i.test(ru)]
    const recordings = ({ en, ru }: TextPair) => [/\brecordings?\b/i.test(en), /(?<![а-яё])запис(?!ан|ыва)/i.test(ru)]
    // A translation can omit the word, but cannot use the forbidden one.
    const violations = allTexts.filter((one) => {
      const [callEn, callRu] = calls(one)
      const [recordingEn, recordingRu] = recordings(one)
      return (recordingRu && !recordingEn && !callRu) || (recordingEn && !recordingRu && !callEn)
    })
    expect(violations.map(({ path, en, ru }) => `${path}: ${en} — ${ru}`)).to.deep.equal([])
  })
})
