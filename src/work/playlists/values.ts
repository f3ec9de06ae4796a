/** The limit of playlists of which a person is the author. */
export const MAX_PLAYLISTS = 100

/** The limit of calls in a playlist. */
export const MAX_PLAYLIST_CALLS = 500
