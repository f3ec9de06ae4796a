import type { Language } from './i18n.ts'

/** Everything that the API notes as the reason of a failure, and how it is said here. */
const KNOWN: [RegExp, (words: Language['words'], found: string) => string][] = [
  [/^The audio is not in the storage/, ({ reasons }) => reasons.noSound],
  [/^The recognizer answered|^The recognizer ended without/, ({ reasons }) => reasons.noRecognizer],
  [/^The recognizer (?:failed|lost this file)|^The decoder was stopped/, ({ reasons }) => reasons.noRecognizer],
  [/^The connection to the recognizer broke/, ({ reasons }) => reasons.recognizerLost],
  [/^The service could not process/, ({ reasons }) => reasons.ours],
  [/must be installed \(ffmpeg\)/, ({ reasons }) => reasons.ours],
  [/^The worker stopped/, ({ reasons }) => reasons.workerStopped],
  [/^The recording has moved on/, ({ reasons }) => reasons.movedOn],
  [/^answered (\d+)$/, ({ recording }, status) => recording.events.callbackRefused(Number(status))],
  [/^answers with status (\d+)/i, ({ reasons }, status) => reasons.status(status)],
  [/empty file/i, ({ upload }) => upload.faults.link.empty],
  [/no(?:t)? answer within (\d+) seconds/, ({ reasons }, seconds) => reasons.noAnswer(seconds)],
  [
    /^no answer \((.+)\)$|^cannot be reached or broke off \((.+)\)/i,
    ({ reasons }, code) => reasons.networkFailed(code),
  ],
  [/^sent nothing for (\d+) seconds/i, ({ reasons }, seconds) => reasons.silent(seconds)],
  [/^did not arrive whole within (\d+) minutes/i, ({ reasons }, minutes) => reasons.tooSlow(minutes)],
  [/leads? to (?:a private|a local)/, ({ reasons }) => reasons.inside],
  [/must not use port (\d+)$/, ({ rules }, port) => rules.link.port(port)],
  [/must not carry a user name or password$/, ({ rules }) => rules.link.password],
  [/^redirects more than/i, ({ reasons }) => reasons.redirects],
  [/^redirects without saying/i, ({ reasons }) => reasons.leadsNowhere],
  [/^redirects from https/i, ({ reasons }) => reasons.downgrade],
  [/^answers with a compressed/i, ({ reasons }) => reasons.compressed],
]

/** Why something failed, in the person's language; a reason that is not known here stays as the API says it. */
export function reasonInWords(reason: string, language: Language): string {
  for (const [pattern, say] of KNOWN) {
    const match = pattern.exec(reason)
    if (match) return say(language.words, match.slice(1).find((group) => group !== undefined) ?? '')
  }
  return reason
}
