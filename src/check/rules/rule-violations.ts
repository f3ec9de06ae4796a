import { checkCount, checkPhrases, type Count } from './phrase-violations.ts'
import { KINDS, type Kind } from './types.ts'
import { at, isRecord, type Violations } from './violation.ts'

const FIELDS = 'key name hint kind side window after any all except min max weight critical na mono'.split(' ')
/** What each kind must have, and what it may have beside key, name, hint, kind, weight, critical. */
const ASKS: Record<Kind, { needs: string[]; takes: string[] }> = {
  said: { needs: ['any|all'], takes: ['side', 'window', 'after', 'except', 'min', 'max', 'na', 'mono'] },
  notSaid: { needs: ['any'], takes: ['side', 'window', 'after', 'except', 'na', 'mono'] },
  asked: { needs: ['any'], takes: ['side', 'window', 'after', 'all', 'except', 'min', 'max', 'na', 'mono'] },
  reply: { needs: ['any', 'after'], takes: ['side', 'window', 'except', 'na', 'mono'] },
  order: { needs: ['all'], takes: ['side', 'window', 'except', 'after', 'mono'] },
  number: { needs: ['any'], takes: ['side', 'window', 'after', 'except', 'min', 'max', 'na', 'mono'] },
  talkShare: { needs: ['min|max'], takes: ['side', 'mono'] },
  longestSilence: { needs: ['min|max'], takes: ['side', 'mono'] },
  pace: { needs: ['min|max'], takes: ['side', 'mono'] },
  interruptions: { needs: ['min|max'], takes: ['side', 'mono'] },
  monologue: { needs: ['min|max'], takes: ['side', 'mono'] },
  model: { needs: [], takes: ['side', 'na', 'mono'] },
}
const ALWAYS = ['key', 'name', 'hint', 'kind', 'weight', 'critical']
const SIDES = ['agent', 'client', 'any']
const DAY = 86_400
export const MOST_GROUPS = 20
/** Nobody says anything more often in a call. */
const MOST_TIMES = 1000

const isKind = (kind: unknown): kind is Kind => KINDS.includes(kind as Kind)

/** What is wrong with one rule by itself. */
export async function checkRule(
  rule: Record<string, unknown>,
  path: string,
  scored: boolean,
  violations: Violations,
): Promise<void> {
  violations.unknownKeys(rule, path, FIELDS)
  checkName(rule.name, at(path, 'name'), violations)
  checkHint(rule.hint, at(path, 'hint'), violations)
  violations.oneOf(rule.side, at(path, 'side'), SIDES)
  violations.oneOf(rule.na, at(path, 'na'), ['anchor'])
  violations.oneOf(rule.mono, at(path, 'mono'), ['search', 'skip'])
  violations.oneOf(rule.critical, at(path, 'critical'), [true, false])
  violations.number(rule.weight, at(path, 'weight'), 0, 100)
  if (scored && rule.weight === undefined)
    violations.add(at(path, 'weight'), 'required', 'A rule that is scored needs a weight.', 'Правилу нужен вес.')
  const count: Count = {}
  await checkWords(rule, path, count, violations)
  checkWindow(rule.window, at(path, 'window'), violations)
  await checkAfter(rule.after, at(path, 'after'), violations)
  checkCount(count, path, violations)
  checkBounds(rule, path, violations)
  if (isKind(rule.kind)) checkKind(rule, rule.kind, path, violations)
  else {
    const kinds = KINDS.join(', ')
    violations.add(at(path, 'kind'), 'kind', `The kind must be one of: ${kinds}.`, `Вид правила — один из: ${kinds}.`)
  }
}

/** A name in both languages. */
export function checkName(name: unknown, path: string, violations: Violations): void {
  const named = isRecord(name)
  if (named) violations.unknownKeys(name, path, ['en', 'ru'])
  for (const language of ['en', 'ru']) {
    const text = named ? name[language] : undefined
    if (typeof text !== 'string' || text.trim() === '' || text.length > 200)
      violations.add(
        at(path, language),
        'name',
        'It needs a name of 1 to 200 letters.',
        'Нужно название, 1–200 знаков.',
      )
  }
}

function checkHint(hint: unknown, path: string, violations: Violations): void {
  if (hint === undefined) return
  if (!isRecord(hint)) {
    violations.add(path, 'hint', 'A hint is a text by language.', 'Подсказка — текст по языкам.')
    return
  }
  violations.unknownKeys(hint, path, ['en', 'ru'])
  for (const language of ['en', 'ru'])
    if (hint[language] !== undefined && (typeof hint[language] !== 'string' || hint[language].length > 1000))
      violations.add(
        at(path, language),
        'hint',
        'A hint has at most 1000 letters.',
        'Подсказка — не больше 1000 знаков.',
      )
}

async function checkWords(
  rule: Record<string, unknown>,
  path: string,
  count: Count,
  violations: Violations,
): Promise<void> {
  if (rule.any !== undefined) await checkPhrases(rule.any, at(path, 'any'), count, violations)
  // What takes away and what comes before are lists of their own, beside what the rule looks for.
  if (rule.except !== undefined) await checkList(rule.except, at(path, 'except'), violations)
  if (rule.all === undefined) return
  if (!Array.isArray(rule.all)) {
    violations.add(at(path, 'all'), 'list', 'It must be a list of groups of phrases.', 'Нужен список групп фраз.')
    return
  }
  if (rule.all.length === 0) {
    const message = 'Without a group there is nothing to find.'
    violations.add(at(path, 'all'), 'cannotMatch', message, 'Без групп искать нечего.')
  }
  for (const [index, group] of rule.all.slice(0, MOST_GROUPS).entries())
    await checkPhrases(group, at(at(path, 'all'), index), count, violations)
  if (rule.all.length > MOST_GROUPS)
    violations.add(
      at(path, 'all'),
      'maxGroups',
      `There are at most ${MOST_GROUPS} groups.`,
      `Групп не больше ${MOST_GROUPS}.`,
    )
}

async function checkList(phrases: unknown, path: string, violations: Violations): Promise<void> {
  const count: Count = {}
  await checkPhrases(phrases, path, count, violations)
  checkCount(count, path, violations)
}

function checkWindow(window: unknown, path: string, violations: Violations): void {
  if (window === undefined) return
  if (!isRecord(window) || (window.first === undefined) === (window.last === undefined)) {
    const message = 'It must be {"first": seconds} or {"last": seconds}.'
    violations.add(path, 'window', message, 'Нужно {"first": секунды} или {"last": секунды}.')
    return
  }
  violations.unknownKeys(window, path, ['first', 'last'])
  violations.number(window.first, at(path, 'first'), 1, DAY)
  violations.number(window.last, at(path, 'last'), 1, DAY)
}

async function checkAfter(after: unknown, path: string, violations: Violations): Promise<void> {
  if (after === undefined) return
  if (!isRecord(after)) {
    violations.add(path, 'after', 'It must be what comes before.', 'Нужно то, после чего ищут.')
    return
  }
  violations.unknownKeys(after, path, ['side', 'any', 'rule', 'within'])
  violations.oneOf(after.side, at(path, 'side'), SIDES)
  violations.number(after.within, at(path, 'within'), 1, DAY)
  if (after.any !== undefined) await checkList(after.any, at(path, 'any'), violations)
  if (after.any !== undefined && after.rule !== undefined)
    violations.add(path, 'after', 'It takes phrases or a rule, not both.', 'Здесь либо фразы, либо правило.')
}

function checkBounds(rule: Record<string, unknown>, path: string, violations: Violations): void {
  const counts = rule.kind === 'said' || rule.kind === 'asked'
  const most = rule.kind === 'talkShare' ? 100 : 1e12
  for (const bound of ['min', 'max'])
    violations.number(rule[bound], at(path, bound), counts ? 1 : 0, counts ? MOST_TIMES : most)
  if (typeof rule.min === 'number' && typeof rule.max === 'number' && rule.min > rule.max)
    violations.add(at(path, 'min'), 'bounds', 'The least is more than the most.', 'Наименьшее больше наибольшего.')
}

/** What a kind needs and what it has no use for. */
function checkKind(rule: Record<string, unknown>, kind: Kind, path: string, violations: Violations): void {
  const { needs, takes } = ASKS[kind]
  for (const need of needs) {
    const fields = need.split('|')
    if (fields.every((field) => rule[field] === undefined)) {
      const [en, ru] = [fields.join(' or '), fields.join(' или ')]
      violations.add(
        at(path, fields[0]!),
        'required',
        `A rule of the kind ${kind} needs ${en}.`,
        `Правилу ${kind} нужно ${ru}.`,
      )
    }
  }
  const known = [...ALWAYS, ...takes, ...needs.flatMap((need) => need.split('|'))]
  for (const field of FIELDS)
    if (rule[field] !== undefined && !known.includes(field)) {
      const message = `A rule of the kind ${kind} has no use for ${field}.`
      violations.add(at(path, field), 'unused', message, `Правилу ${kind} не нужно ${field}.`)
    }
  if (kind === 'order' && Array.isArray(rule.all) && rule.all.length < 2)
    violations.add(at(path, 'all'), 'order', 'An order has two steps or more.', 'Шагов должно быть не меньше двух.')
  if (kind === 'talkShare' && rule.side === 'any')
    violations.add(at(path, 'side'), 'side', 'It must be the agent or the client.', 'Нужен менеджер или клиент.')
  if (kind === 'order' && isRecord(rule.after) && (rule.after.any !== undefined || rule.after.rule !== undefined))
    violations.add(at(path, 'after'), 'order', 'Of an order it takes only within.', 'Здесь действует только within.')
}
