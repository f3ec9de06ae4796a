import { text, template } from '../frame/words/translation.ts'
import { counted } from '../frame/words/grammar.ts'

/** A phrase of a sentence about a number that is within bounds; what a bound does not say is null. */
type Bounds = (min: string | null, max: string | null) => string

const boundsEn: Bounds = (min, max) =>
  min === null ? `at most ${max}` : max === null ? `at least ${min}` : min === max ? min : `from ${min} to ${max}`
const boundsRu: Bounds = (min, max) =>
  min === null ? `не больше ${max}` : max === null ? `не меньше ${min}` : min === max ? min : `от ${min} до ${max}`

/** What sentences about rules are put together of, in the order of their words; who speaks is lower case within. */
export const sentence = {
  sides: text(
    { agent: 'the agent', client: 'the client', any: 'either side' },
    { agent: 'менеджер', client: 'клиент', any: 'кто-то из двоих' },
  ),
  bounds: text(boundsEn, boundsRu),
  and: text('and something of', 'и что-то из'),
  first: counted('in the first {} {second|seconds}', 'в первые {} {секунду|секунды|секунд}'),
  last: counted('in the last {} {second|seconds}', 'в последние {} {секунду|секунды|секунд}'),
  after: template('after {} has said one of', 'после того как {} сказал одно из:'),
  afterRule: template('after “{}”', 'после «{}»'),
  within: counted('at most {} {second|seconds} later', 'не позже чем через {} {секунду|секунды|секунд}'),
  except: text('not counting', 'не считая'),
  onlyThen: text('Counts only in calls in which there was an occasion.', 'Учитывается, только если был повод.'),
  critical: text('Critical: without it the score of the call is 0.', 'Критично: без этого оценка звонка — 0.'),
  more: template('and {} more', 'и ещё {}'),
  noPhrases: text('(no phrases yet)', '(фраз пока нет)'),
  points: counted('{} {point|points}', '{} {балл|балла|баллов}'),
}
