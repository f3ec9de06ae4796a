import { createRandomGenerator } from '../../reports/correlation/bootstrap.ts'
import type { TranscriptSegment } from '../../calls/transcripts/entity.ts'
import company from './company.json' with { type: 'json' }
import phrases from './phrases.json' with { type: 'json' }
import {
  generateDemoDialogue,
  pickRandomElement,
  ShuffleBag,
  type RandomNumberGenerator,
  type DemoCallScenario,
} from './dialogue.ts'

/** Demo objects of the CRM have ids from here, far above the ids of usual portals. */
export const FIRST_DEMO_CRM_ID = 900_000_000
export const DEMO_ID_PREFIX = 'demo-'

const HISTORY_DAYS = 182
/** In some of the latest calls, the manager is rude, which misses a critical rule. */
const RUDE_CALLS = 3
const RUDE_CALL_INTERVAL = 17
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

type Department = Omit<(typeof company.departments)[number], 'language'> & { language: 'en' | 'ru' }

/** The ids of the demo departments are constants, so that `demo remove` finds them. */
export const DEMO_DEPARTMENTS = company.departments as Department[]
export const DEMO_STAGES = company.stages

interface Manager {
  userId: string
  name: string
  department: Department
  funnelId: number
  skill: number
}

/** An invented call, which generateDemoCompany() returns and insertDemoData() inserts. */
export interface DemoCall {
  externalCallId: string
  at: Date
  manager: string
  phone: string
  direction: 'INBOUND' | 'OUTBOUND'
  language: 'en' | 'ru'
  dealId: number | null
  /** Empty for a call whose transcription failed. */
  segments: TranscriptSegment[]
  durationSeconds: number
}

/** An invented deal, which generateDemoCompany() returns and insertDemoData() inserts. */
export interface DemoDeal {
  id: number
  title: string
  funnelId: number
  stage: string
  previousStage: string
  outcome: 'open' | 'won' | 'lost'
  amount: number
  currency: string
  responsible: string
  createdAt: Date
  closedAt: Date | null
}

export const DEMO_MANAGERS: Manager[] = DEMO_DEPARTMENTS.flatMap((department, n) =>
  department.managers.map((name, m) => ({
    userId: `${DEMO_ID_PREFIX}${n * 4 + m + 1}`,
    name,
    department,
    funnelId: FIRST_DEMO_CRM_ID + n,
    skill: (((n * 4 + m) * 5) % 12) / 11,
  })),
)

/**
 * Generates calls of half a year in chronological order, and their deals. The random numbers have a fixed seed.
 * @param count number of calls
 */
export function generateDemoCompany(count: number, now = new Date()): { calls: DemoCall[]; deals: DemoDeal[] } {
  const random = createRandomGenerator(Uint32Array.of(20, 26, 11, 22))
  const bag = new ShuffleBag()
  const deals: DemoDeal[] = []
  const calls: Omit<DemoCall, 'externalCallId'>[] = []
  while (calls.length < count * 0.7) {
    const generated = generateDeal(FIRST_DEMO_CRM_ID + deals.length, now, bag, random)
    deals.push(generated.deal)
    calls.push(...generated.calls.slice(0, count - calls.length))
  }
  while (calls.length < count) {
    const manager = pickRandomElement(DEMO_MANAGERS, random)
    const plan = {
      agreesNextStep: random() < 0.45,
      answersObjections: drawAnswersObjections(manager, random),
      hesitates: random() < 0.3,
      refuses: random() < 0.2,
      group: manager.name,
    }
    calls.push(
      generateCall(manager, { ...plan, at: pickWorkingTime(now, random() * HISTORY_DAYS, random) }, bag, random),
    )
  }
  const sortedCalls = calls.toSorted((a, b) => a.at.getTime() - b.at.getTime())
  for (let n = 1; n <= RUDE_CALLS; n++) {
    const call = sortedCalls.at(-n * RUDE_CALL_INTERVAL)
    if (call) addRudeness(call)
  }
  const numberedCalls = sortedCalls.map((call, n) => ({
    ...call,
    externalCallId: `${DEMO_ID_PREFIX}${String(n + 1).padStart(5, '0')}`,
  }))
  return { calls: numberedCalls, deals }
}

/**
 * Generates a deal with its calls. In won deals, next steps are agreed more often; refusals occur only in lost deals. Other
 * events do not depend on the outcome.
 */
function generateDeal(id: number, now: Date, bag: ShuffleBag, random: RandomNumberGenerator) {
  const manager = pickRandomElement(DEMO_MANAGERS, random)
  const daysAgo = random() * (HISTORY_DAYS - 1)
  const createdAt = pickWorkingTime(now, daysAgo + 0.5, random)
  const isOrderly = random() < 0.5
  // All calls of a deal share one value. Clients object more often in lost deals, which would otherwise correlate with this rule.
  const answers = drawAnswersObjections(manager, random)
  const durationDays = 3 + random() * 25
  const isOpen = durationDays + 1 > daysAgo || random() < 0.04
  const isWon = random() < (isOrderly ? 0.7 : 0.16)
  const outcome = isOpen ? 'open' : isWon ? 'won' : 'lost'
  const direction = random() < 0.75 ? 'INBOUND' : 'OUTBOUND'
  const phone = generatePhoneNumber(random)
  const count = 1 + Math.floor(random() * 4)
  const lastDay = Math.min(durationDays, daysAgo)
  const calls = Array.from({ length: count }, (_, n) => {
    const at = n === 0 ? createdAt : pickWorkingTime(now, Math.max(0, daysAgo - (lastDay * n) / count), random)
    const refuses = outcome === 'lost' && n === count - 1 && random() < 0.7
    const hesitates = random() < 0.3
    const agreesNextStep = random() < (isOrderly ? 0.85 : 0.2)
    const group = `${manager.name} ${outcome}`
    const plan = {
      agreesNextStep,
      answersObjections: answers,
      hesitates,
      refuses,
      group,
      at,
      direction,
      phone,
    } as const
    return { ...generateCall(manager, plan, bag, random), dealId: id }
  })
  const times = calls.map(({ at }) => at.getTime())
  const deal: DemoDeal = {
    id,
    title: `${manager.department.language === 'ru' ? 'Демо' : 'Demo'} ${id - FIRST_DEMO_CRM_ID + 1}`,
    funnelId: manager.funnelId,
    stage: outcome === 'won' ? 'WON' : pickRandomElement(isOpen ? OPEN_STAGES : LOST_STAGES, random),
    previousStage: pickRandomElement(['NEW', 'OFFER', 'OFFER', 'CONTRACT'], random),
    outcome,
    amount: Math.round(Math.exp(5.5 + random() * 3) / 10) * 10,
    currency: manager.department.currency,
    responsible: manager.userId,
    createdAt: new Date(Math.min(createdAt.getTime(), ...times) - HOUR_MS),
    closedAt: isOpen ? null : new Date(Math.min(Math.max(...times) + (1 + random() * 20) * HOUR_MS, now.getTime())),
  }
  return { deal, calls }
}

const OPEN_STAGES = ['NEW', 'OFFER', 'CONTRACT']
const LOST_STAGES = ['LOSE', 'PRICE', 'PRICE', 'OTHER']

const drawAnswersObjections = ({ skill }: Manager, random: RandomNumberGenerator) => random() < 0.35 + 0.5 * skill

type CallPlan = Omit<DemoCallScenario, 'language' | 'direction' | 'manager' | 'skill'> &
  Pick<DemoCall, 'at'> &
  Partial<Pick<DemoCall, 'direction' | 'phone'>>

function generateCall(
  manager: Manager,
  plan: CallPlan,
  bag: ShuffleBag,
  random: RandomNumberGenerator,
): Omit<DemoCall, 'externalCallId'> {
  const {
    at,
    direction = random() < 0.75 ? 'INBOUND' : 'OUTBOUND',
    phone = generatePhoneNumber(random),
    ...behaviour
  } = plan
  const { name, skill } = manager
  const { language } = manager.department
  const scenario = { ...behaviour, language, direction, manager: name, skill }
  const segments = random() < 0.02 ? [] : generateDemoDialogue(scenario, bag, random)
  const durationSeconds = Math.round(((segments.at(-1)?.end ?? 20) + 1.2) * 100) / 100
  return { at, manager: name, phone, direction, language, dealId: null, segments, durationSeconds }
}

/** Replaces the last words of the manager by an insult. */
function addRudeness({ language, segments }: Pick<DemoCall, 'language' | 'segments'>): void {
  const last = segments.findLast(({ channel }) => channel === 0)
  if (last) last.text = phrases[language].rudeness[0]!
}

/** Picks a time within working hours, never in the future and rarely on a weekend. */
function pickWorkingTime(now: Date, daysAgo: number, random: RandomNumberGenerator): Date {
  const day = new Date(now.getTime() - daysAgo * DAY_MS)
  const isWeekend = random() < 0.9 && [0, 6].includes(day.getUTCDay())
  const midnight = Math.floor(day.getTime() / DAY_MS) * DAY_MS - (isWeekend ? 2 * DAY_MS : 0)
  const at = midnight + (6 + random() * 9) * HOUR_MS
  return new Date(at < now.getTime() - 600_000 ? at : at - DAY_MS)
}

const generatePhoneNumber = (random: RandomNumberGenerator) =>
  `+375${pickRandomElement(['29', '33', '44', '25'], random)}${String(Math.floor(random() * 1e7)).padStart(7, '0')}`
