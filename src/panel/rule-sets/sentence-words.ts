import { both, template } from '../frame/words/translation.ts'
import { formEn, formRu } from '../frame/words/grammar.ts'

/** A phrase of a sentence about a number that is within bounds; what a bound does not say is null. */
type Bounds = (min: string | null, max: string | null) => string

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
  and: both('and something of', 'и что-то из'),
  first: both(
    (n: number, shown: string) => `in the first ${shown} ${formEn(n, 'second', 'seconds')}`,
    (n, shown) => `в первые ${shown} ${formRu(n, 'секунду', 'секунды', 'секунд')}`,
  ),
  last: both(
    (n: number, shown: string) => `in the last ${shown} ${formEn(n, 'second', 'seconds')}`,
    (n, shown) => `в последние ${shown} ${formRu(n, 'секунду', 'секунды', 'секунд')}`,
  ),
  after: template('after {} has said one of', 'после того как {} сказал одно из:'),
  afterRule: template('after “{}”', 'после «{}»'),
  within: both(
    (n: number, shown: string) => `at most ${shown} ${formEn(n, 'second', 'seconds')} later`,
    (n, shown) => `не позже чем через ${shown} ${formRu(n, 'секунду', 'секунды', 'секунд')}`,
  ),
  except: both('not counting', 'не считая'),
  onlyThen: both('Counts only in calls in which there was an occasion.', 'Учитывается, только если был повод.'),
  critical: both('Critical: without it the score of the call is 0.', 'Критично: без этого оценка звонка — 0.'),
  more: template('and {} more', 'и ещё {}'),
  noPhrases: both('(no phrases yet)', '(фраз пока нет)'),
  points: both(
    (n: number, shown: string) => `${shown} ${formEn(n, 'point', 'points')}`,
    (n, shown) => `${shown} ${formRu(n, 'балл', 'балла', 'баллов')}`,
  ),
}
