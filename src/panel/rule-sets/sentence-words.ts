import { both } from '../frame/words/translation.ts'
import { formEn, formRu } from '../frame/words/grammar.ts'

/** A phrase of a sentence about a number that is within bounds; what a bound does not say is null. */
type Bounds = (min: string | null, max: string | null) => string

/** After «не больше» and «от … до» Russian puts the genitive: 1 секунды, 2 секунд. */
const genitive = (n: number, one: string, many: string): string => formRu(n, one, many, many)

const boundsEn: Bounds = (min, max) =>
  min === null ? `at most ${max}` : max === null ? `at least ${min}` : min === max ? min : `from ${min} to ${max}`
const boundsRu: Bounds = (min, max) =>
  min === null ? `не больше ${max}` : max === null ? `не меньше ${min}` : min === max ? min : `от ${min} до ${max}`

/** What sentences about rules are put together of, in the order of their words; who speaks is lower case within. */
export const sentence = {
  sides: both(
    { agent: 'the agent', client: 'the client', any: 'either side' },
    { agent: 'менеджер', client: 'клиент', any: 'кто-то из двоих' },
  ),
  bounds: both(boundsEn, boundsRu),
  says: both('says one of', 'говорит одно из:'),
  saysOften: both(
    (times: string, n: number) => `says ${times} ${formEn(n, 'time', 'times')} one of`,
    (times, n) => `говорит ${times} ${genitive(n, 'раза', 'раз')} одно из:`,
  ),
  saysEach: both('says something of', 'говорит что-то из'),
  and: both('and something of', 'и что-то из'),
  neverSays: both('says none of', 'не говорит ничего из:'),
  asks: both(
    (times: string, n: number) => `asks ${times} ${formEn(n, 'question', 'questions')} with one of`,
    (times, n) => `задаёт ${times} ${genitive(n, 'вопроса', 'вопросов')} со словами:`,
  ),
  answers: both('answers with one of', 'отвечает одним из:'),
  inOrder: both('says one after the other', 'говорит по порядку:'),
  thenStep: both('then', 'затем'),
  names: both('names a number', 'называет число'),
  beside: both('beside one of', 'рядом с одним из:'),
  share: both(
    (who: string, share: string) => `${who} speaks ${share} % of the time`,
    (who, share) => `${who} говорит ${share} % времени`,
  ),
  silence: both(
    (length: string, n: number) => `the longest silence lasts ${length} ${formEn(n, 'second', 'seconds')}`,
    (length, n) => `самая долгая пауза — ${length} ${genitive(n, 'секунды', 'секунд')}`,
  ),
  pace: both(
    (who: string, pace: string, n: number) => `${who} speaks ${pace} ${formEn(n, 'word', 'words')} a minute`,
    (who, pace, n) => `${who} говорит ${pace} ${genitive(n, 'слова', 'слов')} в минуту`,
  ),
  interrupts: both(
    (who: string, times: string, n: number) => `${who} interrupts ${times} ${formEn(n, 'time', 'times')}`,
    (who, times, n) => `${who} перебивает ${times} ${genitive(n, 'раза', 'раз')}`,
  ),
  monologue: both(
    (who: string, length: string, n: number) =>
      `${who} speaks without a break for ${length} ${formEn(n, 'second', 'seconds')}`,
    (who, length, n) => `${who} говорит без остановки ${length} ${genitive(n, 'секунды', 'секунд')}`,
  ),
  model: both(
    (what: string) => `the model decides: ${what}`,
    (what) => `решает модель: ${what}`,
  ),
  first: both(
    (n: number, shown: string) => `in the first ${shown} ${formEn(n, 'second', 'seconds')}`,
    (n, shown) => `в первые ${shown} ${formRu(n, 'секунду', 'секунды', 'секунд')}`,
  ),
  last: both(
    (n: number, shown: string) => `in the last ${shown} ${formEn(n, 'second', 'seconds')}`,
    (n, shown) => `в последние ${shown} ${formRu(n, 'секунду', 'секунды', 'секунд')}`,
  ),
  after: both(
    (who: string) => `after ${who} has said one of`,
    (who) => `после того как ${who} сказал одно из:`,
  ),
  afterRule: both(
    (rule: string) => `after “${rule}”`,
    (rule) => `после «${rule}»`,
  ),
  within: both(
    (n: number, shown: string) => `at most ${shown} ${formEn(n, 'second', 'seconds')} later`,
    (n, shown) => `не позже чем через ${shown} ${formRu(n, 'секунду', 'секунды', 'секунд')}`,
  ),
  except: both('not counting', 'не считая'),
  onlyThen: both('Counts only in calls in which there was an occasion.', 'Учитывается, только если был повод.'),
  critical: both('Critical: without it the score of the call is 0.', 'Критично: без этого оценка звонка — 0.'),
  more: both(
    (shown: string) => `and ${shown} more`,
    (shown) => `и ещё ${shown}`,
  ),
  noPhrases: both('(no phrases yet)', '(фраз пока нет)'),
  points: both(
    (n: number, shown: string) => `${shown} ${formEn(n, 'point', 'points')}`,
    (n, shown) => `${shown} ${formRu(n, 'балл', 'балла', 'баллов')}`,
  ),
}
