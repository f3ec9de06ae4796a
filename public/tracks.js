// Plays moments of calls one after another, or a playlist of whole calls. A button or P starts, N plays the next one, P pauses
// and resumes.

/** Length of a moment in seconds, enough for a question and its answer. */
const MOMENT_SECONDS = 20

const player = document.getElementById('track-player')
const audio = player?.querySelector('[data-track-audio]')
let tracks = []
let current

const findTracks = (section) => [...section.querySelectorAll('[data-track]')]
/** Finds the playlist that contains a row; null for a row whose moment is played alone. */
const findPlaylist = (row) => row.closest('[data-tracks=whole]')

function startTracks(section, limit) {
  playTracks(findTracks(section).slice(0, limit))
}

/** Plays a row, and in a playlist the rows after it. */
function playFrom(row) {
  const playlist = findPlaylist(row)
  playTracks(playlist ? findTracks(playlist).slice(findTracks(playlist).indexOf(row)) : [row])
}

function playTracks(rows) {
  tracks = rows
  playNext()
}

function playNext() {
  current?.removeAttribute('aria-current')
  do current = tracks.shift()
  while (current && !current.isConnected)
  if (!current) return stopPlayer()
  const { track, from, name } = current.dataset
  current.setAttribute('aria-current', 'true')
  player.hidden = false
  player.querySelector('[data-track-name]').textContent = name
  audio.src = `${track}#t=${from}`
  void audio.play().catch(() => undefined) // If the audio is missing, an error event follows.
}

function stopPlayer() {
  audio.pause()
  player.hidden = true
}

/** Marks a track whose audio does not load, then plays the next one. */
function skipTrack() {
  current?.querySelector('[data-no-audio]')?.removeAttribute('hidden')
  playNext()
}

const isMomentOver = () =>
  current && !findPlaylist(current) && audio.currentTime >= Number(current.dataset.from) + MOMENT_SECONDS

audio?.addEventListener('timeupdate', () => isMomentOver() && playNext())
audio?.addEventListener('ended', playNext)
audio?.addEventListener('error', skipTrack)

document.addEventListener('click', ({ target }) => {
  const button = target.closest?.('[data-play-tracks]')
  if (button) startTracks(button.closest('[data-tracks]'), Number(button.dataset.playTracks))
  if (target.closest?.('[data-next-track]')) playNext()
  if (target.closest?.('[data-play-track]')) playFrom(target.closest('[data-track]'))
})

/** After a playlist changed, the rows after the playing one come next. */
document.addEventListener('htmx:after:swap', () => {
  const playlist = current && findPlaylist(current)
  if (!playlist) return
  current.setAttribute('aria-current', 'true')
  tracks = findTracks(playlist).slice(findTracks(playlist).indexOf(current) + 1)
})

document.addEventListener('keydown', ({ target, key, ctrlKey, metaKey, altKey, repeat }) => {
  if (ctrlKey || metaKey || altKey || repeat || target.closest?.('input, textarea, select, [contenteditable]')) return
  if (key === 'n' && current) playNext()
  if (key === 'r') document.querySelector('[data-open-reviews]')?.click()
  if (key !== 'p') return
  if (current) audio[audio.paused ? 'play' : 'pause']()
  else document.querySelector('[data-play-tracks]')?.click()
})
