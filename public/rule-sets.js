// Shows phrases as chips instead of lines. The hidden text area with the lines is still sent. Without scripts, it is visible.

const parseLines = ({ value }) =>
  value
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/** Stores the lines and sends an input event, as if a person had typed them. */
function writeLines(area, lines) {
  area.value = lines.join('\n')
  area.dispatchEvent(new Event('input', { bubbles: true }))
}

function createChip(area, phrase, drawChips) {
  const chip = document.createElement('li')
  const text = document.createElement('span')
  text.textContent = phrase
  const remove = document.createElement('button')
  remove.type = 'button'
  remove.textContent = '×'
  remove.setAttribute('aria-label', `${area.dataset.remove}: ${phrase}`)
  remove.addEventListener('click', () => {
    writeLines(
      area,
      parseLines(area).filter((line) => line !== phrase),
    )
    drawChips()
    area.chips.field.focus()
  })
  chip.append(text, remove)
  return chip
}

/** Replaces the lines by chips and a field for further phrases. */
function addChips(area) {
  if (area.chips?.box.isConnected) return
  const box = document.createElement('div')
  const list = document.createElement('ul')
  const field = document.createElement('input')
  box.className = 'chips-edit'
  field.type = 'text'
  field.id = area.id
  field.autocomplete = 'off'
  field.placeholder = area.dataset.add
  field.setAttribute('form', '')
  for (const name of ['aria-describedby', 'aria-invalid', 'lang'])
    if (area.hasAttribute(name)) field.setAttribute(name, area.getAttribute(name))
  box.append(list, field)
  area.chips = { box, field }
  area.removeAttribute('id')
  area.hidden = true
  area.after(box)
  const drawChips = () => list.replaceChildren(...parseLines(area).map((phrase) => createChip(area, phrase, drawChips)))
  const addPhrases = (text = field.value) => {
    const phrases = parseLines({ value: text })
    field.value = ''
    if (phrases.length === 0) return
    writeLines(area, [...new Set([...parseLines(area), ...phrases])])
    drawChips()
    box.scrollTop = box.scrollHeight
  }
  field.addEventListener('input', (event) => event.stopPropagation())
  field.addEventListener('blur', () => addPhrases())
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.isComposing) {
      event.preventDefault()
      addPhrases()
    } else if (event.key === 'Backspace' && field.value === '') {
      const lines = parseLines(area)
      const last = lines.pop()
      if (last === undefined) return
      event.preventDefault()
      writeLines(area, lines)
      drawChips()
      field.value = last
    }
  })
  field.addEventListener('paste', (event) => {
    const text = event.clipboardData.getData('text')
    if (!text.includes('\n')) return
    event.preventDefault()
    addPhrases(`${field.value}${text}`)
  })
  drawChips()
}

function addAllChips() {
  for (const area of document.querySelectorAll('textarea[data-phrases]')) addChips(area)
}
addAllChips()
document.addEventListener('htmx:after:swap', addAllChips)

/** Adds the text that is still in the field when the form is sent. */
document.addEventListener(
  'submit',
  ({ target }) => {
    for (const { chips } of target.querySelectorAll('textarea[data-phrases]'))
      chips?.field.dispatchEvent(new Event('blur'))
  },
  true,
)

/** A changed kind of rule loads its fields. Without scripts, a button does. */
document.addEventListener('change', ({ target }) => {
  if (target.matches('select[data-fields]')) target.form.requestSubmit(document.getElementById('show-fields'))
})

/** A preview that was requested before the trial with the model must not replace the result of the trial. */
document.addEventListener('htmx:before:swap', (event) => {
  const { sourceElement, request } = event.detail.ctx
  const questionField = document.querySelector('#trial [name=asked]')
  const isPreview = sourceElement.getAttribute('hx-target') === '#trial'
  if (isPreview && questionField && request.body?.get('asked') !== questionField.value) event.preventDefault()
})
