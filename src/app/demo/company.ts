import { randomNumbers } from '../../reports/correlation/bootstrap.ts'
import type { Segment } from '../../calls/transcripts/entity.ts'
import { Evenly, pick, talkOf, type Random } from './talk.ts'

/** Numbers of the demo in the tables of the CRM begin here: no portal has come so far. */
export const FIRST_ID = 900_000_000
/** What every external call id and every user id of the demo begins with. */
export const PREFIX = 'demo-'

const DAYS = 182
const DAY = 86_400_000

/** The departments; their ids are fixed, so that they can be known again. */
export const DEPARTMENTS = [
  {
    id: 'de000000-0000-7000-8000-000000000001',
    name: 'Продажи (демо)',
    language: 'ru',
    currency: 'BYN',
    managers: ['Анна Ковалёва', 'Дмитрий Орлов', 'Елена Белая', 'Игорь Седов'],
  },
  {
    id: 'de000000-0000-7000-8000-000000000002',
    name: 'Ремонт и сервис (демо)',
    language: 'ru',
    currency: 'BYN',
    managers: ['Марина Лис', 'Олег Дубов', 'Полина Зимина', 'Роман Крук'],
  },
  {
    id: 'de000000-0000-7000-8000-000000000003',
    name: 'Export (demo)',
    language: 'en',
    currency: 'EUR',
    managers: ['Adam Reed', 'Clara Stone', 'Daniel Moss', 'Nora Field'],
  },
] as const

/** Stages of each funnel, called as its department speaks. */
export const STAGES = [
  { id: 'NEW', name: { en: 'New', ru: 'Новая' }, outcome: 'open' },
  { id: 'OFFER', name: { en: 'Offer', ru: 'Предложение' }, outcome: 'open' },
  { id: 'CONTRACT', name: { en: 'Contract', ru: 'Договор' }, outcome: 'open' },
  { id: 'WON', name: { en: 'Won', ru: 'Успешно' }, outcome: 'won' },
  { id: 'LOSE', name: { en: 'Lost', ru: 'Проиграна' }, outcome: 'lost' },
  { id: 'PRICE', name: { en: 'Too expensive', ru: 'Дорого' }, outcome: 'lost' },
  { id: 'OTHER', name: { en: 'Bought elsewhere', ru: 'Купили у других' }, outcome: 'lost' },
] as const

export interface Manager {
  userId: string
  name: string
  department: (typeof DEPARTMENTS)[number]
  funnelId: number
  skill: number
}

export interface DemoCall {
  externalCallId: string
  at: Date
  manager: string
  phone: string
  direction: 'INBOUND' | 'OUTBOUND'
  language: 'en' | 'ru'
  dealId: number | null
  /** Nothing where the call has failed. */
  segments: Segment[]
  durationSeconds: number
}

export interface DemoDeal {
  id: number
  title: string
  funnelId: number
  stage: string
  /** The stage before the last. */
  before: string
  outcome: 'open' | 'won' | 'lost'
  amount: number
  currency: string
  responsible: string
  createdAt: Date
  closedAt: Date | null
}

/** The managers, from the one who needs help to the one who could give it. */
export const MANAGERS: Manager[] = DEPARTMENTS.flatMap((department, n) =>
  department.managers.map((name, m) => ({
    userId: `${PREFIX}${n * 4 + m + 1}`,
    name,
    department,
    funnelId: FIRST_ID + n,
    skill: (((n * 4 + m) * 5) % 12) / 11,
  })),
)

/**
 * Half a year of the company until now, the oldest call first; the same one at every run.
 * @param count how many calls
 */
export function makeCompany(count: number, now = new Date()): { calls: DemoCall[]; deals: DemoDeal[] } {
  const random = randomNumbers(Uint32Array.of(20, 26, 11, 22))
  const evenly = new Evenly()
  const deals: DemoDeal[] = []
  const calls: Omit<DemoCall, 'externalCallId'>[] = []
  while (calls.length < count * 0.7) {
    const { deal, calls: ofDeal } = makeDeal(FIRST_ID + deals.length, now, evenly, random)
    deals.push(deal)
    calls.push(...ofDeal.slice(0, count - calls.length))
  }
  while (calls.length < count) {
    const manager = pick(MANAGERS, random)
    const course = {
      agreesNextStep: random() < 0.45,
      answersObjections: answers(manager, random),
      hesitates: random() < 0.3,
      refuses: random() < 0.2,
      among: manager.name,
    }
    calls.push(makeCall(manager, { ...course, at: workingTime(now, random() * DAYS, random) }, evenly, random))
  }
  const inOrder = calls.toSorted((a, b) => a.at.getTime() - b.at.getTime())
  const numbered = inOrder.map((call, n) => ({ ...call, externalCallId: `${PREFIX}${String(n + 1).padStart(5, '0')}` }))
  return { calls: numbered, deals }
}

/** A deal with its calls. Whether it is won goes with an agreed next step, and with nothing else that is said. */
function makeDeal(id: number, now: Date, evenly: Evenly, random: Random) {
  const manager = pick(MANAGERS, random)
  const daysAgo = random() * (DAYS - 1)
  const createdAt = workingTime(now, daysAgo + 0.5, random)
  const isOrderly = random() < 0.5
  // One answer for all calls of a deal: so how often clients object, which goes with losing, tells nothing of it.
  const answersObjections = answers(manager, random)
  const lasts = 3 + random() * 25
  const isOpen = lasts + 1 > daysAgo || random() < 0.04
  const isWon = random() < (isOrderly ? 0.7 : 0.16)
  const outcome = isOpen ? 'open' : isWon ? 'won' : 'lost'
  const direction = random() < 0.75 ? 'INBOUND' : 'OUTBOUND'
  const phone = phoneNumber(random)
  const count = 1 + Math.floor(random() * 4)
  const until = Math.min(lasts, daysAgo)
  const calls = Array.from({ length: count }, (_, n) => {
    const at = n === 0 ? createdAt : workingTime(now, Math.max(0, daysAgo - (until * n) / count), random)
    const refuses = outcome === 'lost' && n === count - 1 && random() < 0.7
    const hesitates = random() < 0.3
    const agreesNextStep = random() < (isOrderly ? 0.85 : 0.2)
    const among = `${manager.name} ${outcome}`
    const course = { agreesNextStep, answersObjections, hesitates, refuses, among }
    return { ...makeCall(manager, { ...course, at, direction, phone }, evenly, random), dealId: id }
  })
  const last = Math.max(...calls.map(({ at }) => at.getTime()))
  const deal: DemoDeal = {
    id,
    title: `${manager.department.language === 'ru' ? 'Демо' : 'Demo'} ${id - FIRST_ID + 1}`,
    funnelId: manager.funnelId,
    stage: isOpen
      ? pick(['NEW', 'OFFER', 'CONTRACT'], random)
      : isWon
        ? 'WON'
        : pick(['LOSE', 'PRICE', 'PRICE', 'OTHER'], random),
    before: pick(['NEW', 'OFFER', 'OFFER', 'CONTRACT'], random),
    outcome,
    amount: Math.round(Math.exp(5.5 + random() * 3) / 10) * 10,
    currency: manager.department.currency,
    responsible: manager.userId,
    createdAt: new Date(Math.min(createdAt.getTime(), ...calls.map(({ at }) => at.getTime())) - 3_600_000),
    closedAt: isOpen ? null : new Date(Math.min(last + (1 + random() * 20) * 3_600_000, now.getTime())),
  }
  return { deal, calls }
}

const answers = ({ skill }: Manager, random: Random) => random() < 0.35 + 0.5 * skill

interface Given {
  at: Date
  agreesNextStep: boolean
  answersObjections: boolean
  hesitates: boolean
  refuses: boolean
  among: string
  direction?: 'INBOUND' | 'OUTBOUND'
  phone?: string
}

function makeCall(manager: Manager, given: Given, evenly: Evenly, random: Random): Omit<DemoCall, 'externalCallId'> {
  const { at, direction = random() < 0.75 ? 'INBOUND' : 'OUTBOUND', phone = phoneNumber(random), ...behaviour } = given
  const { language } = manager.department
  const { name, skill } = manager
  const course = { ...behaviour, language, direction, manager: name, skill }
  const segments = random() < 0.02 ? [] : talkOf(course, evenly, random)
  const durationSeconds = Math.round(((segments.at(-1)?.end ?? 20) + 1.2) * 100) / 100
  return { at, manager: manager.name, phone, direction, language, dealId: null, segments, durationSeconds }
}

/** A time of work so many days ago, never in the future; hardly ever on a weekend. */
function workingTime(now: Date, daysAgo: number, random: Random): Date {
  const day = new Date(now.getTime() - daysAgo * DAY)
  const isFree = random() < 0.9 && [0, 6].includes(day.getUTCDay())
  const midnight = Math.floor(day.getTime() / DAY) * DAY - (isFree ? 2 * DAY : 0)
  const at = midnight + (6 + random() * 9) * 3_600_000
  return new Date(at < now.getTime() - 600_000 ? at : at - DAY)
}

const phoneNumber = (random: Random) =>
  `+375${pick(['29', '33', '44', '25'], random)}${String(Math.floor(random() * 1e7)).padStart(7, '0')}`
