// Writes comments on a call: M opens the form at the current moment, @ offers people, Ctrl Enter saves. The text of an unsaved
// comment stays in the tab. transcript.js shows comments in the transcript.

const FIELD_SELECTOR = 'input:not([type=range], [type=checkbox], [type=radio]), select, textarea, [contenteditable]'

const findElement = (selector) => document.querySelector(selector)
const findForm = () => findElement('#comment-form form')
const findTextField = () => document.getElementById('comment-text')

/** Returns the playback position in seconds, rounded down to a tenth. Without audio, returns the start of the first visible row. */
function findMoment() {
  const audio = document.getElementById('sound')
  if (audio) return Math.floor(audio.currentTime * 10) / 10
  const rows = [...document.querySelectorAll('.lines [data-start]')]
  return Number(rows.find((row) => row.getBoundingClientRect().bottom > 0)?.dataset.start ?? 0)
}

/** Opens the form of an address, such as /recordings/1?reply=2. */
function openForm(address) {
  const url = new URL(address, location.href)
  const part = `${url.pathname}/comment-form${url.search}`
  void htmx.ajax('GET', part, { target: '#comment-form', swap: 'outerHTML' })
}
function openLink(link) {
  const url = new URL(link.href)
  if (url.searchParams.has('write')) url.searchParams.set('write', findMoment())
  openForm(url.href)
}
function closeForm() {
  if (!findForm()) return
  forgetDraft(findForm())
  document.getElementById('comment-form').replaceChildren()
  findElement('[data-write-comment]')?.focus()
}

document.addEventListener('click', (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return
  const link = event.target.closest?.('[data-comment-form]')
  const close = event.target.closest?.('[data-close-comment]')
  const option = event.target.closest?.('#mention-options li')
  if (link || close) event.preventDefault()
  if (link) openLink(link)
  if (close) closeForm()
  if (option) chooseOption(option)
})

document.addEventListener('keydown', (event) => {
  const { target, key, ctrlKey, metaKey, altKey } = event
  const link = findElement('[data-write-comment]')
  if (key !== 'm' || !link || ctrlKey || metaKey || altKey || target.closest?.(FIELD_SELECTOR)) return
  event.preventDefault()
  if (findForm()) findTextField().focus()
  else openLink(link)
})

/** Keys of the form come first: the list of people takes arrows, Enter and Escape. */
document.addEventListener(
  'keydown',
  (event) => {
    const form = event.target.closest?.('#comment-form form')
    if (!form || event.isComposing) return
    const isHandled =
      moveInOptions(event.key) ||
      sendForm(event, form) ||
      (event.key === 'Escape' && !hasText(form) && closeEmptyForm())
    if (!isHandled) return
    event.preventDefault()
    event.stopPropagation()
  },
  true,
)
const hasText = (form) => form.elements.text.value.trim() !== ''
function closeEmptyForm() {
  closeForm()
  return true
}
function sendForm({ key, ctrlKey, metaKey, repeat }, form) {
  if (key !== 'Enter' || !(ctrlKey || metaKey)) return false
  if (!repeat) form.requestSubmit()
  return true
}

/** The people that the comment can mention, with their check boxes. */
const listPeople = (form) =>
  [...form.querySelectorAll('[name=mentions]')].map((box) => ({
    box,
    name: box.parentElement.querySelector('bdi').textContent,
  }))

/** Finds the name that is being typed after an @ before the cursor. */
function findTypedName({ value, selectionStart }) {
  const before = value.slice(0, selectionStart)
  const at = before.lastIndexOf('@')
  if (at < 0 || /[\p{L}\p{N}]/u.test(before.charAt(at - 1))) return undefined
  return { at, text: before.slice(at + 1).toLowerCase() }
}

const MAX_OPTIONS = 6
function showOptions(form) {
  const list = document.getElementById('mention-options')
  const typed = findTypedName(form.elements.text)
  const isComplete = ({ name }) => `${name.toLowerCase()} ` === typed.text
  const people = typed ? listPeople(form) : []
  const found = people.some(isComplete)
    ? []
    : people.filter(({ name }) => ` ${name.toLowerCase()}`.includes(` ${typed.text}`)).slice(0, MAX_OPTIONS)
  list.replaceChildren(...found.map(createOption))
  list.hidden = found.length === 0
  selectOption(list.firstElementChild)
}
function createOption({ box, name }, index) {
  const option = document.createElement('li')
  option.role = 'option'
  option.id = `mention-${index}`
  option.textContent = name
  option.dataset.person = box.value
  return option
}
function selectOption(option) {
  for (const one of document.querySelectorAll('#mention-options li')) one.ariaSelected = String(one === option)
  findTextField().setAttribute('aria-activedescendant', option?.id ?? '')
  option?.scrollIntoView({ block: 'nearest' })
}
function hideOptions() {
  document.getElementById('mention-options').hidden = true
  findTextField().removeAttribute('aria-activedescendant')
}

/** Handles a key of the open list of people. @returns false if the list is closed or does not use the key */
function moveInOptions(key) {
  const list = document.getElementById('mention-options')
  if (list.hidden) return false
  const selected = list.querySelector('[aria-selected=true]')
  if (key === 'ArrowDown') selectOption(selected.nextElementSibling ?? list.firstElementChild)
  else if (key === 'ArrowUp') selectOption(selected.previousElementSibling ?? list.lastElementChild)
  else if (key === 'Enter' || key === 'Tab') chooseOption(selected)
  else if (key === 'Escape') hideOptions()
  else return false
  return true
}

/** Completes the typed name and mentions the person. */
function chooseOption({ dataset, textContent }) {
  const form = findForm()
  const field = findTextField()
  const typed = findTypedName(field)
  // The cursor can leave the name while the list is open.
  if (!typed) return hideOptions()
  field.setRangeText(`@${textContent} `, typed.at, field.selectionStart, 'end')
  field.focus()
  hideOptions()
  listPeople(form).find(({ box }) => box.value === dataset.person).box.checked = true
  followText(form)
}

/** Lists the names that follow an @ in the text. Of names that begin alike, the longest one counts. */
function listMentionedNames(form) {
  const text = form.elements.text.value
  const names = listPeople(form).map(({ name }) => name)
  const longestFirst = names.sort((a, b) => b.length - a.length)
  const places = [...text.matchAll(/@/g)].map(({ index }) => index + 1)
  return new Set(places.map((place) => longestFirst.find((name) => text.startsWith(name, place))))
}

/** Names that come into the text or leave it change their check boxes. If two people share a name, only the list chooses one. */
let mentionedNames = new Set()
function followText(form) {
  const names = listMentionedNames(form)
  const people = listPeople(form)
  for (const { box, name } of people) {
    const isUnique = people.filter((one) => one.name === name).length === 1
    if (names.has(name) && !mentionedNames.has(name) && isUnique) box.checked = true
    if (!names.has(name) && mentionedNames.has(name)) box.checked = false
  }
  mentionedNames = names
  storeDraft(form)
}

document.addEventListener('input', ({ target }) => {
  const form = target.closest?.('#comment-form form')
  if (!form) return
  followText(form)
  if (target === findTextField()) showOptions(form)
})

/** Unsaved texts in the storage of the tab, by form. */
const DRAFT_PREFIX = `comment ${location.pathname} `
const draftKey = ({ dataset }) => DRAFT_PREFIX + dataset.draft
/** The key of the form that is open, or that was sent last. */
let openKey

function storeDraft(form) {
  const { text, at } = form.elements
  if (!hasText(form)) {
    forgetDraft(form)
    return
  }
  const mentions = new FormData(form).getAll('mentions')
  const draft = { address: form.dataset.openedBy, text: text.value, at: at?.value, mentions }
  useStorage((storage) => storage.setItem(draftKey(form), JSON.stringify(draft)))
}
function forgetDraft(form) {
  useStorage((storage) => storage.removeItem(draftKey(form)))
}
function useStorage(use) {
  try {
    return use(sessionStorage)
  } catch {
    // Without storage, a reload loses the text.
    return null
  }
}

function takeDraft(key) {
  const draft = useStorage((storage) => storage.getItem(key))
  useStorage((storage) => storage.removeItem(key))
  return draft ? JSON.parse(draft) : undefined
}

/** The key of the draft whose form is being fetched. */
let reopeningKey
/** Drafts whose forms could not be fetched stay in the storage until the person opens the form. */
const failedKeys = new Set()
/** Opens the form of an unsaved text again. */
function reopenDraft() {
  const keys = useStorage((storage) => Object.keys(storage)) ?? []
  const key = keys.find((one) => one.startsWith(DRAFT_PREFIX) && !failedKeys.has(one))
  if (!key || !document.getElementById('comment-form')) return
  reopeningKey = key
  openForm(JSON.parse(sessionStorage.getItem(key)).address)
}
function stopReopening() {
  if (reopeningKey) failedKeys.add(reopeningKey)
  reopeningKey = undefined
}
document.addEventListener('htmx:error', stopReopening)
document.addEventListener('htmx:response:error', stopReopening)

/** Fills a new form with its unsaved text. */
function prepareForm(form) {
  openKey = draftKey(form)
  const draft = takeDraft(openKey)
  mentionedNames = listMentionedNames(form)
  if (draft) {
    form.elements.text.value = draft.text
    if (draft.at !== undefined && form.elements.at) form.elements.at.value = draft.at
    for (const { box } of listPeople(form)) box.checked = draft.mentions.includes(box.value)
    mentionedNames = listMentionedNames(form)
    storeDraft(form)
  }
  if (openKey !== reopeningKey) focusForm(form)
  reopeningKey = undefined
}
function focusForm(form) {
  const field = form.querySelector('[aria-invalid=true]') ?? form.elements.text
  field.focus()
  field.setSelectionRange(field.value.length, field.value.length)
}

/** After saving, shows the comment in the transcript and reports it to screen readers. */
function finishSaving(place) {
  const { saved, row, said } = place.dataset
  delete place.dataset.saved
  if (openKey) useStorage((storage) => storage.removeItem(openKey))
  findElement('[data-said]').textContent = said
  document.getElementById('content').focus({ preventScroll: true })
  document.dispatchEvent(new CustomEvent('panel:show-comment', { detail: { comment: saved, row } }))
}

let preparedForm
function followPage() {
  const place = document.getElementById('comment-form')
  if (place?.dataset.saved) finishSaving(place)
  const form = findForm()
  if (form && form !== preparedForm) prepareForm(form)
  if (!form && !reopeningKey) reopenDraft()
  preparedForm = form
}
document.addEventListener('htmx:after:swap', followPage)

/** A failed request leaves the form as it is. */
function showNotSaved({ target }) {
  const message = target.closest?.('#comment-form')?.querySelector('#comment-not-saved')
  if (!message) return
  message.textContent = message.dataset.notSaved
  message.hidden = false
}
document.addEventListener('htmx:error', showNotSaved)
document.addEventListener('htmx:response:error', showNotSaved)

followPage()
