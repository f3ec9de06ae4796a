// The player of a call, with its waveform. Without scripts, the page shows the browser's player. Listeners are on the
// document, because htmx replaces parts of the page. transcript.js handles the transcript.

const root = document.documentElement
const findElement = (selector) => document.querySelector(selector)
const findElements = (selector) => document.querySelectorAll(selector)
const findAudio = () => document.getElementById('sound')

/** The play buttons of the player and of the bar at the bottom of a phone. */
const PLAY_SELECTOR = '[data-play], [data-also-play]'

/** Formats seconds, rounded down, as 4:12, or as 1:04:12 from one hour. */
function formatClock(seconds) {
  const wholeSeconds = Math.floor(seconds)
  const padTwo = (value) => String(value).padStart(2, '0')
  const [hours, minutes, secondsPart] = [
    Math.floor(wholeSeconds / 3600),
    Math.floor(wholeSeconds / 60) % 60,
    wholeSeconds % 60,
  ]
  return hours > 0 ? `${hours}:${padTwo(minutes)}:${padTwo(secondsPart)}` : `${minutes}:${padTwo(secondsPart)}`
}

/** Returns the length in seconds from the service or else from the browser; NaN if both are unknown. */
function findLength(audio) {
  const knownSeconds = Number(findElement('[data-length]')?.dataset.seconds ?? NaN)
  return knownSeconds > 0 ? knownSeconds : Number.isFinite(audio.duration) ? audio.duration : NaN
}

/** Shows position, length and state of the audio in the player and in the bar of a phone. */
function showState() {
  const audio = findAudio()
  const position = findElement('[data-position]')
  if (!audio || !position) return
  const length = findLength(audio)
  const now = Math.min(audio.currentTime, length || audio.currentTime)
  const shown = formatClock(now)
  for (const time of findElements('[data-now], [data-also-now]'))
    if (time.textContent !== shown) time.textContent = shown
  if (length > 0) showLength(length, now)
  if (length > 0 && Number(position.max) !== length) position.max = length
  if (length > 0) position.setAttribute('aria-valuetext', `${shown} ${position.dataset.of} ${formatClock(length)}`)
  position.value = now
  for (const button of findElements(PLAY_SELECTOR)) {
    button.classList.toggle('playing', !audio.paused)
    button.ariaLabel = audio.paused ? button.dataset.playWord : button.dataset.pauseWord
  }
}

function showLength(length, now) {
  const time = findElement('[data-length]')
  if (!time.dataset.seconds) time.textContent = formatClock(length)
  const { width } = findElement('.wave').viewBox.baseVal
  const headPosition = (width * now) / length
  findElement('[data-heard]').setAttribute('width', headPosition)
  findElement('[data-head]').setAttribute('transform', `translate(${headPosition})`)
}

for (const name of ['timeupdate', 'seeking', 'seeked', 'play', 'pause', 'ended', 'loadedmetadata', 'durationchange']) {
  document.addEventListener(name, ({ target }) => target === findAudio() && showState(), true)
}

/** Shows or hides the message that playback waits for data. */
function showBuffering(buffers) {
  root.classList.toggle('buffers', buffers)
  const line = findElement('.player .buffers')
  if (line) line.textContent = buffers ? line.dataset.word : ''
}
for (const name of ['waiting', 'stalled', 'playing', 'pause', 'ended', 'error', 'canplay']) {
  const updateBuffering = ({ target }) => {
    if (target !== findAudio()) return
    const { paused, readyState, HAVE_FUTURE_DATA } = target
    showBuffering(!paused && readyState < HAVE_FUTURE_DATA && name !== 'error' && name !== 'playing')
  }
  document.addEventListener(name, updateBuffering, true)
}
// The first click also waits, because only the beginning of the file is loaded by then.
document.addEventListener(
  'play',
  ({ target }) => target === findAudio() && showBuffering(target.readyState < target.HAVE_FUTURE_DATA),
  true,
)

const playAudio = () =>
  findAudio()
    .play()
    .catch(() => undefined)
const togglePlayback = () => (findAudio().paused ? playAudio() : findAudio().pause())
function seekTo(seconds) {
  const audio = findAudio()
  audio.currentTime = Math.max(0, Math.min(seconds, findLength(audio) || seconds))
  // Before the audio is loaded, the browser keeps the position and sends no event.
  audio.dispatchEvent(new Event('timeupdate'))
}
const skipBy = (seconds) => seekTo(findAudio().currentTime + seconds)

document.addEventListener('click', ({ target }) => {
  const skip = target.closest?.('[data-skip]')
  if (target.closest?.(PLAY_SELECTOR)) togglePlayback()
  else if (skip) skipBy(Number(skip.dataset.skip))
  else if (target.closest?.('[data-reload-sound]')) reloadAudio()
})
document.addEventListener('input', ({ target }) => target.matches?.('[data-position]') && seekTo(Number(target.value)))

/** Key of the playback speed in the browser's storage, which all calls share. */
const SPEED_KEY = 'speed'
function setSpeed(speed) {
  const audio = findAudio()
  if (audio && speed > 0) audio.defaultPlaybackRate = audio.playbackRate = speed
}
document.addEventListener('change', (event) => {
  if (!event.target.matches?.('[data-speed]')) return
  showSpeed(event.target.value)
  storeSpeed(event.target.value)
})
function showSpeed(speed) {
  for (const select of findElements('[data-speed]')) select.value = speed
  setSpeed(Number(speed))
}
function storeSpeed(speed) {
  try {
    localStorage.setItem(SPEED_KEY, speed)
  } catch {
    // Without storage, the next call plays at normal speed.
  }
}
function loadStoredSpeed() {
  try {
    return localStorage.getItem(SPEED_KEY)
  } catch {
    return null
  }
}

/** Shows why playback failed: the browser cannot play the format, the audio is missing, or it did not load. */
async function showPlaybackError() {
  const response = await fetch(findAudio().src, { method: 'HEAD' }).catch(() => undefined)
  root.classList.add(response?.ok ? 'cannot-play' : response?.status === 404 ? 'no-sound' : 'cannot-load')
}
function reloadAudio() {
  root.classList.remove('cannot-load')
  findAudio().load()
  void playAudio()
}
document.addEventListener('error', (event) => event.target === findAudio() && void showPlaybackError(), true)

const TEXT_INPUT_SELECTOR = 'input:not([type=range], [type=checkbox], [type=radio]), textarea, [contenteditable]'

/** Space plays and pauses, and arrows skip five seconds, unless the focused control uses these keys. */
document.addEventListener('keydown', (event) => {
  const { target, key } = event
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !findAudio()) return
  if (target.closest?.(`${TEXT_INPUT_SELECTOR}, select, audio, button, summary, input:not([data-position])`)) return
  const onSlider = target.matches('[data-position]')
  if (key === ' ') togglePlayback()
  else if (key === 'ArrowRight' || (key === 'ArrowUp' && onSlider)) skipBy(5)
  else if (key === 'ArrowLeft' || (key === 'ArrowDown' && onSlider)) skipBy(-5)
  else return
  event.preventDefault()
})

/** j opens the next call of the list, and k the previous one. */
document.addEventListener('keydown', ({ target, key, ctrlKey, metaKey, altKey }) => {
  if (ctrlKey || metaKey || altKey || target.closest?.(`${TEXT_INPUT_SELECTOR}, select, .menu[open]`)) return
  if (key === 'j') findElement('.in-list [rel=next]')?.click()
  if (key === 'k') findElement('.in-list [rel=prev]')?.click()
})

/** e opens the form that corrects the call. */
document.addEventListener('keydown', (event) => {
  const { target, key, ctrlKey, metaKey, altKey } = event
  const form = findElement('[data-edit]')
  if (key !== 'e' || !form || ctrlKey || metaKey || altKey || target.closest?.(`${TEXT_INPUT_SELECTOR}, select`)) return
  event.preventDefault()
  form.open = true
  form.querySelector('input, select').focus()
})

/** New parts from the server do not know the state of the player. */
document.addEventListener('htmx:after:swap', showState)

const speed = loadStoredSpeed()
if (speed) showSpeed(speed)
showState()
// Links with #play start playback at once, if the browser allows it.
if (location.hash === '#play' && findAudio()) void playAudio()
