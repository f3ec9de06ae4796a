// Reviews, one verdict at a time: keys decide, the next one plays, and decisions are sent in the background. Without scripts
// the page is a list with a form for each verdict.

const triage = document.querySelector('[data-triage]')
const message = document.querySelector('[data-message]')
const texts = triage?.dataset ?? {}
const numbers = new Intl.NumberFormat(document.documentElement.lang)
const RETRY_MS = 5000
const PRELOADED = 2
const SKIP_SECONDS = 5

const findArticles = () => [...triage.querySelectorAll('[data-finding]')]
const findRow = (article) => triage.querySelector(`[data-row="${article.id.slice(2)}"]`)
/** The part with the player: the current verdict, or the call if all verdicts of the page are about one call. */
const findPlayer = () => triage.querySelector('[data-call]') ?? current
const findAudio = () => findPlayer()?.querySelector('audio')
let current
/** Maps each handled verdict to `decided` or `skipped`. */
const states = new Map()
/** The verdicts whose waveform is loaded. */
const prepared = new Set()
/** The batches of decisions that can be undone, the last one at the end. A key decides a batch of one. */
const batches = []
const confirmForm = document.querySelector('[data-confirm]')
/** True if a decided verdict can be decided again without undoing it first. */
const mayChange = texts.changeable !== undefined

function showMessage(text) {
  message.textContent = text ?? ''
  message.hidden = !text
}

function setOutcome(article, text, kind = 'muted') {
  const outcome = findRow(article).querySelector('[data-outcome]')
  outcome.textContent = text
  outcome.className = kind
}

/** Returns the reason why a verdict waits, which its row shows until it is decided. */
const findReason = (article) => findRow(article).querySelector('[data-outcome]').dataset.outcome

/** Shows one verdict, plays it, and prepares the next ones. */
function showArticle(article) {
  current?.querySelector('audio')?.pause()
  triage.querySelector('[data-end]')?.remove()
  triage.querySelector('[data-finding].current')?.classList.remove('current')
  triage.querySelector('.queue [aria-current]')?.removeAttribute('aria-current')
  current = article
  article.classList.add('current')
  const link = findRow(article).querySelector('a')
  link.setAttribute('aria-current', 'true')
  const queue = triage.querySelector('[data-queue]')
  queue.scrollTop = link.offsetTop - queue.clientHeight / 2
  article.focus({ preventScroll: true })
  if (article.getBoundingClientRect().top < 0) article.scrollIntoView()
  document.querySelector('[data-place]').textContent = texts.placeText.replace('{}', numbers.format(findPlace(article)))
  showProgress()
  prepare(article)
  if (article.dataset.at) playFrom(Number(article.dataset.at))
  findOpen(article).slice(0, PRELOADED).forEach(prepare)
}

const findPlace = (article) => findArticles().indexOf(article) + 1

/** Lists the verdicts that are neither decided nor skipped: those after this one, then from the first to this one. */
function findOpen(article) {
  const articles = findArticles()
  const at = articles.indexOf(article)
  return [...articles.slice(at + 1), ...articles.slice(0, at + 1)].filter((one) => !states.has(one))
}

/** Loads the waveform in advance. Audio is not loaded, because the audit log records each load of audio as listening. */
function prepare(article) {
  const audio = article.querySelector('audio')
  if (!audio || prepared.has(article)) return
  prepared.add(article)
  audio.defaultPlaybackRate = audio.playbackRate = loadSpeed()
  void loadWaveform(article.querySelector('[data-wave]'))
}

/** Fetches a text with the action id of the page, so that the audit log groups both. @returns undefined if it fails */
async function fetchText(url) {
  const headers = { 'X-Action-Id': document.getElementById('content').dataset.actionId }
  const response = await fetch(url, { headers }).catch(() => undefined)
  return response?.ok ? response.text() : undefined
}

async function loadWaveform(svg) {
  const text = await fetchText(svg.dataset.wave)
  if (text) svg.querySelector('[data-peaks]').innerHTML = text
}

/** Loads the playback speed that the person chose on the page of a call; 1 by default. */
function loadSpeed() {
  try {
    return Number(localStorage.getItem('speed')) || 1
  } catch {
    return 1
  }
}

function playFrom(seconds) {
  const audio = findAudio()
  if (!audio) return
  // Focus the verdict, so that the space bar pauses playback.
  current.focus({ preventScroll: true })
  seekTo(seconds)
  audio.play().catch(() => undefined)
}

/** Loads the audio again after an error. */
function reloadAudio() {
  current.classList.remove('silent')
  findAudio().load()
  playFrom(Number(current.dataset.at))
}

/** Shows all lines of the searched part. If they do not load, opens the call. */
async function showSearchedLines(link) {
  const lines = await fetchText(link.dataset.searched)
  if (!lines) return location.assign(link.href)
  const { parentElement } = link
  parentElement.previousElementSibling.outerHTML = lines
  parentElement.remove()
}

function seekTo(seconds) {
  const audio = findAudio()
  audio.currentTime = seconds
  // Before the audio is loaded, the browser keeps the position and sends no event.
  if (audio.readyState === 0) showPlayback({ target: audio })
}

function togglePlayback() {
  const audio = findAudio()
  if (audio?.paused) audio.play().catch(() => undefined)
  else audio?.pause()
}

/** Formats seconds as 4:12, or as 1:04:12 from one hour. */
function formatClock(seconds) {
  const clock = new Date(Math.floor(seconds) * 1000).toISOString().slice(11, 19)
  return clock.replace(/^00:0?|^0/, '')
}

function showPlayback({ target: audio }) {
  if (audio !== findAudio()) return
  const { currentTime, paused } = audio
  const player = findPlayer()
  const position = player.querySelector('[data-position]')
  position.value = currentTime
  position.setAttribute('aria-valuetext', formatClock(currentTime))
  player.querySelector('[data-now]').textContent = formatClock(currentTime)
  const headX = (1000 * currentTime) / Number(position.max)
  player.querySelector('[data-head]').setAttribute('transform', `translate(${headX})`)
  const button = player.querySelector('[data-play]')
  button.classList.toggle('playing', !paused)
  button.ariaLabel = paused ? button.dataset.playWord : button.dataset.pauseWord
}

/** Shows the next verdict. After the last one, shows the skipped ones again. */
async function showNext() {
  const [next] = findOpen(current)
  if (next) {
    showArticle(next)
    if (findOpen(current).length <= PRELOADED) void loadMore()
    return
  }
  // The server lists the next verdicts first after it has saved these.
  await allSent()
  await loadMore()
  const isUndone = !states.has(current)
  if (isUndone) return
  if (findOpen(current).length > 0) return showNext()
  for (const [one, state] of states) if (state === 'skipped') states.delete(one)
  const [skipped] = findOpen(current)
  if (skipped) showArticle(skipped)
  else await showEnd()
}

const countDecided = () => [...states.values()].filter((state) => state === 'decided').length

async function fetchPage(page) {
  const url = new URL(location.href)
  url.hash = ''
  url.searchParams.set('page', page)
  const text = await fetchText(url)
  return text && new DOMParser().parseFromString(text, 'text/html')
}

/** Adds verdicts that are not on the page yet. The server lists the undecided ones first. */
async function loadMore() {
  const shown = findArticles().length - countDecided()
  if (shown + countDecided() >= Number(texts.total)) return
  const loaded = await fetchPage(Math.floor(shown / Number(texts.pageSize)) + 1)
  for (const article of loaded?.querySelectorAll('[data-finding]') ?? []) {
    if (document.getElementById(article.id)) continue
    article.classList.remove('current')
    const row = loaded.querySelector(`[data-row="${article.id.slice(2)}"]`)
    row.querySelector('a').removeAttribute('aria-current')
    triage.querySelector('[data-findings]').append(article)
    triage.querySelector('[data-queue]').append(row)
  }
  showProgress()
}

/** Shows the server's summary after all decisions are saved. */
async function showEnd() {
  findAudio()?.pause()
  current.classList.remove('current')
  triage.querySelector('.queue [aria-current]')?.removeAttribute('aria-current')
  await allSent()
  const end = (await fetchPage(1))?.querySelector('[data-end]')
  if (!end || findOpen(current).length > 0) {
    current.classList.add('current')
    return
  }
  document.querySelector('[data-place]').textContent = ''
  triage.querySelector('[data-findings]').append(end)
  end.tabIndex = -1
  end.focus()
}

function showProgress() {
  const decided = countDecided()
  const left = Math.max(0, Number(texts.total) - decided)
  const parts = [texts.decided.replace('{}', numbers.format(decided)), texts.left.replace('{}', numbers.format(left))]
  triage.querySelector('[data-progress]').textContent = parts.join(', ')
  triage.querySelector('[data-key=u]')?.toggleAttribute('hidden', batches.length === 0)
  if (!confirmForm) return
  const open = findOpen(current).length
  confirmForm.hidden = open === 0
  confirmForm.querySelector('button').textContent = confirmForm.dataset.confirm.replace('{}', numbers.format(open))
}

/** Decides verdicts as one batch. Without a verdict, it confirms them. */
function decide(articles, verdict) {
  const actionId = createActionId()
  const batch = articles.map((article) => ({ ...createJob(article, verdict), actionId }))
  for (const { article } of batch) states.set(article, 'decided')
  batches.push(batch)
  showMessage()
  batch.forEach(enqueue)
  showProgress()
  void showNext()
}

/** Creates an id by which the audit log groups a batch. Browsers offer none over plain HTTP, where each verdict is an entry. */
const createActionId = () => crypto.randomUUID?.()

function createJob(article, verdict) {
  const form = article.querySelector('.decide')
  const fields = new FormData(form)
  const isHeard = article.querySelector('audio')?.played.length > 0
  if (fields.get('reason') === 'heard' && !isHeard) fields.set('reason', 'read')
  fields.set('verdict', verdict ?? fields.get('former'))
  return { article, verdict: fields.get('verdict'), url: form.action, fields }
}

function confirmOpen(event) {
  event.preventDefault()
  const open = findArticles().filter((article) => !states.has(article))
  if (open.length > 0) decide(open)
}

function skip() {
  states.set(current, 'skipped')
  setOutcome(current, texts.skipped)
  void showNext()
}

/** Undoes the last batch and shows its first verdict. */
function undo() {
  const batch = batches.pop()
  if (!batch) return
  const actionId = createActionId()
  for (const job of batch) undoJob(job, actionId)
  showArticle(batch[0].article)
}

/** Drops an unsent decision. A sent one is undone on the server, whose history keeps both. */
function undoJob(job, actionId) {
  const { article } = job
  states.delete(article)
  const index = jobs.indexOf(job)
  if (index > 0 || (index === 0 && !isSending)) {
    jobs.splice(index, 1)
    setOutcome(article, findReason(article))
    return
  }
  const url = new URL(job.url)
  url.pathname += '/undo'
  enqueue({ article, url, fields: new FormData(article.querySelector('.decide')), isUndo: true, actionId })
}

/** Decisions and undos that are not saved yet, in order. */
const jobs = []
let isSending = false
const sent = []
const allSent = () => (jobs.length === 0 ? undefined : new Promise((resolve) => sent.push(resolve)))

function enqueue(job) {
  setOutcome(job.article, texts.saving)
  jobs.push(job)
  void sendJobs()
}

async function sendJobs() {
  if (isSending) return
  isSending = true
  while (jobs.length > 0) {
    const outcome = await sendJob(jobs[0])
    if (!outcome) break
    finishJob(jobs.shift(), outcome)
  }
  isSending = false
  if (jobs.length === 0) return sent.splice(0).forEach((resolve) => resolve())
  for (const { article } of jobs) setOutcome(article, texts.notSaved, 'failed-text')
  showMessage(texts.retrying)
  setTimeout(() => void sendJobs(), RETRY_MS)
}
addEventListener('online', () => void sendJobs())
addEventListener('beforeunload', (event) => jobs.length > 0 && event.preventDefault())

/** Sends a decision. @returns undefined if it must be sent again */
async function sendJob({ article, url, fields, actionId }) {
  const known = article.querySelector('[name=known]')
  if (known) fields.set('known', known.value)
  const headers = { Accept: 'application/json', ...(actionId && { 'X-Action-Id': actionId }) }
  const body = new URLSearchParams(fields)
  try {
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' })
    if (response.status >= 500 || response.status === 429) return undefined
    return response.ok ? await response.json() : { isRejected: true }
  } catch {
    return undefined
  }
}

function finishJob(job, { text, isConflict, isRejected, known }) {
  const { article, verdict, isUndo } = job
  if (message.textContent === texts.retrying) showMessage()
  if (known !== undefined) article.querySelector('[name=known]').value = known
  if (isConflict || isRejected) {
    forgetDecision(job)
    if (isRejected) states.delete(article)
    setOutcome(article, isRejected ? texts.notSaved : text, 'failed-text')
    showMessage(isRejected ? message.dataset.rejected : text)
    return showProgress()
  }
  addToCounts(isUndo ? 1 : -1)
  setOutcome(article, isUndo ? findReason(article) : text, `${verdict ?? ''}-text`)
}

/** Removes a decision that was not saved from its batch. */
function forgetDecision(job) {
  const batch = batches.find((one) => one.includes(job))
  batch?.splice(batch.indexOf(job), 1)
  if (batch?.length === 0) batches.splice(batches.indexOf(batch), 1)
}

/** Updates the count of the tab, and the count in the menu if the tab shows critical and disputed verdicts. */
function addToCounts(change) {
  const counts = [document.querySelector('.tabs [aria-current] .state')].filter(Boolean)
  if (texts.urgent !== undefined) counts.push(document.getElementById('count-reviews'))
  for (const shown of counts.filter(Boolean)) {
    const count = Math.max(0, Number(shown.textContent.replace(/\D/g, '')) + change)
    shown.textContent = count === 0 && shown.id ? '' : numbers.format(count)
  }
}

/** Returns the Latin letter of a key, also in other keyboard layouts. */
const letterOf = ({ key, code }) => (/^[a-z]$/i.test(key) ? key : code.replace(/^Key/, '')).toLowerCase()

function handleKey(event) {
  const { target, key, ctrlKey, metaKey, altKey } = event
  if (target.closest?.('dialog')) return
  const isTyping = target.matches?.('input:not([type=range], [type=hidden]), textarea')
  const isLeaving = isTyping && (key === 'Enter' || key === 'Escape')
  if ((isTyping && !isLeaving) || target.matches?.('select') || ((ctrlKey || metaKey || altKey) && !isLeaving)) return
  const step = { ArrowLeft: -SKIP_SECONDS, ArrowRight: SKIP_SECONDS }[key]
  const control = /^[a-z]$/.test(letterOf(event)) && findControl(letterOf(event))
  if (isLeaving) current.focus({ preventScroll: true })
  else if (step && findAudio()) seekTo(Math.max(0, findAudio().currentTime + step))
  else if (key === ' ' && !target.matches?.('button, summary')) togglePlayback()
  else if (control && !event.repeat) control[control.matches('input') ? 'focus' : 'click']()
  else return
  event.preventDefault()
}

const findControl = (key) =>
  (current.matches('.current') && current.querySelector(`[data-key=${key}]`)) ||
  triage.querySelector(`aside [data-key=${key}]`)

function handleClick(event) {
  const { target } = event
  const verdict = target.closest?.('.decide [name=verdict]')
  const row = target.closest?.('[data-row]')
  const seek = target.closest?.('[data-seek]')
  const searched = target.closest?.('[data-searched]')
  if (target.closest?.('[data-play]')) return togglePlayback()
  if (target.closest?.('[data-reload]')) return reloadAudio()
  if (searched && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault()
    return void showSearchedLines(searched)
  }
  if (seek) return playFrom(Number(seek.dataset.seek))
  if (target.closest?.('[data-key=s]')) return skip()
  if (target.closest?.('[data-key=u]')) return undo()
  if (verdict || row) event.preventDefault()
  if (verdict) return states.get(current) === 'decided' && !mayChange ? undefined : decide([current], verdict.value)
  if (row) return showArticle(document.getElementById(`w-${row.dataset.row}`))
  return undefined
}

if (triage) {
  document.addEventListener('keydown', handleKey)
  triage.addEventListener('click', handleClick)
  confirmForm?.addEventListener('submit', confirmOpen)
  triage.addEventListener('input', ({ target }) => {
    if (target.matches('[data-position]')) seekTo(Number(target.value))
  })
  for (const name of ['timeupdate', 'seeking', 'play', 'pause']) triage.addEventListener(name, showPlayback, true)
  triage.addEventListener(
    'error',
    ({ target }) => target.closest('[data-finding], [data-call]')?.classList.add('silent'),
    true,
  )
  const call = triage.querySelector('[data-call]')
  if (call) prepare(call)
  for (const article of triage.querySelectorAll('[data-decided]')) states.set(article, 'decided')
  const first = findArticles().find((article) => !states.has(article)) ?? findArticles()[0]
  const named = location.hash && document.getElementById(location.hash.slice(1))
  showArticle(named && findArticles().includes(named) ? named : first)
}
