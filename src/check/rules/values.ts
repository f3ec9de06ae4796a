/** The kinds of rules, in the order of the API documentation. */
export const RULE_KIND_NAMES = [
  'said',
  'notSaid',
  'asked',
  'reply',
  'order',
  'talkShare',
  'longestSilence',
  'pace',
  'interruptions',
  'monologue',
  'number',
  'model',
] as const
