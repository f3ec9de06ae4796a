import { expect } from 'chai'
import { Both, type Dictionary } from './both.ts'
import { dictionary } from '../../words.ts'

/** A text of the panel in both languages, and where it stands in the dictionary. */
interface Said {
  place: string
  en: string
  ru: string
}

/** Every text of a dictionary; what makes one is asked for the text of 2. */
function textsOf(words: Dictionary, place = ''): Said[] {
  return Object.entries(words).flatMap(([name, entry]) => {
    const at = place ? `${place}.${name}` : name
    return entry instanceof Both ? pairsOf(entry.en, entry.ru, at) : textsOf(entry, at)
  })
}

function pairsOf(en: unknown, ru: unknown, place: string): Said[] {
  if (typeof en === 'function') return pairsOf(told(en as Telling), told(ru as Telling), place)
  if (typeof en === 'object' && en !== null)
    return Object.entries(en).flatMap(([name, one]) =>
      pairsOf(one, (ru as Record<string, unknown>)[name], `${place}.${name}`),
    )
  return [{ place, en: String(en), ru: String(ru) }]
}

type Telling = (...given: unknown[]) => unknown

/** Numbers come first, what is shown after them; a text alone is as good as any. */
const told = (text: Telling): unknown => {
  try {
    return text(2, '2', '2')
  } catch {
    return text('2', '2', '2')
  }
}

/** What is never said, and what is said instead: the glossary of CONTRIBUTING.md. */
const NEVER: [language: 'en' | 'ru', pattern: RegExp, instead: string][] = [
  ['ru', /расшифров|транскри/i, 'текст'],
  ['ru', /неудач|провал|с ошибкой/i, 'не удалось, не удались'],
  ['ru', /аудиозапис|разговор/i, 'звонок, запись'],
  ['ru', /ошиб(?:ок|ки|ка) (?:сегодня|за|по)|^ошибка$/i, 'не удалось, не удались'],
  ['ru', /^ждут|^ждёт$|в ожидании/i, 'в очереди'],
  ['en', /\b(?:pending|errored|failures?|in error|conversations?)\b/i, 'queued, failed, call'],
  ['en', /^waiting\b/i, 'queued'],
]

/** What these patterns hit and mean otherwise. */
const MEANT: Record<string, string> = {
  'system.states.failed': 'a part of the service, not a call',
  'recording.detail.error': 'what went wrong, beside the state',
  'upload.states.waiting': 'a file in the browser that is in no queue yet',
}

describe('panel: one glossary in both languages', () => {
  const said = textsOf(dictionary)
  const of = (place: string) => said.find((one) => one.place === place)!

  it('finds the words that it judges', () => {
    expect(said.length).to.be.greaterThan(500)
    expect(of('recordings.title')).to.deep.equal({ place: 'recordings.title', en: 'Recordings', ru: 'Записи' })
    expect(of('queues.failedCount').ru).to.equal('не удалось: 2')
    expect(of('errors.pages.404.1').ru).to.contain('доступа')
  })

  it('says no word that has another in the glossary', () => {
    const faults = said.flatMap(({ place, ...texts }) =>
      NEVER.filter(([language, pattern]) => pattern.test(texts[language]) && !(place in MEANT)).map(
        ([language, , instead]) => `${place}: ${texts[language]} (${instead})`,
      ),
    )
    expect(faults).to.deep.equal([])
  })

  it('calls what waits queued and what came to nothing failed, wherever a state is named', () => {
    const queued = ['recordings.status.QUEUED', 'recordings.facets.statuses.QUEUED', 'queues.states.waiting', 'queues.cards.waiting'] // prettier-ignore
    const failed = ['recordings.status.FAILED', 'recordings.facets.statuses.FAILED', 'queues.states.failed', 'queues.failedCount', 'statistics.failed', 'queues.cards.failedToday'] // prettier-ignore
    for (const place of queued) {
      expect(of(place).en, place).to.match(/queued/i)
      expect(of(place).ru, place).to.match(/^в очереди/i)
    }
    for (const place of failed) {
      expect(of(place).en, place).to.match(/failed/i)
      expect(of(place).ru, place).to.match(/не удал(?:ось|ись)/i)
    }
  })

  it('begins a span of dates with «с», and one of lengths with «от»', () => {
    expect(of('recordings.filter.since').ru).to.equal('с 2')
    for (const place of [
      'recordings.filter.dateFrom',
      'recordings.filter.from',
      'statistics.from',
      'audit.filters.from',
    ])
      expect(of(place).ru, place).to.match(/(?:^|\s)с$/i)
    expect([of('recordings.filter.least').ru, of('recordings.filter.lengthFrom').ru]).to.deep.equal([
      'от 2',
      'Длина от',
    ])
  })

  it('says recording in neither language of what is a call in the other', () => {
    const calls = ({ en, ru }: Said) => [/\bcalls?\b/i.test(en), /звон/i.test(ru)]
    const recordings = ({ en, ru }: Said) => [/\brecordings?\b/i.test(en), /(?<![а-яё])запис(?!ан|ыва)/i.test(ru)]
    // One language may leave a word out; it may not put the other one in its place.
    const faults = said.filter((one) => {
      const [callEn, callRu] = calls(one)
      const [recordingEn, recordingRu] = recordings(one)
      return (recordingRu && !recordingEn && !callRu) || (recordingEn && !recordingRu && !callEn)
    })
    expect(faults.map(({ place, en, ru }) => `${place}: ${en} — ${ru}`)).to.deep.equal([])
  })
})
