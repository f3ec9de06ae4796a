import { defineMessages } from '../../platform/lib/messages.ts'

export const playlistMessages = defineMessages('playlists', {
  noPlaylist: { en: 'Playlist not found', ru: 'Подборка не найдена.' },
  noItem: { en: 'The call is not in the playlist', ru: 'Этого звонка нет в подборке.' },
  alreadyIn: { en: 'The call is already in the playlist', ru: 'Этот звонок уже есть в подборке.' },
  outdatedOrder: {
    en: 'The calls of the playlist have changed. Reload it, then order them again',
    ru: 'Состав подборки изменился. Обновите страницу и повторите.',
  },
  tooMany: {
    en: 'You can have at most {limit} playlists. Delete some first',
    ru: 'Можно создать не больше {limit} подборок. Сначала удалите лишние.',
  },
  full: { en: 'A playlist can have at most {limit} calls', ru: 'В подборке может быть не больше {limit} звонков.' },
})
