import { defineMessages } from '../../platform/lib/messages.ts'

export const ruleSetMessages = defineMessages('ruleSets', {
  noSet: 'There is no such rule set',
  noVersion: 'There is no such version',
  noDraft: 'There is no draft',
  archived: 'The rule set is archived',
  keyTaken: 'Another rule set has this key',
  requiredWithoutCopy: 'is required without copyOf',
  ownDepartments: 'must name departments of yours, at least one and no other',
  unknownDepartments: 'holds no department: {ids}',
  asSet: 'must be as the set has it',
  asSetPatch: 'must be as the set has it: PATCH the set to change it',
  changedMeanwhile: 'Somebody has changed, published or removed the draft meanwhile',
  newZeros: 'Calls would newly get 0 by: {rules}. Say in confirmNewZeros that this is meant',
  draftThere: 'There is a draft already: publish it or throw it away first',
  violation: '{place}: {rule}',
})
