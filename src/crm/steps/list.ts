import type { Step } from '../../platform/queue/steps.ts'
import { callsStep } from '../calls/step.ts'
import { contactsStep } from './contacts.ts'
import { controlStep } from './control.ts'
import { dealsStep } from './deals.ts'
import { departmentsStep, funnelsStep, stagesStep, usersStep } from './full-pass.ts'
import { stageHistoryStep } from './stage-history.ts'
import { asEngineStep, type CrmStep } from './step.ts'

/** The repeated reads of the CRM, in the order of their dependencies. */
export const CRM_STEPS: readonly CrmStep[] = [
  usersStep,
  departmentsStep,
  funnelsStep,
  stagesStep,
  dealsStep,
  stageHistoryStep,
  contactsStep,
  callsStep,
  controlStep,
] as readonly CrmStep[]

/** The same for the schedule. */
export const CRM_ENGINE_STEPS: readonly Step[] = CRM_STEPS.map((step) => asEngineStep(step))
