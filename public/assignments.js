// Assigning calls and marking them as heard. A opens the form of the current row, H marks the current call as heard.

/** Finds an element of the row with the focus, otherwise of the playing row. */
const findInCurrentRow = (selector) =>
  document.activeElement?.closest('li, tr')?.querySelector(selector) ??
  document.querySelector(`[aria-current] ${selector}`)

const findFormMenu = () => findInCurrentRow('[data-assign]') ?? document.querySelector('[data-assign]')

/** Finds the button of the chosen call: that of the current row, or the only one on the page of a call. */
function findHeardButton() {
  const ofCall = document.querySelectorAll('.assignment button[data-heard]')
  return findInCurrentRow('button[data-heard]') ?? (ofCall.length === 1 ? ofCall[0] : undefined)
}

document.addEventListener('keydown', (event) => {
  const { target, key, ctrlKey, metaKey, altKey, repeat } = event
  if (ctrlKey || metaKey || altKey || repeat) return
  if (target.closest?.('input:not([type=range], [type=checkbox]), textarea, select, [contenteditable]')) return
  if (key === 'h') findHeardButton()?.click()
  const menu = key === 'a' && findFormMenu()
  if (!menu) return
  event.preventDefault()
  menu.open = true
  menu.querySelector('[name=reason]').select()
})

/** Offers a moment to begin at. @param seconds an empty text for none */
function offerMoment(form, seconds, clock) {
  const label = form.querySelector('.from-moment')
  const box = form.elements.at
  label.hidden = seconds === ''
  label.querySelector('[data-clock]').textContent = clock
  box.value = seconds
  box.checked = seconds !== ''
}

/** On the page of a call, the moment is that of the player once it has moved. */
document.addEventListener(
  'toggle',
  ({ target }) => {
    const audio = document.getElementById('sound')
    if (!target.matches?.('[data-assign][open]') || !(audio?.currentTime > 0)) return
    const clock = document.querySelector('[data-now]').textContent
    offerMoment(target.querySelector('form'), String(Math.floor(audio.currentTime)), clock)
  },
  true,
)

/** Another rule suggests its name as the reason, unless the person has edited it, and its moment. */
document.addEventListener('change', ({ target }) => {
  if (!target.matches?.('[data-assign] [name=ruleKey]')) return
  const { reason } = target.form.elements
  const [option] = target.selectedOptions
  if (!reason.dataset.edited) reason.value = option.value === '' ? '' : option.text
  offerMoment(target.form, option.dataset.at, option.dataset.clock)
})
document.addEventListener('input', ({ target }) => {
  if (target.matches?.('[data-assign] [name=reason]')) target.dataset.edited = 'true'
})
