/** The kinds of rules, as the API lists them. */
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
