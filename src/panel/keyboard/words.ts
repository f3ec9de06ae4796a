import { text, textTemplate } from '../frame/words/translation.ts'

export const keyboardWords = {
  palette: {
    title: text('Go to', 'Перейти'),
    open: text('Go to…', 'Перейти…'),
    placeholder: text('Page, manager, phone or rule', 'Страница, менеджер, телефон или правило'),
    groups: text(
      { pages: 'Pages', managers: 'Managers', phones: 'Phones', rules: 'Rules' },
      { pages: 'Страницы', managers: 'Менеджеры', phones: 'Телефоны', rules: 'Правила' },
    ),
    none: text('Nothing found.', 'Ничего не найдено.'),
    searchCalls: textTemplate('Search all calls for “{}”', 'Искать «{}» во всех звонках'),
    hint: text(
      'Arrows move, Enter opens, Ctrl Enter searches calls',
      'Стрелки — выбор, Enter — открыть, Ctrl Enter — искать в звонках',
    ),
  },
  list: {
    title: text('Keyboard shortcuts', 'Клавиши'),
    open: text('Keyboard shortcuts', 'Клавиши'),
    close: text('Close', 'Закрыть'),
    groups: {
      everywhere: text('Everywhere', 'Везде'),
      home: text('Home', 'Главная'),
      calls: text('List of calls', 'Список звонков'),
      call: text('Call page', 'Звонок'),
      reviews: text('Reviews', 'Разбор'),
    },
    space: text('Space', 'Пробел'),
    does: {
      goTo: text('go to a page, manager, phone or rule', 'перейти: страница, менеджер, телефон, правило'),
      search: text('search on this page', 'поиск на странице'),
      leave: text('leave a field or close a window', 'выйти из поля или закрыть'),
      list: text('show this list', 'показать этот список'),
      playMoments: text('play or pause the calls to listen to', 'слушать отобранные звонки или поставить на паузу'),
      nextMoment: text('next of these calls', 'следующий отобранный звонок'),
      openReviews: text('open the reviews', 'открыть разбор'),
      firstResult: text('move from the search to the first call', 'из поиска к первому звонку'),
      nextCall: text('next and previous call', 'следующий и предыдущий звонок'),
      openCall: text('open the call', 'открыть звонок'),
      select: text('select the call', 'выбрать звонок'),
      play: text('play or pause', 'слушать или поставить на паузу'),
      seek: text('5 seconds back and forward', '5 секунд назад и вперёд'),
      matches: text('next and previous match', 'следующее и предыдущее совпадение'),
      chapters: text('previous and next chapter', 'предыдущий и следующий раздел'),
      edit: text('edit the details', 'изменить сведения о звонке'),
      decide: text('met, missed', 'выполнено, не выполнено'),
      skip: text('skip', 'пропустить'),
      undo: text('undo the last review', 'отменить последний разбор'),
      comment: text('write a comment', 'написать комментарий'),
    },
  },
}
