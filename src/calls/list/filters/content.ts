import Type from 'typebox'
import * as field from '../../../platform/http/field.ts'
import { defineRecordingFilter } from './filter.ts'

const SEARCH_DESCRIPTION =
  'Words to search for in the transcripts: "exact phrase", -excluded, or. A word matches all its forms, in ' +
  'Russian and English, and its synonyms. The last word also matches as a prefix. Words in quotation marks ' +
  'match as written. Numbers match in digits or words, however they are grouped. The results are the best 2000 ' +
  'of at least the newest 20,000 matches.'

/** The maximum length of a search query in lists and excerpts, and of a suggested query. */
export const MAX_SEARCH_QUERY_CHARS = 500

/** Creates the schema of a search query of 1 to MAX_SEARCH_QUERY_CHARS characters. */
export const createSearchQuerySchema = (description: string) =>
  Type.String({ minLength: 1, maxLength: MAX_SEARCH_QUERY_CHARS, description })

const createSearchFilter = (description: string) => defineRecordingFilter(createSearchQuerySchema(description), {})

/** A filter without conditions, because `createRecordingSelection()` runs the search itself. */
export const transcriptSearchFilter = createSearchFilter(SEARCH_DESCRIPTION)
export const recordingSearchFilter = createSearchFilter(
  `${SEARCH_DESCRIPTION} Also finds calls by words of the manager’s name, externalCallId and fileName, in any form or as a prefix. A query can combine words of a manager’s name with words of that manager’s calls. Four or more digits match anywhere in the phone number, however it is written. е and ё are equal.`,
)

/** The same condition as in the index transcripts_no_speech. */
const WITHOUT_SPEECH_SQL = "SELECT t.recording_id FROM transcripts t WHERE t.text = ''"

export const noSpeechFilter = defineRecordingFilter(
  field.boolean('true: only calls without recognized speech; false: only transcribed calls with speech.'),
  {
    where(value) {
      const withSpeech = `r.status = 'DONE' AND NOT (r.id IN (${WITHOUT_SPEECH_SQL}))`
      return [{ sql: value ? `r.id = ANY(ARRAY(${WITHOUT_SPEECH_SQL}))` : withSpeech, values: [] }]
    },
  },
)

/** Matches calls whose current check has a verdict of the given rule. Mock checks do not count. */
const HAS_VERDICT_SQL = `
  EXISTS (SELECT FROM analyses a JOIN findings f ON f.analysis_id = a.id
           WHERE a.recording_id = r.id AND a.is_current AND a.provider IS DISTINCT FROM 'mock'
             AND f.version_id = ANY(ARRAY(SELECT v.id FROM rule_set_versions v JOIN rule_sets s ON s.id = v.rule_set_id
                                           WHERE s.key = ?))
             AND f.rule_key = ? AND f.verdict = ANY(?))`

export const ruleVerdictFilter = defineRecordingFilter(
  Type.String({
    maxLength: 200,
    pattern: '^[^/:]{1,80}/[^/:]{1,80}(:(met|missed|judged|not_applicable|unknown))?$',
    description:
      'Only calls whose current check has this verdict on a rule, by the keys of rule set and rule: ' +
      'incoming-sales/next-step:met. judged means met or missed. Without a verdict, the filter selects calls that ' +
      'missed the rule.',
  }),
  {
    where(value) {
      const [name = '', verdict = 'missed'] = value.split(':')
      const [set, key] = name.split('/')
      return [{ sql: HAS_VERDICT_SQL, values: [set, key, verdict === 'judged' ? ['met', 'missed'] : [verdict]] }]
    },
  },
)
