import type { VerdictReason } from './types.ts'

const formatClock = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`

const formatWithin = ({ from, to }: { from: number; to: number }): string =>
  `in ${formatClock(from)}–${formatClock(to)}`

const formatRange = (min: number | null, max: number | null): string =>
  [min === null ? '' : `from ${min}`, max === null ? '' : `to ${max}`].filter(Boolean).join(' ')

/** Formats the reason of a verdict as an English sentence. A model's reason is returned as the model wrote it. */
export function formatVerdictReason(why: VerdictReason): string {
  switch (why.code) {
    case 'found':
      return `Found: ${why.count}.`
    case 'notFound':
      return why.needed === undefined
        ? `Not found ${formatWithin(why)}.`
        : `Found ${why.found ?? 0} of ${why.needed} ${formatWithin(why)}.`
    case 'forbidden':
      return `Said: ${why.count}.`
    case 'noAnchor':
      return 'The situation did not arise in this call.'
    case 'noReply':
      return `${why.within === null ? 'No answer followed' : `No answer within ${why.within} seconds`} ${formatWithin(why)}.`
    case 'notInOrder':
      return `Step ${why.step} is missing or out of order ${formatWithin(why)}.`
    case 'measured':
      return `${why.value}, expected ${formatRange(why.min, why.max)}.`
    case 'speakersUnknown':
      return 'The speakers are unknown.'
    case 'nothingSaid':
      return 'There is nothing to measure.'
    case 'noAnswer':
      return 'The model did not answer.'
    default:
      return why.text
  }
}
