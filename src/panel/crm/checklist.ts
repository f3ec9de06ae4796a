import type { CrmAutomationJson, CrmConnectionJson } from '../../crm/automation/schema.ts'
import type { HistoryLoadJson } from '../../crm/history/schema.ts'
import type { CrmRosterJson } from '../../crm/managers/schema.ts'
import type { DepartmentJson } from '../../people/departments/schema.ts'
import type { Language } from '../frame/i18n.ts'
import { buildOwnerChecklistLines, type SetupChecklistLine, type OwnerSetup } from './owner-lines.ts'
import { formatCrmErrorAdvice } from './view.ts'

/** The responses of the API from which the set-up checklist is built. */
export interface CrmState {
  connection: CrmConnectionJson
  automation: CrmAutomationJson
  roster: CrmRosterJson
  departments: DepartmentJson[]
  /** History loads, newest first. */
  loads: HistoryLoadJson[]
  setup: OwnerSetup
}

/** Builds the set-up steps in the order of the list, from the owner's password to the comments in the CRM. */
export function buildSetupChecklist(state: CrmState, language: Language): SetupChecklistLine[] {
  const { password, people, keys, rules, checking, call } = buildOwnerChecklistLines(state.setup, language)
  const buildLines = (...lines: ((state: CrmState, language: Language) => SetupChecklistLine)[]) =>
    lines.map((line) => line(state, language))
  return [
    password,
    rules,
    checking,
    call,
    people,
    ...buildLines(buildFunnelsLine),
    keys,
    ...buildLines(
      buildVariableLine,
      buildCheckLine,
      buildConfirmLine,
      buildEnableLine,
      buildReadLine,
      buildManagersLine,
      buildHistoryLine,
      buildWritingLine,
    ),
  ]
}

const hasPassedCheck = ({ checkedAt, reasonCode }: CrmConnectionJson): boolean =>
  checkedAt !== null && reasonCode === null

function buildVariableLine(
  { connection: { configured, host } }: CrmState,
  { words: { crm: t } }: Language,
): SetupChecklistLine {
  const text = configured ? t.variable.done(host!) : t.variable.open
  return { id: 'variable', title: t.variable.title, text, state: configured ? 'done' : 'later', at: null }
}

function buildCheckLine({ connection }: CrmState, language: Language): SetupChecklistLine {
  const t = language.words.crm
  const { configured, checkedAt, user, missingScopes, reason, reasonCode } = connection
  const line = { id: 'check', title: t.check.title, at: checkedAt, text: t.check.never }
  if (!configured) return { ...line, state: 'later' }
  const send = { action: '/automation/check', label: checkedAt ? t.check.again : t.check.button }
  if (reasonCode !== null) {
    const scopes = reasonCode === 'MISSING_SCOPES' ? ` ${missingScopes.join(', ')}` : ''
    const text = formatCrmErrorAdvice(reasonCode, language) + scopes
    return { ...line, text, state: 'look', said: reason, send }
  }
  if (checkedAt === null) return { ...line, state: 'open', send }
  return { ...line, text: t.check.passed(user?.name ?? ''), state: 'done', send }
}

function buildConfirmLine(
  { connection, automation: { confirmedAt } }: CrmState,
  { words: { crm: t } }: Language,
): SetupChecklistLine {
  const { title, text, button: label, question, sure } = t.confirm
  const line = { id: 'confirm', title, text, at: confirmedAt }
  if (confirmedAt) return { ...line, state: 'done' }
  if (!hasPassedCheck(connection)) return { ...line, state: 'later' }
  const send = { action: '/automation/confirm', label, question: question(connection.host!), sure }
  return { ...line, state: 'open', send }
}

function buildEnableLine({ connection, automation }: CrmState, { words: { crm: t } }: Language): SetupChecklistLine {
  const { state, confirmedAt, enabledAt } = automation
  const { title, text, button: label, question, sure } = t.enable
  const line = { id: 'enable', title, text, at: state === 'off' ? null : enabledAt }
  if (state !== 'off') return { ...line, state: 'done' }
  if (!confirmedAt || !hasPassedCheck(connection)) return { ...line, state: 'later' }
  return { ...line, state: 'open', send: { action: '/automation/enable', label, question, sure } }
}

function buildFunnelsLine(
  { connection, departments }: CrmState,
  { words: { crm: t }, format }: Language,
): SetupChecklistLine {
  const count = new Set(departments.flatMap((department) => department.funnels)).size
  const line = {
    id: 'funnels',
    title: t.funnels.title,
    at: null,
    link: { href: '/departments', text: t.funnels.button },
  }
  if (count > 0) return { ...line, text: t.funnels.done(count, format.number(count)), state: 'done' }
  return { ...line, text: t.funnels.open, state: connection.configured ? 'open' : 'later' }
}

function buildReadLine(
  { automation: { state, steps } }: CrmState,
  { words: { crm: t }, format }: Language,
): SetupChecklistLine {
  const successTimes = steps.flatMap(({ lastSuccessAt }) => lastSuccessAt ?? [])
  const isWrong = steps.some((step) => step.state === 'attention' || step.state === 'blocked')
  const isDone = successTimes.length === steps.length
  return {
    id: 'read',
    title: t.read.title,
    text: t.read.text(format.number(successTimes.length), format.number(steps.length)),
    state: isWrong ? 'look' : isDone ? 'done' : state === 'on' ? 'open' : 'later',
    at: successTimes.sort().at(-1) ?? null,
    link: { href: '/automation/steps', text: t.read.button },
  }
}

function buildManagersLine(
  { automation, roster }: CrmState,
  { words: { crm: t }, format }: Language,
): SetupChecklistLine {
  const { title, done, open, button } = t.managers
  const count = roster.members.length
  const isRead = automation.steps.some(({ name, lastSuccessAt }) => name === 'users' && lastSuccessAt !== null)
  const line = { id: 'managers', title, at: roster.appliedAt, link: { href: '/automation/managers', text: button } }
  if (count > 0) return { ...line, text: done(count, format.number(count)), state: 'done' }
  return { ...line, text: open, state: isRead ? 'open' : 'later' }
}

function buildHistoryLine(
  { roster, loads: [last] }: CrmState,
  { words: { crmCalls: t }, format }: Language,
): SetupChecklistLine {
  const { step: title, about, estimate, loaded } = t.history
  const link = { href: '/automation/history', text: estimate }
  const line = { id: 'history', title, at: last?.finishedAt ?? null, link }
  if (!last) return { ...line, text: about, state: roster.members.length > 0 ? 'open' : 'later' }
  const text = loaded(format.number(last.loaded), format.number(last.waiting))
  return { ...line, text, state: last.state === 'done' ? 'done' : last.state === 'failed' ? 'look' : 'open' }
}

/** The last and optional step, because it writes into the CRM. */
function buildWritingLine({ connection }: CrmState, { words: { crmCalls: t } }: Language): SetupChecklistLine {
  const { title, about: text, preview } = t.writing
  const { on, since } = connection.writing
  const link = { href: '/automation/writing', text: preview }
  return { id: 'writing', title, text, state: on ? 'done' : 'later', at: on ? since : null, link }
}
