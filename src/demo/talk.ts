import type { Segment } from '../transcripts/entity.ts'
import { ENGLISH, RUSSIAN } from './phrases.ts'

/** What shall happen in a talk; whether a rule finds it is for the rules to say. */
export interface Course {
  language: 'en' | 'ru'
  direction: 'INBOUND' | 'OUTBOUND'
  manager: string
  /** How well this manager works, 0 to 1. */
  skill: number
  /** Whether the manager agrees on what happens next. */
  agreesNextStep: boolean
  /** Whether the manager has an answer where the client objects. */
  answersObjections: boolean
  /** Whether the client hesitates, which has nothing to do with how a deal ends. */
  hesitates: boolean
  /** Whether the client says why not. */
  refuses: boolean
}

export type Random = () => number
export const pick = <T>(list: readonly T[], random: Random): T => list[Math.floor(random() * list.length)]!

/** The lines of a talk, those of the agent and the client in turn, with times as a recognizer would give them. */
export function talkOf(course: Course, random: Random): Segment[] {
  const p = course.language === 'ru' ? RUSSIAN : ENGLISH
  const words: Record<string, string> = {
    manager: course.manager.split(' ')[0]!,
    client: pick(p.clients, random),
    price: pick(p.prices, random),
    day: pick(p.days, random),
  }
  const lines: { channel: 0 | 1; text: string }[] = []
  const say = (channel: 0 | 1, phrases: readonly string[]) =>
    lines.push({ channel, text: pick(phrases, random).replace(/\{(\w+)\}/g, (_, name: string) => words[name]!) })
  const agent = (phrases: readonly string[]) => say(0, phrases)
  const client = (phrases: readonly string[]) => say(1, phrases)
  const happens = (chance: number) => random() < chance
  const does = (ease: number) => happens(ease * (0.45 + 0.55 * course.skill))

  const opening = (happens(0.96) ? pick(p.greeting, random) : '') + (does(1) ? pick(p.introduction, random) : '')
  agent([opening || pick(p.end, random)])
  if (course.direction === 'OUTBOUND') {
    if (does(0.9)) agent(p.timeCheck)
    if (does(1)) agent(p.purpose)
    client(p.moment)
  }
  client([(course.language === 'ru' ? 'Мы хотели бы ' : 'Well, we need ') + pick(p.topics, random) + '.'])
  // Which of these are done has nothing to do with how a deal ends.
  if (happens(0.55)) {
    agent(p.askName)
    client(p.tellName)
  }
  const first = Math.floor(random() * p.needs.length)
  for (let n = 0; n < 1 + Number(does(1)) + Number(does(0.5)); n++) {
    const [question, answers] = p.needs[(first + n) % p.needs.length]!
    agent([question])
    client(answers)
  }
  if (happens(0.6)) {
    client(p.howMuch)
    agent(does(1.1) ? p.price : p.noPrice)
  }
  if (does(0.9)) agent(p.value)
  const answer = () => agent(course.answersObjections ? p.objectionHandled : p.objectionLeft)
  if (happens(0.3)) {
    client(p.expensive)
    answer()
  }
  if (course.hesitates) {
    client(p.hesitations)
    answer()
  }
  if (course.refuses) {
    client(p.refusals)
    answer()
  } else if (!course.hesitates) client(p.interest)
  agent(course.agreesNextStep ? p.nextStep : p.noStep)
  if (happens(0.5)) {
    agent(p.contact)
    client(p.giveContact)
  }
  client(p.thanks)
  agent(does(1.15) ? p.goodbye : p.end)
  return timed(lines, random)
}

/** About 13 characters a second, and a breath between the lines. */
function timed(lines: { channel: 0 | 1; text: string }[], random: Random): Segment[] {
  let at = 0.4
  return lines.map(({ channel, text }) => {
    const [start, end] = [at, at + text.length / 13]
    at = end + 0.3 + random()
    const confidence = Math.round((0.86 + 0.13 * random()) * 1000) / 1000
    return { start: inHundredths(start), end: inHundredths(end), channel, text: capital(text), confidence }
  })
}

const inHundredths = (seconds: number) => Math.round(seconds * 100) / 100
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
