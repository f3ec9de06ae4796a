import type { Segment } from '../../calls/transcripts/entity.ts'
import { ENGLISH, RUSSIAN, type Phrases } from './phrases.ts'

/** What shall happen in a talk; whether a rule finds it is for the rules to say. */
export interface Course {
  language: 'en' | 'ru'
  direction: 'INBOUND' | 'OUTBOUND'
  manager: string
  /** How well this manager works, 0 to 1. */
  skill: number
  agreesNextStep: boolean
  /** Whether the manager has an answer where the client objects. */
  answersObjections: boolean
  /** Whether the client hesitates, which has nothing to do with how a deal ends. */
  hesitates: boolean
  refuses: boolean
  /** Calls among which everything else happens as evenly as its chance allows: so nothing of it goes with their outcome. */
  among: string
}

export type Random = () => number
export const pick = <T>(list: readonly T[], random: Random): T => list[Math.floor(random() * list.length)]!

/** Makes things happen as often as their chance says, without the runs and gaps of a die. */
export class Evenly {
  private readonly owed = new Map<string, number>()

  happens(what: string, chance: number, random: Random): boolean {
    const owed = (this.owed.get(what) ?? random()) + chance
    this.owed.set(what, owed % 1)
    return owed >= 1
  }
}

/** The lines of a talk, those of the agent and the client in turn, with times as a recognizer would give them. */
export function talkOf(course: Course, evenly: Evenly, random: Random): Segment[] {
  const talk = new Talk(course, evenly, random)
  open(talk)
  askNeeds(talk)
  offer(talk)
  object(talk)
  end(talk)
  return timed(talk.lines, random)
}

interface Line {
  channel: 0 | 1
  text: string
}

/** A talk while it is made up. */
class Talk {
  readonly lines: Line[] = []
  readonly course: Course
  readonly phrases: Phrases
  readonly random: Random
  private readonly evenly: Evenly
  private readonly words: Record<string, string>

  constructor(course: Course, evenly: Evenly, random: Random) {
    this.course = course
    this.evenly = evenly
    this.random = random
    this.phrases = course.language === 'ru' ? RUSSIAN : ENGLISH
    const { clients, prices, days } = this.phrases
    this.words = {
      manager: course.manager.split(' ')[0]!,
      client: pick(clients, random),
      price: pick(prices, random),
      day: pick(days, random),
    }
  }

  agent(phrases: readonly string[]): void {
    this.say(0, phrases)
  }

  client(phrases: readonly string[]): void {
    this.say(1, phrases)
  }

  /** Whether something happens that has nothing to do with how well the manager works. */
  happens(what: keyof Phrases, chance: number): boolean {
    const { among, direction } = this.course
    return this.evenly.happens(`${among} ${direction} ${what}`, chance, this.random)
  }

  /** Whether the manager does something, which good ones do more often. */
  does(what: keyof Phrases, ease: number): boolean {
    return this.happens(what, Math.min(1, ease * (0.45 + 0.55 * this.course.skill)))
  }

  private say(channel: 0 | 1, phrases: readonly string[]): void {
    const text = pick(phrases, this.random).replace(/\{(\w+)\}/g, (_, name: string) => this.words[name]!)
    this.lines.push({ channel, text })
  }
}

function open(talk: Talk): void {
  const { course, phrases: p, random } = talk
  const greeting = talk.happens('greeting', 0.96) ? pick(p.greeting, random) : ''
  const introduction = talk.does('introduction', 1) ? pick(p.introduction, random) : ''
  talk.agent([greeting + introduction || pick(p.end, random)])
  if (course.direction === 'OUTBOUND') {
    if (talk.does('timeCheck', 0.9)) talk.agent(p.timeCheck)
    if (talk.does('purpose', 1)) talk.agent(p.purpose)
    talk.client(p.moment)
  }
  talk.client([(course.language === 'ru' ? 'Мы хотели бы ' : 'Well, we need ') + pick(p.topics, random) + '.'])
}

function askNeeds(talk: Talk): void {
  const { course, phrases: p, random } = talk
  if (talk.happens('askName', 0.55)) {
    talk.agent(p.askName)
    talk.client(p.tellName)
  }
  const first = Math.floor(random() * p.needs.length)
  const questions = 1 + Number(talk.does('needs', 1)) + Number(random() < 0.4)
  for (let n = 0; n < questions; n++) {
    const [question, answers] = p.needs[(first + n) % p.needs.length]!
    talk.agent([question])
    talk.client(answers)
  }
  if (course.direction === 'OUTBOUND' && talk.does('whoDecides', 0.8)) {
    talk.agent(p.whoDecides)
    talk.client(p.decides)
  }
}

function offer(talk: Talk): void {
  const p = talk.phrases
  if (talk.happens('howMuch', 0.6)) {
    talk.client(p.howMuch)
    talk.agent(talk.does('price', 1.1) ? p.price : p.noPrice)
  }
  if (talk.does('value', 0.9)) talk.agent(p.value)
}

function object(talk: Talk): void {
  const { course, phrases: p } = talk
  const raise = (objections: readonly string[]) => {
    talk.client(objections)
    talk.agent(course.answersObjections ? p.objectionHandled : p.objectionLeft)
  }
  if (talk.happens('expensive', 0.3)) raise(p.expensive)
  if (course.hesitates) raise(p.hesitations)
  if (course.refuses) raise(p.refusals)
  else if (!course.hesitates) talk.client(p.interest)
}

function end(talk: Talk): void {
  const { course, phrases: p } = talk
  talk.agent(course.agreesNextStep ? p.nextStep : p.noStep)
  if (talk.happens('contact', 0.5)) {
    talk.agent(p.contact)
    talk.client(p.giveContact)
  }
  talk.client(p.thanks)
  talk.agent(talk.does('goodbye', 1.15) ? p.goodbye : p.end)
}

/** About 13 characters a second, and a breath between the lines. */
function timed(lines: Line[], random: Random): Segment[] {
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
