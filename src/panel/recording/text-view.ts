import type { AnalysisJson } from '../../check/checks/check-schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { Language } from '../frame/i18n.ts'
import { buildCallChapters, type CallChapter } from './chapters.ts'
import { collectLabelPositions } from './check.ts'
import { buildTranscriptTurns, type TranscriptSegment, type TranscriptMarks, type TranscriptSpeakers } from './lines.ts'
import { areSpeakersKnown } from './speakers.ts'
import { rangeContainsRow, groupRowsIntoTurns, splitIntoTranscriptParts, type TranscriptRowRange } from './turns.ts'

/** The divisions of a transcript as row ranges. */
export interface TranscriptLayout {
  turns: TranscriptRowRange[]
  parts: TranscriptRowRange[]
  /** Empty if the call is short or has nothing to divide it. */
  chapters: CallChapter[]
}

/** Divides a transcript into turns, chapters and the parts that are loaded separately. */
export function layOutTranscript(
  recording: Pick<RecordingJson, 'transcript' | 'durationSeconds' | 'audio'>,
  analysis: AnalysisJson | undefined,
  language: Language,
): TranscriptLayout {
  const segments = recording.transcript?.segments ?? []
  const turns = groupRowsIntoTurns(segments, areSpeakersKnown(recording))
  const chapters = buildCallChapters(
    segments,
    turns,
    collectLabelPositions(analysis, language),
    recording.durationSeconds,
  )
  return { turns, parts: splitIntoTranscriptParts(turns, chapters), chapters }
}

/** Builds the transcript with its chapters and parts. Only the shown part has turns; the browser loads the others later. */
export function buildTranscriptView(
  segments: TranscriptSegment[],
  { turns, parts, chapters }: TranscriptLayout,
  shown: TranscriptRowRange,
  marks: TranscriptMarks,
  speakers: TranscriptSpeakers | null,
  language: Language,
) {
  const { format, words } = language
  const listTurns = (rows: TranscriptRowRange) => turns.filter(({ from }) => rangeContainsRow(rows, from))
  const buildPart = (part: TranscriptRowRange) => {
    const end = segments[part.to]?.start ?? Number.MAX_SAFE_INTEGER
    const name = words.recording.part(
      format.length(segments[part.from]!.start),
      format.length(segments[part.to - 1]!.end),
    )
    const partTurns = listTurns(part)
    return {
      ...part,
      start: part.from === 0 ? 0 : segments[part.from]!.start,
      end,
      name,
      height: estimateHeight(segments, partTurns),
      turns: part.from === shown.from ? buildTranscriptTurns(segments, partTurns, marks, speakers, language) : null,
    }
  }
  const turnCount = ({ from, to }: TranscriptRowRange) => {
    const { length } = listTurns({ from, to })
    return words.recording.turns(length, format.number(length))
  }
  const whole: TranscriptRowRange = { from: 0, to: segments.length }
  return {
    isEmpty: segments.length === 0,
    turns: turnCount(whole),
    chapters:
      chapters.length === 0
        ? [{ heading: null, turns: turnCount(whole), parts: parts.map(buildPart) }]
        : chapters.map((chapter, index) => ({
            heading: buildChapterHeading(chapter, index, segments, language),
            turns: turnCount(chapter),
            parts: parts.filter(({ from }) => rangeContainsRow(chapter, from)).map(buildPart),
          })),
  }
}

/** Estimates the height in pixels of turns that are not loaded yet, so that the page hardly changes its length later. */
const estimateHeight = (segments: TranscriptSegment[], turns: TranscriptRowRange[]): number =>
  turns.reduce((height, { from, to }) => {
    const characters = segments.slice(from, to).reduce((sum, { text }) => sum + text.length + 1, 0)
    return height + TURN_PADDING + LINE_HEIGHT * Math.ceil(characters / LINE_CHARACTERS)
  }, 0)

const TURN_PADDING = 10
const LINE_HEIGHT = 20
const LINE_CHARACTERS = 85

function buildChapterHeading(
  chapter: CallChapter,
  index: number,
  segments: TranscriptSegment[],
  { words, format }: Language,
) {
  const others = chapter.labels.filter((label) => label !== chapter.label)
  return {
    id: `chapter-${index + 1}`,
    start: chapter.start,
    title: formatChapterTitle(chapter, { words, format }),
    time: `${format.length(chapter.start)}–${format.length(chapter.end)}`,
    gist: others.length > 0 ? others.join(', ') : words.recording.gist(shortenText(segments[chapter.from]!.text)),
  }
}

/** Returns the label that starts a chapter, otherwise a title that mentions the pause or the start of the call. */
export function formatChapterTitle(
  { label, pauseSeconds }: Pick<CallChapter, 'label' | 'pauseSeconds'>,
  { words, format }: Pick<Language, 'words' | 'format'>,
): string {
  const t = words.recording
  if (label !== null) return label
  return pauseSeconds === null ? t.chapterStart : t.chapterAfterPause(format.number(Math.round(pauseSeconds)))
}

const GIST_CHARACTERS = 60

/** Shortens a text to at most GIST_CHARACTERS and an ellipsis, after a whole word unless a word is very long. */
function shortenText(text: string): string {
  if (text.length <= GIST_CHARACTERS) return text
  const cut = text.slice(0, GIST_CHARACTERS)
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), 20))}…`
}
