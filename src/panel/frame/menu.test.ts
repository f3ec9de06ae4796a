import { expect } from 'chai'
import { createPanelLanguages } from '../words.ts'
import { PANEL_PAGES } from '../pages.ts'
import { buildMenu } from './menu.ts'
import type { LoggedInPerson } from './context.ts'

describe('panel: menu', () => {
  const [en, ru] = createPanelLanguages('UTC')
  const all = { audio: true, export: true, manageRecordings: true, analytics: true, editRules: true }
  const menu = (role: string, rights: Record<string, boolean>, language = en!) => {
    const { work, settings, check } = buildMenu(
      PANEL_PAGES,
      { role, rights } as LoggedInPerson,
      '/recordings',
      language,
      {},
    )
    return [work, settings, check].map((group) => group.map(({ text }) => text).join(' · '))
  }

  it('the menu lists the pages of each role in a fixed order', () => {
    expect(menu('owner', all)).to.deep.equal([
      'Home · Calls · Reviews · Upload · Queues · Playlists · Reports',
      'People · Departments · Automation · Call check · Synonyms · API keys · System · Audit log',
      'Rule sets · Rechecks · Speakers · Check settings',
    ])
    expect(menu('owner', all, ru)).to.deep.equal([
      'Главная · Звонки · Разбор · Загрузка · Очереди · Подборки · Отчёты',
      'Сотрудники · Отделы · Автоматизация · Проверка звонков · Синонимы · Ключи API · Система · Журнал действий',
      'Наборы правил · Пересчёты · Собеседники · Настройки проверки',
    ])
    expect(menu('head', all)).to.deep.equal([
      'Home · Calls · Reviews · Upload · Playlists · Reports',
      'People · Departments · Call check',
      'Rule sets · Rechecks · Speakers',
    ])
    expect(menu('manager', { audio: true, analytics: true })).to.deep.equal([
      'Home · Calls · Playlists · Reports',
      '',
      '',
    ])
    expect(menu('manager', { audio: true })).to.deep.equal(['Home · Calls · Playlists', '', ''])
  })

  it('the menu item Call check opens the rule sets', () => {
    const { settings } = buildMenu(
      PANEL_PAGES,
      { role: 'head', rights: all } as unknown as LoggedInPerson,
      '/recordings',
      en!,
      {},
    )
    expect(settings.find(({ text }) => text === 'Call check')!.href).to.equal('/rule-sets')
  })

  it('the menu highlights the current page or the item that it belongs to', () => {
    const current = (path: string) => {
      const { work, settings } = buildMenu(
        PANEL_PAGES,
        { role: 'owner', rights: all } as unknown as LoggedInPerson,
        path,
        en!,
        {},
      )
      const marked = [...work, ...settings].filter(({ current }) => current !== null)
      return marked.map(({ href, current }) => [href, current])
    }
    expect(current('/people')).to.deep.equal([['/people', 'page']])
    expect(current('/recordings/x')).to.deep.equal([['/recordings', 'true']])
    expect(current('/analytics/load')).to.deep.equal([['/analytics/weekly', 'true']])
    expect(current('/reconciliation')).to.deep.equal([['/analytics/weekly', 'true']])
    expect(current('/reviews')).to.deep.equal([['/reviews', 'page']])
    expect(current('/rule-sets')).to.deep.equal([['/rule-sets', 'page']])
    for (const tab of ['/rule-sets/x/backtests', '/recalculations', '/analysis/requests'])
      expect(current(tab), tab).to.deep.equal([['/rule-sets', 'true']])
  })
})
