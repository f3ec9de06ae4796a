import { expect } from 'chai'
import { createLanguages } from '../words.ts'
import { PAGES } from '../pages.ts'
import { menuOf } from './menu.ts'
import type { Person } from './context.ts'

describe('panel: the menu', () => {
  const [en, ru] = createLanguages('UTC')
  const all = { audio: true, export: true, manageRecordings: true, analytics: true, editRules: true }
  const menu = (role: string, rights: Record<string, boolean>, language = en!) => {
    const { work, check, settings } = menuOf(PAGES, { role, rights } as Person, '/recordings', language, {})
    return [work, check, settings].map((group) => group.map(({ text }) => text).join(' · '))
  }

  it('has what people work with above, then the check of calls, settings below, in one order for everybody', () => {
    expect(menu('owner', all)).to.deep.equal([
      'Recordings · Upload · Queues · Statistics · Reports · Reconciliation',
      'To be judged · Rule sets · Recalculations · Provider',
      'People · Departments · Automation · System · Audit log',
    ])
    expect(menu('owner', all, ru)).to.deep.equal([
      'Записи · Загрузка · Очереди · Статистика · Отчёты · Сверка с CRM',
      'На решение · Наборы правил · Пересчёты · Кто проверяет',
      'Люди · Отделы · Автоматика · Система · Журнал',
    ])
    expect(menu('head', all)).to.deep.equal([
      'Recordings · Upload · Statistics · Reports · Reconciliation',
      'To be judged · Rule sets · Recalculations',
      'People · Departments',
    ])
    expect(menu('manager', { audio: true })).to.deep.equal(['Recordings', '', ''])
  })

  it('marks the page that one is on, and the item that a page belongs to', () => {
    const current = (path: string) => {
      const { work, settings } = menuOf(PAGES, { role: 'owner', rights: all } as unknown as Person, path, en!, {})
      const marked = [...work, ...settings].filter(({ current }) => current !== null)
      return marked.map(({ href, current }) => [href, current])
    }
    expect(current('/people')).to.deep.equal([['/people', 'page']])
    expect(current('/recordings/x')).to.deep.equal([['/recordings', 'true']])
  })
})
