// Uploads each file by itself, with its progress, and shows what came of it; links go in a request of their own. The
// answers are those that the form gets without scripts.

const form = document.getElementById('upload')
const input = document.getElementById('file')
const list = document.getElementById('files')
const say = list.dataset
const AT_ONCE = 2

function size(bytes) {
  const [unit, one, digits] = bytes < 1e3 ? ['byte', 1, 0] : bytes < 1e6 ? ['kilobyte', 1e3, 0] : ['megabyte', 1e6, 1]
  const unitDisplay = unit === 'byte' ? 'long' : 'short'
  const options = { style: 'unit', unit, unitDisplay, maximumFractionDigits: digits }
  return new Intl.NumberFormat(document.documentElement.lang, options).format(bytes / one)
}

/** What stands in the list: a file or the links, its row, and where it is: waiting, running, done, failed. */
let items = []
let done = 0
let all = 0

function element(name, className, text = '') {
  const made = document.createElement(name)
  made.className = className
  made.textContent = text
  return made
}

function button(text, act) {
  const made = element('button', 'link', text)
  made.type = 'button'
  made.addEventListener('click', act)
  return made
}

function add(file) {
  const item = { file, state: 'waiting', row: element('li', 'waiting') }
  const name = element('bdi', 'name', file.name)
  item.progress = document.createElement('progress')
  item.progress.setAttribute('aria-label', file.name)
  item.progress.hidden = true
  item.why = element('span', 'why muted', say.waiting)
  item.buttons = element('span', 'buttons')
  item.again = button(say.again, () => again(item))
  item.again.hidden = true
  item.buttons.append(
    item.again,
    button(say.remove, () => remove(item)),
  )
  item.row.append(name, element('span', 'size muted', size(file.size)), item.progress, item.why, item.buttons)
  items.push(item)
  list.append(item.row)
}

/** Asks what the names of files tell, and puts their fields into the rows; a file without them goes with those for all. */
async function readNames(chosen) {
  const names = new URLSearchParams(chosen.map(({ file }) => ['name', file.name]))
  const answer = await fetch('/upload/names', { method: 'POST', body: names, headers: { 'HX-Request': 'true' } })
  if (!answer.ok) return
  const read = document.createElement('template')
  read.innerHTML = await answer.text()
  for (const [n, row] of [...read.content.querySelectorAll('li')].entries()) {
    const item = chosen[n]
    item.own = row.firstElementChild
    // The form's own fields are those for all files: these are sent with their file alone.
    for (const control of item.own.querySelectorAll('input, select')) {
      control.dataset.field = control.name
      control.removeAttribute('name')
      control.id = `${control.id}-${(made += 1)}`
      control.closest('.field').querySelector('label').htmlFor = control.id
    }
    item.row.append(item.own)
    showRead(item.own)
  }
}
let made = 0

const ownFields = (own) => [...(own?.querySelectorAll('[data-field]') ?? [])].filter(({ value }) => value !== '')

/** Shows in one line what the fields of a file say. */
function showRead(own) {
  const said = ownFields(own).map((one) => (one.matches('select') ? one.selectedOptions[0].text : one.value))
  const line = own.querySelector('[data-read]')
  line.textContent = said.join(' · ') || line.dataset.nothing
  own.querySelector('[data-doubts]').textContent = ownFields(own).map(doubtOf).filter(Boolean).join(' ')
}

const fold = (name) => name.trim().replace(/\s+/g, ' ').toLowerCase().replaceAll('ё', 'е')

/** What is accepted and may be meant otherwise: a manager whom nobody knows, a phone that is none. The rules are the server's. */
function doubtOf(control) {
  const { value } = control
  const field = control.dataset.field ?? control.name
  const managers = document.querySelectorAll('#managers option')
  if (!value) return ''
  if (field === 'managerName' && ![...managers].some((one) => fold(one.value) === fold(value)))
    return say.noManager.replace('%1', value)
  const isPhone =
    /^[+\d\s().,;/#*-]+(?:\s*(?:x|ext\.?|доб\.?)\s*\d+)?$/i.test(value) && value.replace(/\D/g, '').length > 2
  return field === 'phoneNumber' && !isPhone ? say.noPhone.replace('%1', value) : ''
}

/** Doubts about the fields for all stand beside them, as hints do. */
function showDoubt(control) {
  const field = control.closest('.field')
  const doubt = doubtOf(control)
  const line = field.querySelector('.doubt') ?? element('p', 'doubt')
  line.role = 'status'
  if (line.textContent !== doubt) line.textContent = doubt
  if (!line.isConnected) field.append(line)
}
form.addEventListener('change', ({ target }) => {
  const own = target.closest('.of-file')
  if (own) showRead(own)
  else if (['managerName', 'phoneNumber'].includes(target.name)) showDoubt(target)
})

function remove(item) {
  items = items.filter((other) => other !== item)
  item.row.remove()
  if (item.state !== 'failed') return
  all--
  tell()
}

function again(item) {
  item.state = 'waiting'
  start()
}

/** Files that were chosen or dropped wait in the list; the field is free for more. */
function choose(files) {
  const before = items.length
  for (const file of files) add(file)
  const chosen = items.slice(before)
  const reading = readNames(chosen).catch(() => undefined)
  for (const item of chosen) item.reading = reading
  input.value = ''
  showError('')
}

function showError(text) {
  const line = document.querySelector('[data-error]')
  line.textContent = text
  line.hidden = !text
}

function fields(more, own) {
  const data = new FormData(form)
  data.delete('file')
  data.delete('links')
  if (own) data.set('looked', 'true')
  for (const { dataset, value } of ownFields(own)) data.set(dataset.field, value)
  for (const [name, value, fileName] of more) data.append(name, value, ...(fileName ? [fileName] : []))
  return data
}

/** Posts a form like this one; returns the rows of its answer, or nothing where there is no answer of ours. */
function post(data, onProgress) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest()
    request.open('POST', form.action)
    request.setRequestHeader('HX-Request', 'true')
    request.setRequestHeader('HX-Current-URL', location.href)
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total))
    request.addEventListener('loadend', () => {
      const login = request.getResponseHeader('HX-Redirect')
      if (login) location.assign(login)
      const answer = document.createElement('template')
      answer.innerHTML = request.responseText
      resolve({ status: request.status, rows: [...answer.content.querySelectorAll('li')] })
    })
    request.send(data)
  })
}

function start() {
  const running = items.filter(({ state }) => state === 'running').length
  for (const item of items.filter(({ state }) => state === 'waiting').slice(0, AT_ONCE - running)) void upload(item)
}

async function upload(item) {
  item.state = 'running'
  item.row.className = 'running'
  item.buttons.hidden = true
  item.progress.hidden = false
  await item.reading
  if (item.own) item.own.hidden = true
  const { status, rows } = await post(fields([['file', item.file, item.file.name]], item.own), (part) => {
    item.progress.value = part
    item.why.textContent = part < 1 ? `${Math.floor(part * 100)} %` : say.storing
  })
  item.progress.hidden = true
  if (rows.length > 0) settle(item, rows[0])
  else fail(item, status === 0 || status === 408 ? say.lost : say.refused)
  tell()
  start()
}

/** What the server says of it takes the row's place; a failed one can be tried again or removed. */
function settle(item, row) {
  const failed = row.classList.contains('failed')
  const mended = showErrors(row)
  item.row.replaceWith(row)
  item.row = row
  item.why = row.querySelector('.why')
  item.state = failed ? 'failed' : 'done'
  if (!failed) done++
  if (!failed) return
  row.append(item.progress, item.buttons)
  offer(item)
  // What is wrong with the fields is wrong for every file: the others wait until it is mended.
  if (!mended) for (const other of items) if (other.state === 'waiting') fail(other, say.stopped)
}

function fail(item, why) {
  item.state = 'failed'
  item.row.className = 'failed'
  item.why.textContent = why
  item.why.className = 'why'
  offer(item)
}

/** What failed can be tried again, or left. */
function offer(item) {
  if (item.own) {
    item.own.hidden = false
    item.row.append(item.own)
  }
  item.again.hidden = false
  item.buttons.hidden = false
}

/** Puts what is wrong with the fields beside them. @returns whether nothing is */
function showErrors(row) {
  for (const old of form.querySelectorAll('.field .error')) old.remove()
  for (const control of form.querySelectorAll('[aria-invalid]')) control.removeAttribute('aria-invalid')
  const errors = [...row.querySelectorAll('data')]
  for (const { value, textContent } of errors) {
    const control = form.elements.namedItem(value)
    const error = element('p', 'error', textContent)
    error.id = `${control.id}-error`
    control.setAttribute('aria-invalid', 'true')
    control.setAttribute('aria-describedby', error.id)
    control.closest('.field').append(error)
  }
  return errors.length === 0
}

function tell() {
  const summary = document.querySelector('[data-summary]')
  summary.textContent = all > 0 ? summary.dataset.done.replace('%1', done).replace('%2', all) : ''
}

/** Links are one request: the service downloads them within it. */
async function sendLinks(links) {
  const row = element('li', 'running', links.length === 1 ? links[0] : `${links[0]} …`)
  row.append(element('span', 'why muted', say.storing))
  list.append(row)
  const { rows } = await post(fields([['links', links.join('\n')]]), () => undefined)
  for (const answer of rows) {
    showErrors(answer)
    if (!answer.classList.contains('failed')) done++
  }
  row.replaceWith(...(rows.length > 0 ? rows : [element('li', 'failed', say.refused)]))
  const left = rows
    .filter((answer) => answer.classList.contains('failed'))
    .map((answer) => answer.querySelector('.name'))
  form.elements.links.value = left.map(({ textContent }) => textContent).join('\n')
  tell()
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  const links = form.elements.links.value.split(/\s+/).filter(Boolean)
  const waiting = items.filter(({ state }) => state === 'waiting' || state === 'failed')
  if (links.length + waiting.length === 0) return showError(document.querySelector('[data-summary]').dataset.nothing)
  showError('')
  for (const item of waiting) item.state = 'waiting'
  all = items.length + links.length
  done = items.filter(({ state }) => state === 'done').length
  tell()
  start()
  if (links.length > 0) void sendLinks(links)
})

input.addEventListener('change', () => choose(input.files))
if (input.files.length > 0) choose(input.files) // whoever was quicker than this script

const drop = document.querySelector('[data-drop]')
document.querySelector('[data-drop-hint]').hidden = false
const over = (event) => {
  if (!event.dataTransfer?.types.includes('Files')) return
  event.preventDefault()
  drop.classList.toggle('over', event.type === 'dragover')
  if (event.type === 'drop') choose(event.dataTransfer.files)
}
for (const name of ['dragover', 'dragleave', 'drop']) document.addEventListener(name, over)

addEventListener('beforeunload', (event) => {
  if (items.some(({ state }) => state === 'running')) event.preventDefault()
})
