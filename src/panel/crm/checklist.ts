import type { AutomationJson, ConnectionJson } from '../../crm/automation/schema.ts'
import type { LoadJson } from '../../crm/history/schema.ts'
import type { RosterJson } from '../../crm/managers/schema.ts'
import type { DepartmentJson } from '../../people/departments/schema.ts'
import type { Language } from '../frame/i18n.ts'
import { ownerLines, type Line, type Setup } from './owner-lines.ts'
import { adviceOn } from './view.ts'

/** What the checklist is made of. */
export interface CrmState {
  connection: ConnectionJson
  automation: AutomationJson
  roster: RosterJson
  departments: DepartmentJson[]
  /** Of the past, the last one first. */
  loads: LoadJson[]
  setup: Setup
}

/** The owner's way from the first login to calls that come by themselves, in the order in which one step needs the other. */
export function checklist(state: CrmState, language: Language): Line[] {
  const { password, others, integrations, rules, automatic } = ownerLines(state.setup, language)
  const crm = (...lines: ((state: CrmState, language: Language) => Line)[]) =>
    lines.map((line) => line(state, language))
  return [
    password,
    others,
    ...crm(funnels),
    integrations,
    ...crm(variable, check, confirm, enable, read, managers, history),
    rules,
    automatic,
    ...crm(writing),
  ]
}

const hasPassed = ({ checkedAt, reasonCode }: ConnectionJson): boolean => checkedAt !== null && reasonCode === null

function variable({ connection: { configured, host } }: CrmState, { words: { crm: t } }: Language): Line {
  const text = configured ? t.variable.done(host!) : t.variable.open
  return { id: 'variable', title: t.variable.title, text, state: configured ? 'done' : 'open', at: null }
}

function check({ connection }: CrmState, language: Language): Line {
  const t = language.words.crm
  const { configured, checkedAt, user, missingScopes, reason, reasonCode } = connection
  const line = { id: 'check', title: t.check.title, at: checkedAt }
  if (!configured) return { ...line, text: t.check.never, state: 'later' }
  const send = { action: '/automation/check', label: checkedAt ? t.check.again : t.check.button }
  if (reasonCode !== null) {
    const text = [
      adviceOn(reasonCode, language),
      ...(reasonCode === 'MISSING_SCOPES' ? [missingScopes.join(', ')] : []),
    ]
    return { ...line, text: text.join(' '), state: 'look', said: reason, send }
  }
  if (checkedAt === null) return { ...line, text: t.check.never, state: 'open', send }
  return { ...line, text: t.check.passed(user?.name ?? ''), state: 'done', send }
}

function confirm({ connection, automation: { confirmedAt } }: CrmState, { words: { crm: t } }: Language): Line {
  const line = { id: 'confirm', title: t.confirm.title, text: t.confirm.text, at: confirmedAt }
  if (confirmedAt) return { ...line, state: 'done' }
  if (!hasPassed(connection)) return { ...line, state: 'later' }
  const question = t.confirm.question(connection.host!)
  const send = { action: '/automation/confirm', label: t.confirm.button, question, sure: t.confirm.sure }
  return { ...line, state: 'open', send }
}

function enable({ connection, automation }: CrmState, { words: { crm: t } }: Language): Line {
  const { state, confirmedAt, enabledAt } = automation
  const line = { id: 'enable', title: t.enable.title, text: t.enable.text, at: state === 'off' ? null : enabledAt }
  if (state !== 'off') return { ...line, state: 'done' }
  if (!confirmedAt || !hasPassed(connection)) return { ...line, state: 'later' }
  const { button: label, question, sure } = t.enable
  return { ...line, state: 'open', send: { action: '/automation/enable', label, question, sure } }
}

function funnels({ departments }: CrmState, { words: { crm: t }, format }: Language): Line {
  const count = new Set(departments.flatMap((department) => department.funnels)).size
  const text = count > 0 ? t.funnels.done(count, format.number(count)) : t.funnels.open
  const link = { href: '/departments', text: t.funnels.button }
  return { id: 'funnels', title: t.funnels.title, text, state: count > 0 ? 'done' : 'open', at: null, link }
}

function read({ automation: { state, steps } }: CrmState, { words: { crm: t }, format }: Language): Line {
  const done = steps.filter(({ lastSuccessAt }) => lastSuccessAt !== null)
  const isWrong = steps.some((step) => step.state === 'attention' || step.state === 'blocked')
  const isDone = done.length === steps.length
  return {
    id: 'read',
    title: t.read.title,
    text: t.read.text(format.number(done.length), format.number(steps.length)),
    state: isWrong ? 'look' : isDone ? 'done' : state === 'on' ? 'open' : 'later',
    at:
      done
        .map(({ lastSuccessAt }) => lastSuccessAt!)
        .sort()
        .at(-1) ?? null,
    link: { href: '/automation/steps', text: t.read.button },
  }
}

function managers({ automation, roster }: CrmState, { words: { crm: t }, format }: Language): Line {
  const { members, appliedAt } = roster
  const isRead = automation.steps.some(({ name, lastSuccessAt }) => name === 'users' && lastSuccessAt !== null)
  const text = members.length > 0 ? t.managers.done(members.length, format.number(members.length)) : t.managers.open
  const state = members.length > 0 ? 'done' : isRead ? 'open' : 'later'
  const link = { href: '/automation/managers', text: t.managers.button }
  return { id: 'managers', title: t.managers.title, text, state, at: appliedAt, link }
}

function history({ roster, loads: [last] }: CrmState, { words: { crmCalls: t }, format }: Language): Line {
  const { title, about, estimate, loaded } = t.history
  const link = { href: '/automation/history', text: estimate }
  const line = { id: 'history', title, at: last?.finishedAt ?? null, link }
  if (!last) return { ...line, text: about, state: roster.members.length > 0 ? 'open' : 'later' }
  const text = loaded(format.number(last.loaded), format.number(last.waiting))
  return { ...line, text, state: last.state === 'done' ? 'done' : last.state === 'failed' ? 'look' : 'open' }
}

/** The last one, because it writes where others read, and only where that is wanted. */
function writing({ connection }: CrmState, { words: { crmCalls: t } }: Language): Line {
  const { title, about: text, preview } = t.writing
  const { on, since } = connection.writing
  const link = { href: '/automation/writing', text: preview }
  return { id: 'writing', title, text, state: on ? 'done' : 'later', at: on ? since : null, link }
}
