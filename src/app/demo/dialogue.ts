import type { TranscriptSegment } from '../../calls/transcripts/entity.ts'
import phrasesByLanguage from './phrases.json' with { type: 'json' }

/** Describes the events of a demo call. The rules check the generated dialogue, so they can miss an event. */
export interface DemoCallScenario {
  language: 'en' | 'ru'
  direction: 'INBOUND' | 'OUTBOUND'
  manager: string
  /** The skill of the manager, from 0 to 1. */
  skill: number
  agreesNextStep: boolean
  answersObjections: boolean
  /** True if the client hesitates, which does not depend on the outcome of the deal. */
  hesitates: boolean
  refuses: boolean
  /**
   * ShuffleBag draws events with the same frequency in each group. With a group per manager and outcome, these events do not
   * correlate with the outcome.
   */
  group: string
}

/** The phrases of one language. {Words in braces} are placeholders. */
type Phrases = (typeof phrasesByLanguage)['en']

/** Returns random numbers from 0 (inclusive) to 1 (exclusive). */
export type RandomNumberGenerator = () => number
/** Picks a random element of a list that is not empty. */
export const pickRandomElement = <T>(list: readonly T[], random: RandomNumberGenerator): T =>
  list[Math.floor(random() * list.length)]!

/** Draws events with exactly their probability over time, without the streaks of independent draws. */
export class ShuffleBag {
  private readonly credits = new Map<string, number>()

  drawEvent(event: string, probability: number, random: RandomNumberGenerator): boolean {
    const credit = (this.credits.get(event) ?? random()) + probability
    this.credits.set(event, credit % 1)
    return credit >= 1
  }
}

/** Generates the segments of a call with the events of a scenario. */
export function generateDemoDialogue(
  scenario: DemoCallScenario,
  bag: ShuffleBag,
  random: RandomNumberGenerator,
): TranscriptSegment[] {
  const builder = new DialogueBuilder(scenario, bag, random)
  builder.addOpening()
  builder.addNeeds()
  builder.addOffer()
  builder.addObjections()
  builder.addClosing()
  return toSegments(builder.lines, random)
}

interface DialogueLine {
  channel: 0 | 1
  text: string
}

class DialogueBuilder {
  readonly lines: DialogueLine[] = []
  private readonly phrases: Phrases
  private readonly words: Record<string, string>

  constructor(
    private readonly scenario: DemoCallScenario,
    private readonly bag: ShuffleBag,
    private readonly random: RandomNumberGenerator,
  ) {
    this.phrases = phrasesByLanguage[scenario.language]
    const { clients, prices, days } = this.phrases
    this.words = {
      manager: scenario.manager.split(' ')[0]!,
      client: pickRandomElement(clients, random),
      price: pickRandomElement(prices, random),
      day: pickRandomElement(days, random),
    }
  }

  addOpening(): void {
    const { scenario, phrases: p, random } = this
    const greeting = this.drawEvent('greeting', 0.96) ? pickRandomElement(p.greeting, random) : ''
    const introduction = this.drawManagerEvent('introduction', 1) ? pickRandomElement(p.introduction, random) : ''
    this.addAgentLine([greeting + introduction || pickRandomElement(p.end, random)])
    if (scenario.direction === 'OUTBOUND') {
      if (this.drawManagerEvent('timeCheck', 0.9)) this.addAgentLine(p.timeCheck)
      if (this.drawManagerEvent('purpose', 1)) this.addAgentLine(p.purpose)
      this.addClientLine(p.moment)
    }
    this.addClientLine([
      (scenario.language === 'ru' ? 'Мы хотели бы ' : 'Well, we need ') + pickRandomElement(p.topics, random) + '.',
    ])
  }

  addNeeds(): void {
    const { scenario, phrases: p, random } = this
    if (this.drawEvent('askName', 0.55)) {
      this.addAgentLine(p.askName)
      this.addClientLine(p.tellName)
    }
    const first = Math.floor(random() * p.needs.length)
    const questions = 1 + Number(this.drawManagerEvent('needs', 1)) + Number(random() < 0.4)
    for (let n = 0; n < questions; n++) {
      const { question, answers } = p.needs[(first + n) % p.needs.length]!
      this.addAgentLine([question])
      this.addClientLine(answers)
    }
    if (scenario.direction === 'OUTBOUND' && this.drawManagerEvent('whoDecides', 0.8)) {
      this.addAgentLine(p.whoDecides)
      this.addClientLine(p.decides)
    }
  }

  addOffer(): void {
    const p = this.phrases
    if (this.drawEvent('howMuch', 0.6)) {
      this.addClientLine(p.howMuch)
      this.addAgentLine(this.drawManagerEvent('price', 1.1) ? p.price : p.noPrice)
    }
    if (this.drawManagerEvent('value', 0.9)) this.addAgentLine(p.value)
  }

  addObjections(): void {
    const { scenario, phrases: p } = this
    const addObjection = (objections: readonly string[]) => {
      this.addClientLine(objections)
      this.addAgentLine(scenario.answersObjections ? p.objectionHandled : p.objectionLeft)
    }
    if (this.drawEvent('expensive', 0.3)) addObjection(p.expensive)
    if (scenario.hesitates) addObjection(p.hesitations)
    if (scenario.refuses) addObjection(p.refusals)
    else if (!scenario.hesitates) this.addClientLine(p.interest)
  }

  addClosing(): void {
    const { scenario, phrases: p } = this
    this.addAgentLine(scenario.agreesNextStep ? p.nextStep : p.noStep)
    if (this.drawEvent('contact', 0.5)) {
      this.addAgentLine(p.contact)
      this.addClientLine(p.giveContact)
    }
    this.addClientLine(p.thanks)
    this.addAgentLine(this.drawManagerEvent('goodbye', 1.15) ? p.goodbye : p.end)
  }

  private drawEvent(event: keyof Phrases, probability: number): boolean {
    const { group, direction } = this.scenario
    return this.bag.drawEvent(`${group} ${direction} ${event}`, probability, this.random)
  }

  /** Draws an event that skilled managers cause more often. */
  private drawManagerEvent(event: keyof Phrases, ease: number): boolean {
    return this.drawEvent(event, Math.min(1, ease * (0.45 + 0.55 * this.scenario.skill)))
  }

  private addAgentLine(phrases: readonly string[]): void {
    this.addLine(0, phrases)
  }

  private addClientLine(phrases: readonly string[]): void {
    this.addLine(1, phrases)
  }

  private addLine(channel: 0 | 1, phrases: readonly string[]): void {
    const text = pickRandomElement(phrases, this.random).replace(/\{(\w+)\}/g, (_, name: string) => this.words[name]!)
    this.lines.push({ channel, text })
  }
}

/** Computes times from 13 characters per second and a pause between lines. */
function toSegments(lines: DialogueLine[], random: RandomNumberGenerator): TranscriptSegment[] {
  let at = 0.4
  return lines.map(({ channel, text }) => {
    const [start, end] = [at, at + text.length / 13]
    at = end + 0.3 + random()
    const confidence = Math.round((0.86 + 0.13 * random()) * 1000) / 1000
    const capitalised = text.charAt(0).toUpperCase() + text.slice(1)
    return { start: roundToHundredths(start), end: roundToHundredths(end), channel, text: capitalised, confidence }
  })
}

const roundToHundredths = (seconds: number) => Math.round(seconds * 100) / 100
