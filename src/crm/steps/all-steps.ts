import type { Step } from '../../platform/queue/steps.ts'
import { crmCallsStep } from '../calls/calls-step.ts'
import { crmContactsStep } from './contacts-step.ts'
import { crmControlStep } from './control-step.ts'
import { crmDealsStep } from './deals-step.ts'
import { crmDepartmentsStep, crmFunnelsStep, crmStagesStep, crmUsersStep } from './full-pass.ts'
import { crmStageHistoryStep } from './stage-history-step.ts'
import { toSchedulerStep, type CrmStep } from './crm-step.ts'

/** The steps that read the CRM repeatedly, in the order of their dependencies. */
export const CRM_STEPS: readonly CrmStep[] = [
  crmUsersStep,
  crmDepartmentsStep,
  crmFunnelsStep,
  crmStagesStep,
  crmDealsStep,
  crmStageHistoryStep,
  crmContactsStep,
  crmCallsStep,
  crmControlStep,
] as readonly CrmStep[]

/** CRM_STEPS in the form that the scheduler runs. */
export const CRM_SCHEDULER_STEPS: readonly Step[] = CRM_STEPS.map((step) => toSchedulerStep(step))
