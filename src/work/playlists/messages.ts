import { defineMessages } from '../../platform/lib/messages.ts'

export const playlistMessages = defineMessages('playlists', {
  noPlaylist: { en: 'Playlist not found', ru: 'Плейлист не найден.' },
  noItem: { en: 'The call is not in the playlist', ru: 'Этого звонка нет в плейлисте.' },
  alreadyIn: { en: 'The call is already in the playlist', ru: 'Этот звонок уже есть в плейлисте.' },
  tooMany: {
    en: 'You can have at most {limit} playlists. Delete some first',
    ru: 'Можно создать не больше {limit} плейлистов. Сначала удалите лишние.',
  },
  full: { en: 'A playlist can have at most {limit} calls', ru: 'В плейлисте может быть не больше {limit} звонков.' },
})
