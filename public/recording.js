// One recording: the player with its waveform, the rows of the transcript that follow the sound, the walk through the
// matches. Without it the browser's own player stands here, and the search is a form. Listeners stand on the document,
// because live parts are exchanged under them.

const root = document.documentElement
const find = (selector) => document.querySelector(selector)
const sound = () => document.getElementById('sound')
const rows = () => [...document.querySelectorAll('li[data-start]')]

root.classList.add('scripted')

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

/** Shows in the player what the sound does. */
function show() {
  const audio = sound()
  const position = find('[data-position]')
  if (!audio || !position) return
  const length = lengthOf(audio)
  const now = Math.min(audio.currentTime, length || audio.currentTime)
  const shown = clock(now)
  if (find('[data-now]').textContent !== shown) find('[data-now]').textContent = shown
  if (length > 0) {
    if (Number(position.max) !== length) position.max = length
    if (!find('[data-length]').dataset.seconds) find('[data-length]').textContent = clock(length)
    const { width } = find('.wave').viewBox.baseVal
    const place = (width * now) / length
    find('[data-heard]').setAttribute('width', place)
    find('[data-head]').setAttribute('transform', `translate(${place})`)
    position.setAttribute('aria-valuetext', `${shown} ${position.dataset.of} ${clock(length)}`)
  }
  position.value = now
  const button = find('[data-play]')
  button.classList.toggle('playing', !audio.paused)
  button.ariaLabel = audio.paused ? button.dataset.playWord : button.dataset.pauseWord
}

const isInView = (element) => {
  const { top, bottom } = element.getBoundingClientRect()
  return bottom > 0 && top < innerHeight
}

/** Marks the row that is heard now. The page goes along while one looks at it, and not when one has scrolled away. */
function followSound() {
  const audio = sound()
  if (!audio) return
  const { currentTime, paused } = audio
  let heard
  for (const row of rows()) if (Number(row.dataset.start) <= currentTime + 0.05) heard = row
  if (heard && currentTime > Number(heard.dataset.end) + 1 && paused) heard = undefined
  const before = find('li[aria-current]')
  if (before === (heard ?? null)) return
  if (before) before.ariaCurrent = null
  if (!heard) return
  heard.ariaCurrent = 'true'
  if (!paused && before && isInView(before)) heard.scrollIntoView({ block: 'nearest' })
}

for (const name of ['timeupdate', 'seeking', 'seeked', 'play', 'pause', 'ended', 'loadedmetadata', 'durationchange']) {
  const update = (event) => {
    if (event.target !== sound()) return
    show()
    followSound()
  }
  document.addEventListener(name, update, true)
}

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

/** Plays from the row that was clicked; a click that ends a selection of text, or on another link, does not. */
function playRow(event) {
  const row = event.target.closest?.('li[data-start]')
  const link = event.target.closest?.('a')
  if (!row || !sound() || (link && !link.matches('.at')) || event.ctrlKey || event.metaKey || event.shiftKey) return
  if (!link && String(getSelection())) return
  event.preventDefault()
  seek(Number(row.dataset.start))
  play()
}

document.addEventListener('click', (event) => {
  if (event.target.closest?.('[data-play]')) toggle()
  else if (event.target.closest?.('[data-walk]')) walk(Number(event.target.closest('[data-walk]').dataset.walk))
  else if (event.target.closest?.('[data-copy]')) void copyText(event.target.closest('[data-copy]'))
  else playRow(event)
})
document.addEventListener(
  'input',
  (event) => event.target.matches?.('[data-position]') && seek(Number(event.target.value)),
)

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

/** Says so where the browser cannot play the format (telephony has some that none can), or the sound does not come. */
async function tellFault() {
  const answer = await fetch(sound().src, { method: 'HEAD' }).catch(() => undefined)
  root.classList.add(answer?.ok ? 'cannot-play' : 'cannot-load')
}
document.addEventListener('error', (event) => event.target === sound() && void tellFault(), true)

let current = 0

/** Goes to the next match (1) or the one before (-1), around the ends. */
function walk(step, block = 'center') {
  const marks = [...document.querySelectorAll('mark[data-match]')]
  const last = Number(marks.at(-1)?.dataset.match ?? 0)
  if (last === 0) return
  current = ((current - 1 + step + last + (current === 0 && step < 0 ? 1 : 0)) % last) + 1
  markCurrent()
  find('mark.current')?.scrollIntoView({ block })
}
function markCurrent() {
  for (const mark of document.querySelectorAll('mark[data-match]')) {
    mark.classList.toggle('current', Number(mark.dataset.match) === current)
  }
  const which = find('[data-which]')
  if (which) which.textContent = current > 0 && find('mark.current') ? `${current} / ` : ''
}

/** Copies the text, with the names of the channels where there are two. */
async function copyText(button) {
  const said = rows().map((row) => {
    const channel = row.querySelector('.channel')?.textContent
    return `${channel ? `${channel}: ` : ''}${row.querySelector('.text').textContent}`
  })
  if (!(await writeClipboard(said.join('\n')))) return
  const label = button.firstElementChild
  const word = label.textContent
  if (word === button.dataset.done) return
  label.textContent = button.dataset.done
  setTimeout(() => (label.textContent = word), 2000)
}
async function writeClipboard(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Without HTTPS there is no clipboard but for what is selected.
    const field = Object.assign(document.createElement('textarea'), { value: text, className: 'hidden' })
    document.body.append(field)
    const before = document.activeElement
    field.select()
    const done = document.execCommand('copy')
    field.remove()
    before?.focus()
    return done
  }
}

const TYPED = 'input:not([type=range], [type=checkbox], [type=radio]), textarea, [contenteditable]'

/** Enter in the search goes on to the next match of what was found; Escape leaves the field. */
function searchKey(event) {
  const field = event.target.closest?.('[data-search]')
  if (!field) return
  if (event.key === 'Escape') field.blur()
  else if (event.key === 'Enter' && field.value === field.defaultValue && find('mark[data-match]')) {
    event.preventDefault()
    walk(event.shiftKey ? -1 : 1)
  }
}

/** Space plays and pauses, the arrows skip five seconds, n and p walk, where no control wants these keys itself. */
document.addEventListener('keydown', (event) => {
  searchKey(event)
  const { target, key } = event
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
  if (target.closest?.(`${TYPED}, select, audio`)) return
  const onControl = target.closest?.('button, summary, input:not([data-position])')
  if (key === 'n') walk(1)
  else if (key === 'p') walk(-1)
  else if (!sound() || onControl) return
  else if (key === ' ') toggle()
  else if (key === 'ArrowRight' || (key === 'ArrowUp' && target.matches('[data-position]'))) skip(5)
  else if (key === 'ArrowLeft' || (key === 'ArrowDown' && target.matches('[data-position]'))) skip(-5)
  else return
  event.preventDefault()
})

/** What was exchanged comes as the server knows it: without what is heard and which match is meant. */
document.addEventListener('htmx:after:swap', () => {
  show()
  followSound()
  markCurrent()
})
let asked = new URLSearchParams(location.search).get('q')
document.addEventListener('input', (event) => {
  if (!event.target.matches?.('[data-search]') || event.target.value === asked) return
  asked = event.target.value
  current = 0
})

const speed = keptSpeed()
if (speed && find('[data-speed]')) {
  find('[data-speed]').value = speed
  setSpeed(Number(find('[data-speed]').value))
}
if (sound()?.error) void tellFault()
show()
if (asked) walk(1, 'nearest')
