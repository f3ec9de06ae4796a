import type { Segment } from '../../calls/transcripts/entity.ts'
import phrasesByLanguage from './phrases.json' with { type: 'json' }

/** The course of a call. The rules decide whether they find it. */
export interface Scenario {
  language: 'en' | 'ru'
  direction: 'INBOUND' | 'OUTBOUND'
  manager: string
  /** How well this manager works, 0 to 1. */
  skill: number
  agreesNextStep: boolean
  answersObjections: boolean
  /** Whether the client hesitates, which is independent of the outcome of the deal. */
  hesitates: boolean
  refuses: boolean
  /** Calls of one group have the same share of everything else, so that nothing else correlates with their outcome. */
  group: string
}

/** The phrases of a language; {words in braces} are placeholders. */
type Phrases = (typeof phrasesByLanguage)['en']

export type Random = () => number
export const pick = <T>(list: readonly T[], random: Random): T => list[Math.floor(random() * list.length)]!

/** Lets events occur exactly as often as their probability says, without the streaks of independent draws. */
export class ShuffleBag {
  private readonly owed = new Map<string, number>()

  happens(event: string, probability: number, random: Random): boolean {
    const owed = (this.owed.get(event) ?? random()) + probability
    this.owed.set(event, owed % 1)
    return owed >= 1
  }
}

export function inventTalk(scenario: Scenario, bag: ShuffleBag, random: Random): Segment[] {
  const talk = new Talk(scenario, bag, random)
  talk.open()
  talk.askNeeds()
  talk.offer()
  talk.object()
  talk.end()
  return withTimes(talk.lines, random)
}

interface Line {
  channel: 0 | 1
  text: string
}

class Talk {
  readonly lines: Line[] = []
  private readonly phrases: Phrases
  private readonly words: Record<string, string>

  constructor(
    private readonly scenario: Scenario,
    private readonly bag: ShuffleBag,
    private readonly random: Random,
  ) {
    this.phrases = phrasesByLanguage[scenario.language]
    const { clients, prices, days } = this.phrases
    this.words = {
      manager: scenario.manager.split(' ')[0]!,
      client: pick(clients, random),
      price: pick(prices, random),
      day: pick(days, random),
    }
  }

  open(): void {
    const { scenario, phrases: p, random } = this
    const greeting = this.happens('greeting', 0.96) ? pick(p.greeting, random) : ''
    const introduction = this.does('introduction', 1) ? pick(p.introduction, random) : ''
    this.agent([greeting + introduction || pick(p.end, random)])
    if (scenario.direction === 'OUTBOUND') {
      if (this.does('timeCheck', 0.9)) this.agent(p.timeCheck)
      if (this.does('purpose', 1)) this.agent(p.purpose)
      this.client(p.moment)
    }
    this.client([(scenario.language === 'ru' ? 'Мы хотели бы ' : 'Well, we need ') + pick(p.topics, random) + '.'])
  }

  askNeeds(): void {
    const { scenario, phrases: p, random } = this
    if (this.happens('askName', 0.55)) {
      this.agent(p.askName)
      this.client(p.tellName)
    }
    const first = Math.floor(random() * p.needs.length)
    const questions = 1 + Number(this.does('needs', 1)) + Number(random() < 0.4)
    for (let n = 0; n < questions; n++) {
      const { question, answers } = p.needs[(first + n) % p.needs.length]!
      this.agent([question])
      this.client(answers)
    }
    if (scenario.direction === 'OUTBOUND' && this.does('whoDecides', 0.8)) {
      this.agent(p.whoDecides)
      this.client(p.decides)
    }
  }

  offer(): void {
    const p = this.phrases
    if (this.happens('howMuch', 0.6)) {
      this.client(p.howMuch)
      this.agent(this.does('price', 1.1) ? p.price : p.noPrice)
    }
    if (this.does('value', 0.9)) this.agent(p.value)
  }

  object(): void {
    const { scenario, phrases: p } = this
    const raise = (objections: readonly string[]) => {
      this.client(objections)
      this.agent(scenario.answersObjections ? p.objectionHandled : p.objectionLeft)
    }
    if (this.happens('expensive', 0.3)) raise(p.expensive)
    if (scenario.hesitates) raise(p.hesitations)
    if (scenario.refuses) raise(p.refusals)
    else if (!scenario.hesitates) this.client(p.interest)
  }

  end(): void {
    const { scenario, phrases: p } = this
    this.agent(scenario.agreesNextStep ? p.nextStep : p.noStep)
    if (this.happens('contact', 0.5)) {
      this.agent(p.contact)
      this.client(p.giveContact)
    }
    this.client(p.thanks)
    this.agent(this.does('goodbye', 1.15) ? p.goodbye : p.end)
  }

  private happens(event: keyof Phrases, probability: number): boolean {
    const { group, direction } = this.scenario
    return this.bag.happens(`${group} ${direction} ${event}`, probability, this.random)
  }

  /** Decides whether the manager does something that good ones do more often. */
  private does(event: keyof Phrases, ease: number): boolean {
    return this.happens(event, Math.min(1, ease * (0.45 + 0.55 * this.scenario.skill)))
  }

  private agent(phrases: readonly string[]): void {
    this.say(0, phrases)
  }

  private client(phrases: readonly string[]): void {
    this.say(1, phrases)
  }

  private say(channel: 0 | 1, phrases: readonly string[]): void {
    const text = pick(phrases, this.random).replace(/\{(\w+)\}/g, (_, name: string) => this.words[name]!)
    this.lines.push({ channel, text })
  }
}

/** About 13 characters a second, and a pause between lines. */
function withTimes(lines: Line[], random: Random): Segment[] {
  let at = 0.4
  return lines.map(({ channel, text }) => {
    const [start, end] = [at, at + text.length / 13]
    at = end + 0.3 + random()
    const confidence = Math.round((0.86 + 0.13 * random()) * 1000) / 1000
    const capitalised = text.charAt(0).toUpperCase() + text.slice(1)
    return { start: inHundredths(start), end: inHundredths(end), channel, text: capitalised, confidence }
  })
}

const inHundredths = (seconds: number) => Math.round(seconds * 100) / 100
