// The player of one recording, with its waveform. Without it the browser's own player stands here. Listeners stand on the
// document, because live parts are exchanged under them. What is said is transcript.js.

const root = document.documentElement
const find = (selector) => document.querySelector(selector)
const all = (selector) => document.querySelectorAll(selector)
const sound = () => document.getElementById('sound')

root.classList.add('scripted')

/** The controls of the player, and those of the bar that stands in for it. */
const PLAYS = '[data-play], [data-also-play]'
const POSITIONS = '[data-position], [data-also-position]'

/** 4:12, or 1:04:12 from an hour on: whole seconds that have passed. */
function clock(seconds) {
  const whole = Math.floor(seconds)
  const two = (value) => String(value).padStart(2, '0')
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`
}

/** The length as the service knows it, else as the browser does; NaN while neither. */
function lengthOf(audio) {
  const known = Number(find('[data-length]')?.dataset.seconds ?? NaN)
  return known > 0 ? known : Number.isFinite(audio.duration) ? audio.duration : NaN
}

/** Shows in the player, and in the bar of a phone, what the sound does. */
function show() {
  const audio = sound()
  if (!audio || !find('[data-position]')) return
  const length = lengthOf(audio)
  const now = Math.min(audio.currentTime, length || audio.currentTime)
  const shown = clock(now)
  for (const time of all('[data-now], [data-also-now]')) if (time.textContent !== shown) time.textContent = shown
  if (length > 0) showLength(length, now)
  for (const position of all(POSITIONS)) {
    if (length > 0 && Number(position.max) !== length) position.max = length
    if (length > 0) position.setAttribute('aria-valuetext', `${shown} ${position.dataset.of} ${clock(length)}`)
    position.value = now
  }
  for (const button of all(PLAYS)) {
    button.classList.toggle('playing', !audio.paused)
    button.ariaLabel = audio.paused ? button.dataset.playWord : button.dataset.pauseWord
  }
  if (!audio.paused) root.classList.add('started')
}

function showLength(length, now) {
  for (const time of all('[data-length], [data-also-length]'))
    if (!time.dataset.seconds) time.textContent = clock(length)
  const { width } = find('.wave').viewBox.baseVal
  const head = (width * now) / length
  find('[data-heard]').setAttribute('width', head)
  find('[data-head]').setAttribute('transform', `translate(${head})`)
}

for (const name of ['timeupdate', 'seeking', 'seeked', 'play', 'pause', 'ended', 'loadedmetadata', 'durationchange']) {
  document.addEventListener(name, ({ target }) => target === sound() && show(), true)
}

/** Says that the sound is awaited: it was asked to play and does not come yet. */
function showBuffering(buffers) {
  root.classList.toggle('buffers', buffers)
  const line = find('.player .buffers')
  if (line) line.textContent = buffers ? line.dataset.word : ''
}
for (const name of ['waiting', 'stalled', 'playing', 'pause', 'ended', 'error', 'canplay']) {
  const update = ({ target }) => {
    if (target !== sound()) return
    const { paused, readyState, HAVE_FUTURE_DATA } = target
    showBuffering(!paused && readyState < HAVE_FUTURE_DATA && name !== 'error' && name !== 'playing')
  }
  document.addEventListener(name, update, true)
}
// The first click waits too: nothing is loaded then but the head of the file.
document.addEventListener(
  'play',
  ({ target }) => target === sound() && showBuffering(target.readyState < target.HAVE_FUTURE_DATA),
  true,
)

const play = () =>
  sound()
    .play()
    .catch(() => undefined)
const toggle = () => (sound().paused ? play() : sound().pause())
function seek(seconds) {
  const audio = sound()
  audio.currentTime = Math.max(0, Math.min(seconds, lengthOf(audio) || seconds))
}
const skip = (seconds) => seek(sound().currentTime + seconds)

document.addEventListener('click', ({ target }) => target.closest?.(PLAYS) && toggle())
document.addEventListener('input', ({ target }) => target.matches?.(POSITIONS) && seek(Number(target.value)))

/** The speed is the person's, from call to call. */
const SPEED = 'speed'
function setSpeed(speed) {
  const audio = sound()
  if (audio && speed > 0) audio.defaultPlaybackRate = audio.playbackRate = speed
}
document.addEventListener('change', (event) => {
  if (!event.target.matches?.('[data-speed]')) return
  setSpeed(Number(event.target.value))
  keep(event.target.value)
})
function keep(speed) {
  try {
    localStorage.setItem(SPEED, speed)
  } catch {
    // A browser that keeps nothing plays at the usual speed next time.
  }
}
function keptSpeed() {
  try {
    return localStorage.getItem(SPEED)
  } catch {
    return null
  }
}

/** Says so where the browser cannot play the format (telephony has some that none can), or there is no sound, or it does not come. */
async function tellError() {
  const answer = await fetch(sound().src, { method: 'HEAD' }).catch(() => undefined)
  root.classList.add(answer?.ok ? 'cannot-play' : answer?.status === 404 ? 'no-sound' : 'cannot-load')
}
document.addEventListener('error', (event) => event.target === sound() && void tellError(), true)

const TYPED = 'input:not([type=range], [type=checkbox], [type=radio]), textarea, [contenteditable]'

/** Space plays and pauses, the arrows skip five seconds, where no control wants these keys itself. */
document.addEventListener('keydown', (event) => {
  const { target, key } = event
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !sound()) return
  if (target.closest?.(`${TYPED}, select, audio, button, summary, input:not(${POSITIONS})`)) return
  const onSlider = target.matches(POSITIONS)
  if (key === ' ') toggle()
  else if (key === 'ArrowRight' || (key === 'ArrowUp' && onSlider)) skip(5)
  else if (key === 'ArrowLeft' || (key === 'ArrowDown' && onSlider)) skip(-5)
  else return
  event.preventDefault()
})

/** j and k go to the next call of the list and the one before, as they go from row to row there. */
document.addEventListener('keydown', ({ target, key, ctrlKey, metaKey, altKey }) => {
  if (ctrlKey || metaKey || altKey || target.closest?.(`${TYPED}, select, .menu[open]`)) return
  if (key === 'j') find('.in-list [rel=next]')?.click()
  if (key === 'k') find('.in-list [rel=prev]')?.click()
})

/** On a phone the player scrolls away: a bar stands in for it from the first play on. */
const away = new IntersectionObserver(([seen]) => root.classList.toggle('player-away', !seen.isIntersecting))
function watchPlayer() {
  away.disconnect()
  const player = document.getElementById('player')
  if (player) away.observe(player)
}

/** What was exchanged comes as the server knows it. */
document.addEventListener('htmx:after:swap', () => {
  show()
  watchPlayer()
})

const speed = keptSpeed()
if (speed && find('[data-speed]')) {
  find('[data-speed]').value = speed
  setSpeed(Number(find('[data-speed]').value))
}
if (sound()?.error) void tellError()
show()
watchPlayer()
// Who comes to hear the call need not press another button, where the browser lets a page begin by itself.
if (location.hash === '#play' && sound()) void play()
