import { expect } from 'chai'
import { Translation, type TranslationDictionary } from './translation.ts'
import { panelDictionary } from '../../words.ts'

interface TextPair {
  path: string
  en: string
  ru: string
}

/** Collects every text of a dictionary. Functions are called with sample values. */
function collectTexts(words: TranslationDictionary, path = ''): TextPair[] {
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

/** Sample values for the first argument. A text is called with the first value that it accepts. */
const FIRST_ARGUMENTS: unknown[] = [2, '2', ['2', '3']]

function callText(text: TextFunction): unknown {
  for (const first of FIRST_ARGUMENTS) {
    try {
      return text(first, '2', '2', '2')
    } catch {
      // Try the next sample value.
    }
  }
  throw new Error(`no arguments fit ${String(text)}`)
}

/** Words that the glossary of CONTRIBUTING.md forbids, with their replacements. */
const FORBIDDEN_WORDS: [language: 'en' | 'ru', pattern: RegExp, instead: string][] = [
  ['en', /\bsounds?\b/i, 'recording, audio'],
  ['en', /\bconversations?\b/i, 'call'],
  ['en', /\bprocess(?:ed|ing|es)\b/i, 'transcribe'],
  ['en', /\b(?:reps?|operators?)\b/i, 'manager'],
  ['en', /(?<!department )\bheads?\b/i, 'department head'],
  ['en', /\badmin/i, 'owner'],
  ['en', /\bcustomers?\b/i, 'client'],
  ['en', /\bteams?\b/i, 'department'],
  ['en', /^may$/i, 'permissions'],
  ['en', /\bjudg/i, 'check, review'],
  ['en', /set of points|what is critical/i, 'rule set, critical rule'],
  ['en', /\bweights?\b/i, 'points'],
  ['en', /\btags?\b/i, 'label'],
  ['en', /\bbacktest/i, 'test run'],
  ['en', /\brecalculat/i, 'recheck'],
  ['en', /\bleads?\b/i, 'deal'],
  ['en', /\brefusals?\b/i, 'lost deals'],
  ['en', /won of closed/i, 'win rate'],
  ['en', /\bsilent\b/i, 'stalled'],
  ['en', /\bpipelines?\b/i, 'funnel'],
  ['en', /\bcorrelation/i, 'scores and sales'],
  ['en', /\bsheets?\b/i, 'manager summary'],
  ['en', /forget .*position/i, 'reset'],
  ['en', /\bcontrol\b(?! characters)/i, 'reconciliation'],
  ['en', /\b(?:inbox|intake)\b/i, 'watched folder'],
  ['en', /\bhooks?\b/i, 'webhook, callback'],
  ['en', /\bwaits\b|^waiting\b|\bpending\b/i, 'queued'],
  ['en', /by (?:itself|themselves)/i, 'automatically'],
  ['en', /\b(?:errored|in error)\b/i, 'failed'],
  ['ru', /аудиозапис|разговор/i, 'звонок, запись'],
  ['ru', /(?<![а-яё])текст(?!\S* без управляющих)/i, 'расшифровка'],
  ['ru', /транскри/i, 'расшифровка'],
  ['ru', /(?<![а-яё])оператор/i, 'менеджер'],
  ['ru', /админ/i, 'владелец'],
  ['ru', /(?<![а-яё])(?:человек|люди|людей|людям|людьми)/i, 'сотрудник'],
  ['ru', /^может$/i, 'права'],
  ['ru', /(?<![а-яё])суд(?:ить|ит|ила?)(?![а-яё])/i, 'проверка'],
  ['ru', /(?<![а-яё])решени/i, 'вердикт, разбор'],
  ['ru', /(?<![а-яё])тег/i, 'метка'],
  ['ru', /(?<![а-яё])проб[аыуе](?![а-яё])/i, 'прогон, проверка'],
  ['ru', /(?<![а-яё])отказ/i, 'проигранные сделки'],
  ['ru', /(?<![а-яё])этап/i, 'стадия'],
  ['ru', /корреляц/i, 'оценки и продажи'],
  ['ru', /(?<![а-яё])лист(?:ы|а|ов)?(?![а-яё])/i, 'личная сводка'],
  ['ru', /автоматик/i, 'автоматизация'],
  ['ru', /забыть (?:место|позицию)/i, 'сбросить'],
  ['ru', /входящ(?:ая|ей) папк|приём файлов/i, 'папка загрузки'],
  ['ru', /колбэк/i, 'уведомление'],
  ['ru', /(?<![а-яё])(?:ждёт|ждут)(?![а-яё])|в ожидании/i, 'в очереди'],
  ['ru', /^(?:идёт|идут)$/i, 'распознаётся'],
  ['ru', /(?<![а-яё])не удал|неудач|провал/i, 'не распознан'],
]

/** Texts that match a forbidden pattern but mean something else. */
const ALLOWED_MATCHES: Record<string, string> = {
  'audit.actions.login.failed': 'an attempt to log in, not a call',
  'recording.events.failedAttempt': 'one attempt, after which others follow',
}

describe('panel: glossary of both languages', () => {
  const allTexts = collectTexts(panelDictionary)
  const findText = (path: string) => allTexts.find((one) => one.path === path)!

  it('the test collects the texts of all pages', () => {
    expect(allTexts.length).to.be.greaterThan(500)
    expect(findText('recordings.title')).to.deep.equal({ path: 'recordings.title', en: 'Calls', ru: 'Звонки' })
    expect(findText('queues.failedCount').ru).to.equal('ошибок: 2')
    expect(findText('errors.pages.404.1').ru).to.contain('доступа')
  })

  it('the panel uses no word that the glossary forbids', () => {
    const violations = allTexts.flatMap(({ path, ...texts }) =>
      FORBIDDEN_WORDS.filter(([language, pattern]) => pattern.test(texts[language]) && !(path in ALLOWED_MATCHES)).map(
        ([language, , instead]) => `${path}: ${texts[language]} (${instead})`,
      ),
    )
    expect(violations).to.deep.equal([])
  })

  it('queued and failed calls are named consistently wherever a status is shown', () => {
    const queued = ['recordings.status.QUEUED', 'recordings.filters.status.values.QUEUED', 'queues.states.waiting', 'queues.cards.waiting'] // prettier-ignore
    const failed = ['recordings.status.FAILED', 'recordings.filters.status.values.FAILED', 'queues.states.failed', 'queues.failedCount', 'statistics.failed', 'queues.cards.failedToday'] // prettier-ignore
    for (const path of queued) {
      expect(findText(path).en, path).to.match(/queued/i)
      expect(findText(path).ru, path).to.match(/^в очереди/i)
    }
    for (const path of failed) {
      expect(findText(path).en, path).to.match(/failed/i)
      expect(findText(path).ru, path).to.match(/не распознан|ошиб/i)
    }
  })

  it('a range of dates begins with «с», a range of durations with «от»', () => {
    expect(findText('recordings.range.since').ru).to.equal('с')
    for (const path of ['recordings.filters.dateFrom.label', 'statistics.from', 'audit.filters.from'])
      expect(findText(path).ru, path).to.match(/(?:^|\s)с$/i)
    expect([findText('recordings.range.least').ru, findText('recordings.filters.lengthFrom.label').ru]).to.deep.equal([
      'от',
      'Длительность от',
    ])
  })

  it('no text says recording in one language and call in the other', () => {
    const calls = ({ en, ru }: TextPair) => [/\bcalls?\b/i.test(en), /звон/i.test(ru)]
    const recordings = ({ en, ru }: TextPair) => [
      /\brecordings?\b/i.test(en),
      /(?<![а-яё])(?:стерео)?запис(?!ан|ыва)/i.test(ru),
    ]
    // A translation can omit the word, but must not use the forbidden one.
    const violations = allTexts.filter((one) => {
      const [callEn, callRu] = calls(one)
      const [recordingEn, recordingRu] = recordings(one)
      return (
        (recordingRu && !recordingEn && !callRu && !/\baudio\b/i.test(one.en)) ||
        (recordingEn && !recordingRu && !callEn)
      )
    })
    expect(violations.map(({ path, en, ru }) => `${path}: ${en} — ${ru}`)).to.deep.equal([])
  })
})
