import type { Step } from '../../platform/queue/steps.ts'
import { callsStep } from '../calls/calls-step.ts'
import { contactsStep } from './contacts-step.ts'
import { controlStep } from './control-step.ts'
import { dealsStep } from './deals-step.ts'
import { departmentsStep, funnelsStep, stagesStep, usersStep } from './full-pass.ts'
import { stageHistoryStep } from './stage-history-step.ts'
import { toEngineStep, type CrmStep } from './crm-step.ts'

/** The steps that read the CRM repeatedly, in the order of their dependencies. */
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

/** CRM_STEPS in the form that the scheduler runs. */
export const CRM_ENGINE_STEPS: readonly Step[] = CRM_STEPS.map((step) => toEngineStep(step))
