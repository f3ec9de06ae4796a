import Type, { type Static } from 'typebox'
import { managerNameFilter } from '../../calls/list/filters/managers.ts'
import { ruleSetProperties } from '../../check/schemas.ts'
import { VERDICTS } from '../../check/checks/values.ts'
import { bilingualTextSchema } from '../../check/rules/schema.ts'
import { ROLES } from '../../platform/http/actor.ts'
import * as field from '../../platform/http/field.ts'
import { createPageSchema } from '../../platform/http/paging.ts'
import { CallReferenceSchema, exampleCallReference, examplePerson, personSchema } from '../schema.ts'
import {
  CALIBRATION_VERDICTS,
  MAX_CALIBRATION_CALLS,
  MAX_CALIBRATION_PEOPLE,
  MIN_CALIBRATION_PEOPLE,
} from './values.ts'

const RuleSchema = field.object('The rule.', {
  ruleSet: field.object('The rule set.', { ...ruleSetProperties }),
  key: field.text('The key of the rule.'),
  name: bilingualTextSchema(200, 'The requirement.'),
})
const verdictSchema = field.oneOf(CALIBRATION_VERDICTS, 'The verdict.')

const calibrationProperties = {
  id: field.id('The calibration.'),
  name: field.text('Its name.'),
  creator: personSchema('The person who created it.'),
  createdAt: field.time('When it was created.'),
  participants: field.list(
    field.object('A participant.', {
      id: field.id('The person.'),
      name: field.text('Their name.'),
      submittedAt: field.timeOrNull(
        'When they submitted. Null if they have not, or if you cannot see the results yet.',
      ),
    }),
    'The people who judge the calls, by name.',
  ),
  calls: field.integer('The number of its calls that you see.'),
  rules: field.integer('The number of rules to judge in these calls.'),
  judged: field.integer('Of these, rules that you have judged.'),
  isParticipant: field.boolean('Whether you judge the calls.'),
  submittedAt: field.timeOrNull(
    'When you submitted your verdicts; null if you have not. They cannot change after that.',
  ),
  canSeeResults: field.boolean('Whether you can read the results: you have submitted, or do not take part.'),
  canDelete: field.boolean('Whether you created it, and can delete it.'),
}
export const CalibrationSchema = field.namedObject(
  'Calibration',
  'Calls that several people judge without seeing each other’s verdicts.',
  calibrationProperties,
)
export type CalibrationJson = Static<typeof CalibrationSchema>

const CallProgressSchema = field.object('A call.', {
  recording: CallReferenceSchema,
  durationSeconds: field.numberOrNull('The length of the recording in seconds; null if unknown.'),
  rules: field.integer('The number of rules to judge.'),
  judged: field.integer('Of these, rules that you have judged.'),
})
export const CalibrationWithCallsSchema = field.namedObject('CalibrationWithCalls', 'A calibration with its calls.', {
  ...calibrationProperties,
  items: field.list(CallProgressSchema, 'The calls that you see, by their time.'),
})
export type CalibrationWithCallsJson = Static<typeof CalibrationWithCallsSchema>

const OwnVerdictSchema = field.object('A rule to judge.', {
  id: field.id('The rule in this call.'),
  rule: RuleSchema,
  hint: field.nullable(
    field.object({ en: field.textOrNull('In English.'), ru: field.textOrNull('In Russian.') }),
    'The criterion, if the rule has one.',
  ),
  critical: field.boolean('Whether missing the rule makes the score 0.'),
  verdict: field.nullable(verdictSchema, 'Your verdict; null if you have not judged the rule.'),
  comment: field.textOrNull('Your comment; null without one.'),
})

export const CalibrationCallSchema = field.namedObject(
  'CalibrationCall',
  'A call of a calibration, with the rules that you judge.',
  {
    recording: CallReferenceSchema,
    durationSeconds: field.numberOrNull('The length of the recording in seconds; null if unknown.'),
    hasAudio: field.boolean('Whether the audio of the call is stored.'),
    rules: field.list(OwnVerdictSchema, 'The rules of the check at the creation of the calibration.'),
    lines: field.list(
      field.object('A segment of the transcript.', {
        start: field.number('Seconds from the start of the recording.'),
        side: field.oneOf(['agent', 'client', 'unknown'], 'The speaker.'),
        text: field.text('The text of the segment.'),
      }),
      'The transcript of the call.',
    ),
  },
)
export type CalibrationCallJson = Static<typeof CalibrationCallSchema>

const agreementProperties = {
  compared: field.integer('The number of rules of calls that both people judged.'),
  agreed: field.integer('Of these, those with the same verdict.'),
}
const DifferenceSchema = field.object('A rule of a call with different verdicts.', {
  recording: CallReferenceSchema,
  rule: RuleSchema,
  hasAudio: field.boolean('Whether the audio of the call is stored.'),
  at: field.number('The moment to hear, in seconds: the quote of the check, else the start of the searched part.'),
  checkVerdict: field.oneOf(VERDICTS, 'The verdict of the check, without decisions of people.'),
  verdicts: field.list(
    field.object('The verdict of a participant.', {
      person: personSchema('The participant.'),
      verdict: verdictSchema,
      comment: field.textOrNull('Their comment; null without one.'),
    }),
    'The verdicts of those who submitted, by the name of the person.',
  ),
})
const { items: _, ...pageProperties } = createPageSchema(DifferenceSchema, '').properties
export const CalibrationResultsSchema = field.namedObject('CalibrationResults', 'The results of a calibration.', {
  ...pageProperties,
  items: field.list(DifferenceSchema, 'The rules of calls with different verdicts.'),
  pairs: field.list(
    field.object('Two participants.', {
      people: field.list(personSchema('A participant.'), 'Both participants, by name.'),
      ...agreementProperties,
      kappa: field.numberOrNull(
        'Cohen’s kappa: the agreement beyond chance, at most 1. Null without verdicts, or if chance alone gives it.',
      ),
    }),
    'The agreement of each pair of participants who submitted, by their names.',
  ),
  rules: field.list(
    field.object('A rule.', {
      rule: RuleSchema,
      ...agreementProperties,
      pairs: field.list(
        field.object('The agreement of a pair on this rule.', agreementProperties),
        'The agreement of each pair, in the order of `pairs` of the results.',
      ),
    }),
    'The agreement on each rule, summed over the pairs.',
  ),
})
export type CalibrationResultsJson = Static<typeof CalibrationResultsSchema>

export const CalibrationPersonSchema = field.object('A person.', {
  id: field.id('The person.'),
  name: field.text('Their name.'),
  role: field.oneOf(ROLES, 'Their role.'),
})

export const calibrationFields = {
  name: field.singleLine(100, 'Its name.'),
  recordingIds: Type.Optional(
    Type.Array(field.id('A checked call.'), {
      minItems: 1,
      maxItems: MAX_CALIBRATION_CALLS,
      description: 'The calls. Give either these or `random`.',
    }),
  ),
  random: Type.Optional(
    field.object(
      'Draws checked calls at random, from those that all participants see. Give either this or `recordingIds`.',
      {
        calls: Type.Integer({ minimum: 1, maximum: MAX_CALIBRATION_CALLS, description: 'How many calls at most.' }),
        manager: Type.Optional(managerNameFilter.schema),
        from: Type.Optional(field.dayOrLocalTime('Only calls that began at this time or later.')),
        to: Type.Optional(
          field.dayOrLocalTime('Only calls that began before this time, or until the end of this day.'),
        ),
      },
    ),
  ),
  participantIds: Type.Array(field.id('A person.'), {
    minItems: MIN_CALIBRATION_PEOPLE,
    maxItems: MAX_CALIBRATION_PEOPLE,
    description:
      'The people who judge: owners, and heads with the permission editRules, who see all of the calls. See the ' +
      'operation listCalibrationPeople.',
  }),
}

const exampleRule = {
  ruleSet: {
    id: '01890a5d-ac96-774b-bcce-b302099a8057',
    key: 'incoming-sales',
    name: { en: 'Incoming sales call', ru: 'Входящая продажа' },
  },
  key: 'greeting',
  name: { en: 'Greets the client', ru: 'Поздоровался' },
}
const exampleSecondPerson = { id: '01890a5d-ac96-774b-bcce-b302099a8066', name: 'Olga Stern' }
export const exampleCalibration: CalibrationJson = {
  id: '01890a5d-ac96-774b-bcce-b302099a8070',
  name: 'Objections in March',
  creator: examplePerson,
  createdAt: '2026-03-01T07:10:00.000Z',
  participants: [
    { ...examplePerson, submittedAt: null },
    { ...exampleSecondPerson, submittedAt: null },
  ],
  calls: 1,
  rules: 8,
  judged: 3,
  isParticipant: true,
  submittedAt: null,
  canSeeResults: false,
  canDelete: true,
}
export const exampleCalibrationWithCalls: CalibrationWithCallsJson = {
  ...exampleCalibration,
  items: [{ recording: exampleCallReference, durationSeconds: 184.2, rules: 8, judged: 3 }],
}
export const exampleCalibrationCall: CalibrationCallJson = {
  recording: exampleCallReference,
  durationSeconds: 184.2,
  hasAudio: true,
  rules: [
    {
      id: '01890a5d-ac96-774b-bcce-b302099a8071',
      rule: exampleRule,
      hint: null,
      critical: false,
      verdict: 'met',
      comment: 'At the very start',
    },
  ],
  lines: [{ start: 2.2, side: 'agent', text: 'Good morning, Northern Windows.' }],
}
export const exampleCalibrationResults: CalibrationResultsJson = {
  items: [
    {
      recording: exampleCallReference,
      rule: exampleRule,
      hasAudio: true,
      at: 2.2,
      checkVerdict: 'missed',
      verdicts: [
        { person: examplePerson, verdict: 'met', comment: null },
        { person: exampleSecondPerson, verdict: 'missed', comment: 'No name' },
      ],
    },
  ],
  total: 1,
  page: 1,
  pageSize: 25,
  pairs: [{ people: [examplePerson, exampleSecondPerson], compared: 8, agreed: 7, kappa: 0.6 }],
  rules: [{ rule: exampleRule, compared: 1, agreed: 0, pairs: [{ compared: 1, agreed: 0 }] }],
}
