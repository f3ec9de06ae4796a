// The list of people follows its filters as they change; a new person's rights follow the role until somebody chooses
// them. Without scripts a button filters, and the hint says what is usual.

document.addEventListener('change', (event) => {
  const form = event.target.closest('form[data-submit]')
  if (form && event.target.matches('select')) form.requestSubmit()
})

let chosen = false
document.addEventListener('change', (event) => {
  const { target } = event
  if (target.name === 'rights') chosen = true
  if (target.name !== 'role' || target.dataset.rights === undefined) return
  const isOwner = target.value === 'owner'
  const usual = target.dataset.rights.split(' ')
  for (const box of target.form.querySelectorAll('input[name=rights]')) {
    if (isOwner || !chosen) box.checked = usual.includes(box.value)
  }
})
