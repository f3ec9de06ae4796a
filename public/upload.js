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
  for (const file of files) add(file)
  input.value = ''
  fault('')
}

function fault(text) {
  const place = document.querySelector('[data-fault]')
  place.textContent = text
  place.hidden = !text
}

function fields(more) {
  const data = new FormData(form)
  data.delete('file')
  data.delete('links')
  for (const [name, value, fileName] of more) data.append(name, value, ...(fileName ? [fileName] : []))
  return data
}

/** Posts a form like this one; answers the rows of its answer, or nothing where there is no answer of ours. */
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
  const { status, rows } = await post(fields([['file', item.file, item.file.name]]), (part) => {
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
  if (links.length + waiting.length === 0) return fault(document.querySelector('[data-summary]').dataset.nothing)
  fault('')
  for (const item of waiting) item.state = 'waiting'
  all = items.length + links.length
  done = items.filter(({ state }) => state === 'done').length
  tell()
  start()
  if (links.length > 0) void sendLinks(links)
})

input.addEventListener('change', () => choose(input.files))

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
