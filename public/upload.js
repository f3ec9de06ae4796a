// Uploads each file in its own request and shows its progress and outcome. All links are one request. The server sends the
// same result rows without scripts.

const form = document.getElementById('upload')
const input = document.getElementById('file')
const list = document.getElementById('files')
const texts = list.dataset
const MAX_PARALLEL_UPLOADS = 2

function formatSize(bytes) {
  const [unit, one, digits] = bytes < 1e3 ? ['byte', 1, 0] : bytes < 1e6 ? ['kilobyte', 1e3, 0] : ['megabyte', 1e6, 1]
  const unitDisplay = unit === 'byte' ? 'long' : 'short'
  const options = { style: 'unit', unit, unitDisplay, maximumFractionDigits: digits }
  return new Intl.NumberFormat(document.documentElement.lang, options).format(bytes / one)
}

/** The chosen files with their rows. `state` is waiting, running, done or failed. */
let items = []
let doneCount = 0
let totalCount = 0

function createElement(name, className, text = '') {
  const made = document.createElement(name)
  made.className = className
  made.textContent = text
  return made
}

function createButton(text, act) {
  const made = createElement('button', 'link', text)
  made.type = 'button'
  made.addEventListener('click', act)
  return made
}

function addFile(file) {
  const item = { file, state: 'waiting', row: createElement('li', 'waiting') }
  const name = createElement('bdi', 'name', file.name)
  item.progress = document.createElement('progress')
  item.progress.setAttribute('aria-label', file.name)
  item.progress.hidden = true
  item.why = createElement('span', 'why muted', texts.waiting)
  item.buttons = createElement('span', 'buttons')
  item.again = createButton(texts.again, () => retryItem(item))
  item.again.hidden = true
  item.buttons.append(
    item.again,
    createButton(texts.remove, () => removeItem(item)),
  )
  item.row.append(
    name,
    createElement('span', 'size muted', formatSize(file.size)),
    item.progress,
    item.why,
    item.buttons,
  )
  items.push(item)
  list.append(item.row)
}

/** Fetches the fields that the server reads from file names, and adds them to the rows. Without them, only the common fields are sent. */
async function fetchFileFields(chosen) {
  const names = new URLSearchParams(chosen.map(({ file }) => ['name', file.name]))
  const answer = await fetch('/upload/names', { method: 'POST', body: names, headers: { 'HX-Request': 'true' } })
  if (!answer.ok) return
  const template = document.createElement('template')
  template.innerHTML = await answer.text()
  for (const [n, row] of [...template.content.querySelectorAll('li')].entries()) {
    const item = chosen[n]
    item.own = row.firstElementChild
    // Without a name, these fields are sent only with their file. The named fields of the form apply to all files.
    for (const control of item.own.querySelectorAll('input, select')) {
      control.dataset.field = control.name
      control.removeAttribute('name')
      control.id = `${control.id}-${(made += 1)}`
      control.closest('.field').querySelector('label').htmlFor = control.id
    }
    item.row.append(item.own)
    showFileFields(item.own)
  }
}
let made = 0

const listFilledFields = (own) => [...(own?.querySelectorAll('[data-field]') ?? [])].filter(({ value }) => value !== '')

/** Shows the values of a file in one line, and the warnings about them in another. */
function showFileFields(own) {
  const fieldTexts = listFilledFields(own).map((one) =>
    one.matches('select') ? one.selectedOptions[0].text : one.value,
  )
  const line = own.querySelector('[data-read]')
  line.textContent = fieldTexts.join(' · ') || line.dataset.nothing
  own.querySelector('[data-doubts]').textContent = listFilledFields(own).map(formatDoubt).filter(Boolean).join(' ')
}

const foldName = (name) => name.trim().replace(/\s+/g, ' ').toLowerCase().replaceAll('ё', 'е')

/** Formats a warning about a value that is accepted but probably wrong: an unknown manager or no phone number. Same rules as the server. */
function formatDoubt(control) {
  const { value } = control
  const field = control.dataset.field ?? control.name
  const managers = document.querySelectorAll('#managers option')
  if (!value) return ''
  if (field === 'managerName' && ![...managers].some((one) => foldName(one.value) === foldName(value)))
    return texts.noManager.replace('%1', value)
  const isPhone =
    /^[+\d\s().,;/#*-]+(?:\s*(?:x|ext\.?|доб\.?)\s*\d+)?$/i.test(value) && value.replace(/\D/g, '').length > 2
  return field === 'phoneNumber' && !isPhone ? texts.noPhone.replace('%1', value) : ''
}

/** Shows the warning of a common field beside it. */
function showFieldDoubt(control) {
  const field = control.closest('.field')
  const doubt = formatDoubt(control)
  const line = field.querySelector('.doubt') ?? createElement('p', 'doubt')
  line.role = 'status'
  if (line.textContent !== doubt) line.textContent = doubt
  if (!line.isConnected) field.append(line)
}
form.addEventListener('change', ({ target }) => {
  const own = target.closest('.of-file')
  if (own) showFileFields(own)
  else if (['managerName', 'phoneNumber'].includes(target.name)) showFieldDoubt(target)
})

function removeItem(item) {
  items = items.filter((other) => other !== item)
  item.row.remove()
  if (item.state !== 'failed') return
  totalCount--
  updateSummary()
}

function retryItem(item) {
  item.state = 'waiting'
  startUploads()
}

/** Adds chosen or dropped files to the list and clears the field for further files. */
function addFiles(files) {
  const before = items.length
  for (const file of files) addFile(file)
  const chosen = items.slice(before)
  const reading = fetchFileFields(chosen).catch(() => undefined)
  for (const item of chosen) item.reading = reading
  input.value = ''
  showError('')
}

function showError(text) {
  const line = document.querySelector('[data-error]')
  line.textContent = text
  line.hidden = !text
}

function collectFields(more, own) {
  const data = new FormData(form)
  data.delete('file')
  data.delete('links')
  if (own) data.set('looked', 'true')
  for (const { dataset, value } of listFilledFields(own)) data.set(dataset.field, value)
  for (const [name, value, fileName] of more) data.append(name, value, ...(fileName ? [fileName] : []))
  return data
}

/** Posts the form. @returns the status and the result rows; no rows if the response is not from the panel */
function postForm(data, onProgress) {
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

function startUploads() {
  const running = items.filter(({ state }) => state === 'running').length
  for (const item of items.filter(({ state }) => state === 'waiting').slice(0, MAX_PARALLEL_UPLOADS - running))
    void uploadItem(item)
}

async function uploadItem(item) {
  item.state = 'running'
  item.row.className = 'running'
  item.buttons.hidden = true
  item.progress.hidden = false
  await item.reading
  if (item.own) item.own.hidden = true
  const { status, rows } = await postForm(collectFields([['file', item.file, item.file.name]], item.own), (part) => {
    item.progress.value = part
    item.why.textContent = part < 1 ? `${Math.floor(part * 100)} %` : texts.storing
  })
  item.progress.hidden = true
  if (rows.length > 0) showResult(item, rows[0])
  else showFailure(item, status === 0 || status === 408 ? texts.lost : texts.refused)
  updateSummary()
  startUploads()
}

/** Replaces the row of a file by the server's row. A failed file can be retried or removed. */
function showResult(item, row) {
  const failed = row.classList.contains('failed')
  const areFieldsValid = showErrors(row)
  item.row.replaceWith(row)
  item.row = row
  item.why = row.querySelector('.why')
  item.state = failed ? 'failed' : 'done'
  if (!failed) doneCount++
  if (!failed) return
  row.append(item.progress, item.buttons)
  offerRetry(item)
  // Invalid common fields concern every file, so the waiting files stop until the fields are corrected.
  if (!areFieldsValid) for (const other of items) if (other.state === 'waiting') showFailure(other, texts.stopped)
}

function showFailure(item, reason) {
  item.state = 'failed'
  item.row.className = 'failed'
  item.why.textContent = reason
  item.why.className = 'why'
  offerRetry(item)
}

/** Shows the buttons Retry and Remove, and the file's own fields. */
function offerRetry(item) {
  if (item.own) {
    item.own.hidden = false
    item.row.append(item.own)
  }
  item.again.hidden = false
  item.buttons.hidden = false
}

/** Shows the errors of a result row beside the fields. @returns true if there are none */
function showErrors(row) {
  for (const previousError of form.querySelectorAll('.field .error')) previousError.remove()
  for (const control of form.querySelectorAll('[aria-invalid]')) control.removeAttribute('aria-invalid')
  const errors = [...row.querySelectorAll('data')]
  for (const { value, textContent } of errors) {
    const control = form.elements.namedItem(value)
    const error = createElement('p', 'error', textContent)
    error.id = `${control.id}-error`
    control.setAttribute('aria-invalid', 'true')
    control.setAttribute('aria-describedby', error.id)
    control.closest('.field').append(error)
  }
  return errors.length === 0
}

function updateSummary() {
  const summary = document.querySelector('[data-summary]')
  summary.textContent = totalCount > 0 ? summary.dataset.done.replace('%1', doneCount).replace('%2', totalCount) : ''
}

/** Sends all links in one request, in which the service downloads them. Failed links return to the field. */
async function sendLinks(links) {
  const row = createElement('li', 'running', links.length === 1 ? links[0] : `${links[0]} …`)
  row.append(createElement('span', 'why muted', texts.storing))
  list.append(row)
  const { rows } = await postForm(collectFields([['links', links.join('\n')]]), () => undefined)
  for (const answer of rows) {
    showErrors(answer)
    if (!answer.classList.contains('failed')) doneCount++
  }
  row.replaceWith(...(rows.length > 0 ? rows : [createElement('li', 'failed', texts.refused)]))
  const left = rows
    .filter((answer) => answer.classList.contains('failed'))
    .map((answer) => answer.querySelector('.name'))
  form.elements.links.value = left.map(({ textContent }) => textContent).join('\n')
  updateSummary()
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  const links = form.elements.links.value.split(/\s+/).filter(Boolean)
  const waiting = items.filter(({ state }) => state === 'waiting' || state === 'failed')
  if (links.length + waiting.length === 0) return showError(document.querySelector('[data-summary]').dataset.nothing)
  showError('')
  for (const item of waiting) item.state = 'waiting'
  totalCount = items.length + links.length
  doneCount = items.filter(({ state }) => state === 'done').length
  updateSummary()
  startUploads()
  if (links.length > 0) void sendLinks(links)
})

input.addEventListener('change', () => addFiles(input.files))
if (input.files.length > 0) addFiles(input.files) // Files can be chosen before this script runs.

const dropZone = document.querySelector('[data-drop]')
const handleDrag = (event) => {
  if (!event.dataTransfer?.types.includes('Files')) return
  event.preventDefault()
  dropZone.classList.toggle('over', event.type === 'dragover')
  if (event.type === 'drop') addFiles(event.dataTransfer.files)
}
for (const name of ['dragover', 'dragleave', 'drop']) document.addEventListener(name, handleDrag)

addEventListener('beforeunload', (event) => {
  if (items.some(({ state }) => state === 'running')) event.preventDefault()
})
