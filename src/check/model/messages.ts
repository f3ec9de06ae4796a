import { defineMessages } from '../../platform/lib/messages.ts'

export const modelMessages = defineMessages('model', {
  address: 'The model cannot be reached: its address {rule}',
  noAnswer: 'The model did not answer: {reason}',
  answered: 'The model answered {status}',
  refused: 'The model refused the request: HTTP {status}',
  key: 'The model refuses the key: check ANALYSIS_API_KEY',
  access: 'The model refuses access: check ANALYSIS_API_KEY and what it may use',
  notThere: 'There is no such model or address: check ANALYSIS_BASE_URL and ANALYSIS_MODEL',
  unheard:
    'The server stopped twice before the model had answered: it is not asked again by itself, because each answer may cost',
  resting: 'The model asked for a pause of {seconds} s: try again after it',
  extraRefused: 'The model refuses the parameters of ANALYSIS_EXTRA_BODY ({names}): they are left out',
})
